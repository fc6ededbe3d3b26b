//! `OpenAI` responses.

use serde_json::{Value, json};

use super::ScriptedReply;
use crate::{ToolInput, Turn};

/// Returns the response that isn't streamed.
pub(super) fn response(told: &ScriptedReply<'_>) -> Value {
    let mut response = frame(told, "completed");
    response["output"] = json!([item(told)]);
    response["usage"] = json!({
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    });
    response
}

/// Returns the events of a stream.
pub(super) fn events(told: &ScriptedReply<'_>) -> Vec<Value> {
    let item = item(told);
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    if begun.get("content").is_some() {
        begun["content"] = json!([]);
    }
    let mut events = vec![
        json!({"type": "response.created", "response": frame(told, "in_progress")}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": begun}),
    ];
    if let Turn::Say(text) = told.turn {
        events.push(json!({
            "type": "response.output_text.delta", "item_id": item["id"],
            "output_index": 0, "content_index": 0, "delta": text,
        }));
    }
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({"type": "response.completed", "response": response(told)}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events
}

fn item(told: &ScriptedReply<'_>) -> Value {
    let call = match told.turn {
        Turn::Call(call) => call,
        Turn::Say(text) => {
            return json!({
                "type": "message", "id": told.id("msg"), "status": "completed",
                "role": "assistant",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            });
        }
    };
    let mut item = match &call.input {
        ToolInput::Arguments(arguments) => json!({
            "type": "function_call", "id": told.id("fc"), "status": "completed",
            "call_id": told.id("call"), "name": call.name, "arguments": arguments.to_string(),
        }),
        ToolInput::Text(text) => json!({
            "type": "custom_tool_call", "id": told.id("ctc"), "status": "completed",
            "call_id": told.id("call"), "name": call.name, "input": text,
        }),
    };
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn frame(told: &ScriptedReply<'_>, status: &str) -> Value {
    json!({
        "id": told.id("resp"), "object": "response", "created_at": 0, "status": status,
        "model": told.model, "output": [],
    })
}
