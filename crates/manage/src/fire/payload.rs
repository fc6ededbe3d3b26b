//! Realistic payloads of all events: values that could have happened in this project (CM-5).

use hookloop_events::EventName;
use serde_json::{Map, Value, json};

use super::scene::Scene;
use super::tool_samples::{arguments, mcp_context, response};

/// What the model answers to the prompt.
const ANSWER: &str = "This project has a README that says what it does.";

/// Returns the payload of an event.
pub(super) fn build_payload(event: EventName, scene: &Scene<'_>) -> Map<String, Value> {
    let mut payload = object(json!({
        "session_id": scene.session_id,
        "transcript_path": scene.transcript_path.to_string_lossy(),
        "cwd": scene.cwd.to_string_lossy(),
        "hook_event_name": event,
        "timestamp": scene.timestamp,
    }));
    payload.extend(object(own_fields(event, scene)));
    payload
}

fn own_fields(event: EventName, scene: &Scene<'_>) -> Value {
    match event {
        EventName::SessionStart => json!({ "source": "startup" }),
        EventName::SessionEnd => json!({ "reason": "exit" }),
        EventName::BeforeAgent => json!({ "prompt": scene.prompt }),
        EventName::AfterAgent => json!({
            "prompt": scene.prompt,
            "prompt_response": ANSWER,
            "stop_hook_active": false,
        }),
        EventName::BeforeModel | EventName::BeforeToolSelection => {
            json!({ "llm_request": request(scene) })
        }
        EventName::AfterModel => json!({
            "llm_request": request(scene),
            "llm_response": {
                "text": ANSWER,
                "candidates": [{
                    "content": { "role": "model", "parts": [ANSWER] },
                    "finishReason": "STOP",
                    "index": 0,
                }],
                "usageMetadata": {
                    "promptTokenCount": 1250,
                    "candidatesTokenCount": 12,
                    "totalTokenCount": 1262,
                },
            },
            "content": ANSWER,
            "full_content": ANSWER,
        }),
        EventName::BeforeTool => tool_call(scene, None),
        EventName::AfterTool => tool_call(scene, Some(response(scene))),
        EventName::PreCompress => json!({ "trigger": "auto" }),
        EventName::Notification => json!({
            "notification_type": "ToolPermission",
            "message": "Allow execution of: git status --short?",
            "details": {
                "type": "exec",
                "title": "Confirm Shell Command",
                "tool_name": "run_shell_command",
                "command": "git status --short",
                "rootCommand": "git",
                "directory": scene.project_root.to_string_lossy(),
            },
        }),
    }
}

fn tool_call(scene: &Scene<'_>, response: Option<Value>) -> Value {
    let mut fields = object(json!({
        "tool_name": scene.tool,
        "tool_input": arguments(scene),
    }));
    fields.extend(response.map(|response| ("tool_response".to_owned(), response)));
    fields.extend(mcp_context(scene).map(|context| ("mcp_context".to_owned(), context)));
    fields.insert(
        "tool_call_id".to_owned(),
        format!("{}-1", scene.tool).into(),
    );
    Value::Object(fields)
}

fn request(scene: &Scene<'_>) -> Value {
    json!({
        "model": scene.model,
        "messages": [{ "role": "user", "content": scene.prompt }],
        "config": { "temperature": 1, "topP": 0.95, "topK": 64 },
        "toolConfig": { "mode": "AUTO" },
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
