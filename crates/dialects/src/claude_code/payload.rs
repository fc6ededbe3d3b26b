//! What a hook of Claude Code reads (FD-10, FD-11). What has no source here is left out.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::tools::rule;
use crate::foreign::{Paths, ToolRule, theirs_of};

/// Fields that are the same on both sides.
const COMMON: [&str; 6] = [
    "session_id",
    "transcript_path",
    "cwd",
    "source",
    "trigger",
    "prompt",
];

/// Writes a payload of ours in their words.
pub(super) fn of(ours: &Map<String, Value>) -> Map<String, Value> {
    let text = |name: &str| ours.get(name).and_then(Value::as_str);
    let event = text("hook_event_name").unwrap_or_default();
    let mut theirs = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            theirs.insert(name.to_owned(), value);
        }
    };
    for name in COMMON {
        // The prompt that a turn began with is none of the end of that turn.
        let is_theirs = name != "prompt" || event == "BeforeAgent";
        put(name, ours.get(name).filter(|_| is_theirs).cloned());
    }
    put("agent_id", ours.get("agent_id").cloned());
    put("agent_type", ours.get("agent_name").cloned());
    put(
        "hook_event_name",
        Some(Value::from(event_name(event, ours))),
    );
    match event {
        "BeforeTool" | "AfterTool" => {
            for (name, value) in tool_fields(ours) {
                put(&name, Some(value));
            }
        }
        "AfterAgent" => {
            put("stop_hook_active", ours.get("stop_hook_active").cloned());
            put(
                "last_assistant_message",
                ours.get("prompt_response").cloned(),
            );
        }
        "SessionEnd" => put("reason", text("reason").map(end_reason).map(Value::from)),
        "PreCompress" => put("custom_instructions", Some(Value::Null)),
        "Notification" => {
            put("message", ours.get("message").cloned());
            put("notification_type", Some(Value::from("permission_prompt")));
        }
        _ => {}
    }
    theirs
}

/// Returns their event for one of ours: some have two, by what happened (FD-11).
fn event_name(event: &str, ours: &Map<String, Value>) -> &'static str {
    match event {
        "BeforeTool" => "PreToolUse",
        "AfterTool" if error_of(ours).is_some() => "PostToolUseFailure",
        "AfterTool" => "PostToolUse",
        "BeforeAgent" => "UserPromptSubmit",
        "AfterAgent" if ours.contains_key("agent_id") => "SubagentStop",
        "AfterAgent" => "Stop",
        "SessionStart" => "SessionStart",
        "SessionEnd" => "SessionEnd",
        "PreCompress" => "PreCompact",
        "Notification" => "Notification",
        "AfterModel" => "MessageDisplay",
        _ => "",
    }
}

fn end_reason(ours: &str) -> &str {
    match ours {
        "clear" | "logout" | "prompt_input_exit" => ours,
        _ => "other",
    }
}

fn error_of(ours: &Map<String, Value>) -> Option<String> {
    let error = ours.get("tool_response")?.get("error")?;
    match error {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => {
            let message = fields.get("message").and_then(Value::as_str);
            Some(message.map_or_else(|| error.to_string(), str::to_owned))
        }
        other => Some(other.to_string()),
    }
}

/// Returns what a payload says of a tool call, and of its result.
fn tool_fields(ours: &Map<String, Value>) -> Map<String, Value> {
    let name = ours
        .get("tool_name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let cwd = ours.get("cwd").and_then(Value::as_str).unwrap_or_default();
    let rule = rule(name);
    let no_arguments = Map::new();
    let arguments = ours
        .get("tool_input")
        .and_then(Value::as_object)
        .unwrap_or(&no_arguments);
    let paths = Paths {
        cwd: Path::new(cwd),
    };
    let input = read_lines(rule, arguments, theirs_of(rule, arguments, paths));
    let mut fields = Map::new();
    let their_name = rule
        .and_then(|rule| rule.theirs.first().copied())
        .unwrap_or(name);
    fields.insert("tool_name".to_owned(), Value::from(their_name));
    if let Some(id) = ours.get("tool_call_id") {
        fields.insert("tool_use_id".to_owned(), id.clone());
    }
    let server = ours.get("mcp_context").and_then(|it| it.get("server_name"));
    if let Some(server) = server {
        fields.insert("mcp_server".to_owned(), json!({ "name": server }));
    }
    if let Some(error) = error_of(ours) {
        fields.insert("error".to_owned(), Value::from(error));
        fields.insert("is_interrupt".to_owned(), Value::Bool(false));
    } else if let Some(response) = ours.get("tool_response") {
        fields.insert(
            "tool_response".to_owned(),
            result(their_name, &input, response),
        );
    }
    fields.insert("tool_input".to_owned(), Value::Object(input));
    fields
}

/// Writes the lines to read as `offset` and `limit`, also where ours says the last one.
fn read_lines(
    rule: Option<&ToolRule>,
    ours: &Map<String, Value>,
    mut theirs: Map<String, Value>,
) -> Map<String, Value> {
    if rule.is_none_or(|rule| rule.ours != "read_file") {
        return theirs;
    }
    let line = |name: &str| ours.get(name).and_then(Value::as_u64);
    if let Some(last) = line("end_line") {
        theirs.remove("end_line");
        let first = line("start_line").unwrap_or(1);
        let count = last.saturating_add(1).saturating_sub(first);
        theirs.entry("limit").or_insert_with(|| Value::from(count));
    }
    theirs
}

/// Writes a result in the shape that their tool has.
fn result(tool: &str, input: &Map<String, Value>, response: &Value) -> Value {
    let text = text_of(response.get("llmContent").unwrap_or(&Value::Null));
    let argument = |name: &str| input.get(name).cloned().unwrap_or(Value::Null);
    match tool {
        "Bash" => json!({
            "stdout": output_of(&text),
            "stderr": "",
            "interrupted": false,
            "isImage": false,
        }),
        "Read" => json!({
            "type": "text",
            "file": {"filePath": argument("file_path"), "content": text},
        }),
        "Write" => json!({
            "type": "create",
            "filePath": argument("file_path"),
            "content": argument("content"),
        }),
        "Edit" => json!({
            "filePath": argument("file_path"),
            "oldString": argument("old_string"),
            "newString": argument("new_string"),
            "replaceAll": argument("replace_all") == Value::Bool(true),
        }),
        name if name.starts_with("mcp__") => json!([{"type": "text", "text": text}]),
        _ => Value::from(text),
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts.iter().map(text_of).collect();
            texts.join("\n")
        }
        Value::Object(part) => match part.get("text") {
            Some(Value::String(text)) => text.clone(),
            _ => content.to_string(),
        },
        other => other.to_string(),
    }
}

/// Takes what a command printed out of the report that our model reads.
fn output_of(report: &str) -> &str {
    let printed = report
        .split_once("\nOutput: ")
        .and_then(|(_, rest)| rest.rsplit_once("\nError: "));
    printed.map_or(report, |(output, _)| output)
}
