//! `OpenAI` chat completions.

use serde_json::{Value, json};

use super::ScriptedReply;
use crate::Turn;

/// Returns the response that isn't streamed.
pub(super) fn completion(reply: &ScriptedReply<'_>) -> Value {
    let mut completion = frame(reply, "chat.completion");
    completion["choices"] = json!([{
        "index": 0, "message": message(reply), "finish_reason": finish_reason(reply),
    }]);
    completion["usage"] = usage();
    completion
}

/// Returns the chunks of a stream: the message, the reason to end, the token counts.
pub(super) fn chunks(reply: &ScriptedReply<'_>) -> Vec<Value> {
    let mut delta = message(reply);
    if let Some(call) = delta.pointer_mut("/tool_calls/0") {
        call["index"] = json!(0);
    }
    let mut chunk = frame(reply, "chat.completion.chunk");
    chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": null}]);
    let mut ending = frame(reply, "chat.completion.chunk");
    ending["choices"] = json!([{"index": 0, "delta": {}, "finish_reason": finish_reason(reply)}]);
    let mut cost = frame(reply, "chat.completion.chunk");
    cost["choices"] = json!([]);
    cost["usage"] = usage();
    vec![chunk, ending, cost]
}

fn message(reply: &ScriptedReply<'_>) -> Value {
    match reply.turn {
        Turn::Say(text) => json!({"role": "assistant", "content": text}),
        Turn::Call(call) => json!({
            "role": "assistant",
            "content": null,
            "tool_calls": [{
                "id": reply.id("call"),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments().to_string()},
            }],
        }),
    }
}

fn frame(reply: &ScriptedReply<'_>, object: &str) -> Value {
    json!({"id": reply.id("chatcmpl"), "object": object, "created": 0, "model": reply.model})
}

fn usage() -> Value {
    json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
}

const fn finish_reason(reply: &ScriptedReply<'_>) -> &'static str {
    match reply.turn {
        Turn::Say(_) => "stop",
        Turn::Call(_) => "tool_calls",
    }
}
