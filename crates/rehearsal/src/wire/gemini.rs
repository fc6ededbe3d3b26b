//! Gemini's `generateContent`, which is the same object in a stream and as a whole.

use serde_json::{Value, json};

use super::ScriptedReply;
use crate::Turn;

/// Returns the response.
pub(super) fn content(reply: &ScriptedReply<'_>) -> Value {
    let part = match reply.turn {
        Turn::Say(text) => json!({"text": text}),
        Turn::Call(call) => json!({
            "functionCall": {"id": reply.id("call"), "name": call.name, "args": call.arguments()},
        }),
    };
    json!({
        "responseId": reply.id("resp"),
        "modelVersion": reply.model,
        "candidates": [{
            "index": 0,
            "content": {"role": "model", "parts": [part]},
            "finishReason": "STOP",
        }],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
    })
}
