//! `OpenAI` chat completions.

use serde_json::{Value, json};

use super::ScriptedReply;
use crate::Turn;

/// Returns the response that isn't streamed.
pub(super) fn completion(told: &ScriptedReply<'_>) -> Value {
    let mut completion = frame(told, "chat.completion");
    completion["choices"] = json!([{
        "index": 0, "message": message(told), "finish_reason": finish_reason(told),
    }]);
    completion["usage"] = usage();
    completion
}

/// Returns the chunks of a stream: the message, the reason to end, the token counts.
pub(super) fn chunks(told: &ScriptedReply<'_>) -> Vec<Value> {
    let mut delta = message(told);
    if let Some(call) = delta.pointer_mut("/tool_calls/0") {
        call["index"] = json!(0);
    }
    let mut said = frame(told, "chat.completion.chunk");
    said["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": null}]);
    let mut ending = frame(told, "chat.completion.chunk");
    ending["choices"] = json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(told)}]);
    let mut cost = frame(told, "chat.completion.chunk");
    cost["choices"] = json!([]);
    cost["usage"] = usage();
    vec![said, ending, cost]
}

fn message(told: &ScriptedReply<'_>) -> Value {
    match told.turn {
        Turn::Say(text) => json!({"role": "assistant", "content": text}),
        Turn::Call(call) => json!({
            "role": "assistant",
            "content": null,
            "tool_calls": [{
                "id": told.id("call"),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments().to_string()},
            }],
        }),
    }
}

fn frame(told: &ScriptedReply<'_>, object: &str) -> Value {
    json!({"id": told.id("chatcmpl"), "object": object, "created": 0, "model": told.model})
}

fn usage() -> Value {
    json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
}

const fn finish_reason(told: &ScriptedReply<'_>) -> &'static str {
    match told.turn {
        Turn::Say(_) => "stop",
        Turn::Call(_) => "tool_calls",
    }
}
