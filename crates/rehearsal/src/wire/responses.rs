//! `OpenAI` responses.

use serde_json::{Value, json};

use super::ScriptedReply;
use crate::{ToolInput, Turn};

/// Returns the response that isn't streamed.
pub(super) fn response(reply: &ScriptedReply<'_>) -> Value {
    let mut response = frame(reply, "completed");
    response["output"] = json!([item(reply)]);
    response["usage"] = json!({
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    });
    response
}

/// Returns the events of a stream.
pub(super) fn events(reply: &ScriptedReply<'_>) -> Vec<Value> {
    let item = item(reply);
    let mut started = item.clone();
    started["status"] = json!("in_progress");
    if started.get("content").is_some() {
        started["content"] = json!([]);
    }
    let mut events = vec![
        json!({"type": "response.created", "response": frame(reply, "in_progress")}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": started}),
    ];
    if let Turn::Say(text) = reply.turn {
        events.push(json!({
            "type": "response.output_text.delta", "item_id": item["id"],
            "output_index": 0, "content_index": 0, "delta": text,
        }));
    }
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({"type": "response.completed", "response": response(reply)}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events
}

fn item(reply: &ScriptedReply<'_>) -> Value {
    let call = match reply.turn {
        Turn::Call(call) => call,
        Turn::Say(text) => {
            return json!({
                "type": "message", "id": reply.id("msg"), "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            });
        }
    };
    let mut item = match &call.input {
        ToolInput::Arguments(arguments) => json!({
            "type": "function_call", "id": reply.id("fc"), "status": "completed",
            "call_id": reply.id("call"), "name": call.name, "arguments": arguments.to_string(),
        }),
        ToolInput::Text(text) => json!({
            "type": "custom_tool_call", "id": reply.id("ctc"), "status": "completed",
            "call_id": reply.id("call"), "name": call.name, "input": text,
        }),
    };
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn frame(reply: &ScriptedReply<'_>, status: &str) -> Value {
    json!({
        "id": reply.id("resp"), "object": "response", "created_at": 0, "status": status,
        "model": reply.model, "output": [],
    })
}
