//! What a hook of Cursor reads (FD-10, FD-11).

use serde_json::{Map, Value, json};

use super::tools;
use crate::foreign::call::{Call, exit_code_of, text_of};
use crate::foreign::{AGENT_TRANSCRIPT, BEGUN_AGENT, OutgoingPayload, TOOL_DURATION};

/// Writes a payload of ours in their words.
pub(super) fn of(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    let ours = asked.ours;
    let field = |name: &str| ours.get(name).cloned();
    let mut theirs = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            theirs.insert(name.to_owned(), value);
        }
    };
    put("conversation_id", field("session_id"));
    put("session_id", field("session_id"));
    put("generation_id", field("turn_id"));
    put("model", field("model"));
    put("hook_event_name", Some(Value::from(asked.event)));
    put("workspace_roots", field("cwd").map(|cwd| json!([cwd])));
    put("transcript_path", field("transcript_path"));
    if ours.contains_key("tool_name") {
        for (name, value) in call_fields(asked) {
            put(&name, Some(value));
        }
        put("duration", duration(asked));
    }
    match asked.event {
        "beforeSubmitPrompt" => {
            put("prompt", field("prompt"));
            put("attachments", Some(json!([])));
        }
        "stop" | "subagentStop" => {
            put("status", Some(Value::from("completed")));
            let again = field("stop_hook_active") == Some(Value::Bool(true));
            let count = field("turn_retries").unwrap_or_else(|| Value::from(i32::from(again)));
            put("loop_count", Some(count));
            if asked.event == "subagentStop" {
                put("subagent_id", field("agent_id"));
                put("subagent_type", field("agent_name"));
                put("summary", field("prompt_response"));
                put(AGENT_TRANSCRIPT, field(AGENT_TRANSCRIPT));
            }
        }
        "afterAgentResponse" => put("text", field("prompt_response")),
        "sessionEnd" => {
            let reason = match ours.get("reason").and_then(Value::as_str) {
                Some("exit" | "prompt_input_exit" | "logout") => "user_close",
                _ => "completed",
            };
            put("reason", Some(Value::from(reason)));
        }
        "preCompact" => put("trigger", field("trigger")),
        _ => {}
    }
    theirs
}

/// Returns how long a tool that has ended ran, if an event says it.
fn duration(asked: &OutgoingPayload<'_>) -> Option<Value> {
    let has_ended = asked.ours.contains_key("tool_response") && asked.event != "afterFileEdit";
    asked.ours.get(TOOL_DURATION).filter(|_| has_ended).cloned()
}

/// Returns the output of a call, and how it ended where that is known.
fn tool_output(call: &Call<'_>, exit_code: Option<i32>) -> Value {
    let (mut output, name) = match exit_code {
        Some(code) => (json!({ "exitCode": code }), "stdout"),
        None => (json!({}), "output"),
    };
    // It may be long, and the macro would copy it.
    output[name] = Value::from(call.output());
    output
}

/// Returns a value's JSON. It may be long, and its `Display` writes it piece by piece through a
/// formatter.
fn as_text(value: &Value) -> String {
    // Serialising fails only for maps with keys that aren't strings, and JSON has none.
    serde_json::to_string(value).unwrap_or_default()
}

/// Returns what an event says about a call and its result.
fn call_fields(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    let call = Call::of(asked.ours, tools::TOOLS);
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    let cwd = asked.ours.get("cwd").cloned().unwrap_or_default();
    let output = || match call.response() {
        Some(_) => Value::from(call.error().unwrap_or_else(|| call.output())),
        None => Value::Null,
    };
    match asked.event {
        "beforeShellExecution" | "afterShellExecution" => {
            put("command", call.argument("command"));
            let folder = call.argument("working_directory");
            put("cwd", if folder.is_null() { cwd } else { folder });
            if asked.event == "afterShellExecution" {
                put("output", output());
            }
        }
        "beforeMCPExecution" | "afterMCPExecution" => {
            let name = super::TABLES.mcp.of(call.tool);
            let name = name.unwrap_or_else(|| call.tool.to_owned());
            put("tool_name", Value::from(name.trim_start_matches("MCP:")));
            if let Some((server, _)) = call.mcp() {
                put("mcp_server_name", Value::from(server));
            }
            let input = Value::Object(call.input.clone()).to_string();
            put("tool_input", Value::from(input));
            if asked.event == "afterMCPExecution" {
                let result = json!({"content": [{"type": "text", "text": text_of(&output())}]});
                put("result_json", Value::from(as_text(&result)));
            }
        }
        "beforeReadFile" => {
            put("file_path", call.argument("file_path"));
            if let Some(content) = asked.ours.get("file_content") {
                put("content", content.clone());
            }
            put("attachments", json!([]));
        }
        "afterFileEdit" => {
            put("file_path", call.argument("file_path"));
            let (old, new) = if call.tool == "write_file" {
                (Value::from(""), call.argument("content"))
            } else {
                (call.argument("old_string"), call.argument("new_string"))
            };
            put("edits", json!([{"old_string": old, "new_string": new}]));
        }
        "subagentStart" => {
            if let Some(id) = asked.ours.get(BEGUN_AGENT) {
                put("subagent_id", id.clone());
            }
            put("subagent_type", call.argument("subagent_type"));
            put("task", call.argument("task"));
        }
        _ => {
            let name = super::TABLES.mcp.of(call.tool);
            let name = name.unwrap_or_else(|| call.name().to_owned());
            put("tool_name", Value::from(name));
            if let Some(id) = call.id() {
                put("tool_use_id", id.clone());
            }
            if let Some((server, _)) = call.mcp() {
                put("mcp_server_name", Value::from(server));
            }
            put("cwd", cwd);
            if let Some(error) = call.error() {
                put("error_message", Value::from(error));
                put("failure_type", Value::from("error"));
                put("is_interrupt", Value::Bool(false));
            } else if call.response().is_some() {
                let output = tool_output(&call, exit_code_of(asked.ours));
                put("tool_output", Value::from(as_text(&output)));
            }
            put("tool_input", Value::Object(call.input));
        }
    }
    fields
}
