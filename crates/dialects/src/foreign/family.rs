//! Payloads in the format of Claude Code, which Codex, Qwen Code and Copilot adopted (FD-10).
//! Fields without a source here are left out.

use serde_json::{Map, Value, json};

use super::call::Call;
use super::tools::ToolRule;
use super::{AGENT_TRANSCRIPT, BEGUN_AGENT, OutgoingPayload, TOOL_DURATION};

/// What differs between the agents of the family.
pub(crate) struct Style {
    pub(crate) tools: &'static [ToolRule],
    /// The name of a tool in payloads.
    pub(crate) tool_name: fn(&Call<'_>) -> String,
    /// Their word for an approval mode.
    pub(crate) mode: fn(&str) -> &str,
    /// The field of a result, and the result.
    pub(crate) result: fn(&Call<'_>) -> (&'static str, Value),
    /// Fields of ours that are in every payload under the same name.
    pub(crate) same: &'static [&'static str],
    /// Adjusts what is different only in this agent.
    pub(crate) finish: fn(&OutgoingPayload<'_>, &mut Map<String, Value>),
}

/// Writes a payload of ours in their words.
pub(crate) fn payload(asked: &OutgoingPayload<'_>, style: &Style) -> Map<String, Value> {
    let ours = asked.ours;
    let text = |name: &str| ours.get(name).and_then(Value::as_str);
    let mut theirs = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            theirs.insert(name.to_owned(), value);
        }
    };
    for name in ["session_id", "transcript_path", "cwd"]
        .iter()
        .chain(style.same)
    {
        put(name, ours.get(*name).cloned());
    }
    put("agent_id", ours.get("agent_id").cloned());
    put("agent_type", ours.get("agent_name").cloned());
    put(
        "permission_mode",
        text("approval_mode").map(|mode| Value::from((style.mode)(mode))),
    );
    put("hook_event_name", Some(Value::from(asked.event)));
    match asked.event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => {
            let call = Call::of(ours, style.tools);
            put("tool_name", Some(Value::from((style.tool_name)(&call))));
            put("tool_use_id", call.id().cloned());
            if let Some((server, _)) = call.mcp() {
                put("mcp_server", Some(json!({ "name": server })));
            }
            if let Some(error) = call.error() {
                put("error", Some(Value::from(error)));
                put("is_interrupt", Some(Value::Bool(false)));
            } else if call.response().is_some() {
                let (name, result) = (style.result)(&call);
                put(name, Some(result));
            }
            put("tool_input", Some(Value::Object(call.input)));
        }
        "SubagentStart" => {
            let input = ours.get("tool_input");
            put("agent_id", ours.get(BEGUN_AGENT).cloned());
            put(
                "agent_type",
                input.and_then(|it| it.get("agent_name")).cloned(),
            );
        }
        "UserPromptSubmit" => put("prompt", ours.get("prompt").cloned()),
        "Stop" | "SubagentStop" => {
            put("stop_hook_active", ours.get("stop_hook_active").cloned());
            if asked.event == "SubagentStop" {
                put(AGENT_TRANSCRIPT, ours.get(AGENT_TRANSCRIPT).cloned());
            }
            put(
                "last_assistant_message",
                ours.get("prompt_response").cloned(),
            );
        }
        "SessionStart" => put("source", ours.get("source").cloned()),
        "SessionEnd" => put("reason", text("reason").map(end_reason).map(Value::from)),
        "PreCompact" => {
            put("trigger", ours.get("trigger").cloned());
            put("custom_instructions", Some(Value::Null));
        }
        "Notification" => {
            put("message", ours.get("message").cloned());
            put("notification_type", Some(Value::from("permission_prompt")));
        }
        _ => {}
    }
    (style.finish)(asked, &mut theirs);
    theirs
}

/// Puts the session's model into a payload, if an agent has it there.
pub(crate) fn put_model(asked: &OutgoingPayload<'_>, theirs: &mut Map<String, Value>) {
    if let Some(model) = asked.ours.get("model") {
        theirs.insert("model".to_owned(), model.clone());
    }
}

/// Puts how long a tool ran into a payload, if an agent has it there.
pub(crate) fn put_duration(asked: &OutgoingPayload<'_>, theirs: &mut Map<String, Value>) {
    let ended = matches!(asked.event, "PostToolUse" | "PostToolUseFailure");
    if let Some(duration) = asked.ours.get(TOOL_DURATION).filter(|_| ended) {
        theirs.insert("duration_ms".to_owned(), duration.clone());
    }
}

/// Returns Claude Code's word for an approval mode.
pub(crate) fn claude_mode(ours: &str) -> &str {
    match ours {
        "yolo" => "bypassPermissions",
        "auto_edit" | "autoEdit" => "acceptEdits",
        other => other,
    }
}

fn end_reason(ours: &str) -> &str {
    match ours {
        "clear" | "logout" | "prompt_input_exit" => ours,
        _ => "other",
    }
}
