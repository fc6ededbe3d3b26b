//! Anthropic Messages.

use serde_json::{Value, json};

use super::ScriptedReply;
use crate::Turn;

/// Returns the message of a response that isn't streamed.
pub(super) fn message(reply: &ScriptedReply<'_>) -> Value {
    let block = match reply.turn {
        Turn::Say(text) => json!({"type": "text", "text": text}),
        Turn::Call(call) => json!({
            "type": "tool_use", "id": reply.id("toolu"), "name": call.name, "input": call.arguments(),
        }),
    };
    let mut message = frame(reply);
    message["content"] = json!([block]);
    message["stop_reason"] = json!(stop_reason(reply));
    message
}

/// Returns the events of a stream.
pub(super) fn events(reply: &ScriptedReply<'_>) -> Vec<Value> {
    let (block, delta) = match reply.turn {
        Turn::Say(text) => (
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
        ),
        Turn::Call(call) => (
            json!({"type": "tool_use", "id": reply.id("toolu"), "name": call.name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": call.arguments().to_string()}),
        ),
    };
    vec![
        json!({"type": "message_start", "message": frame(reply)}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
            "usage": {"output_tokens": 5},
        }),
        json!({"type": "message_stop"}),
    ]
}

fn frame(reply: &ScriptedReply<'_>) -> Value {
    json!({
        "id": reply.id("msg"), "type": "message", "role": "assistant", "model": reply.model,
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    })
}

const fn stop_reason(reply: &ScriptedReply<'_>) -> &'static str {
    match reply.turn {
        Turn::Say(_) => "end_turn",
        Turn::Call(_) => "tool_use",
    }
}
