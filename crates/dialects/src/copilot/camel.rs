//! Payloads in Copilot's own format.

use serde_json::{Map, Value, json};

use super::tools;
use crate::foreign::call::Call;
use crate::foreign::tools::on_one_line;
use crate::foreign::{BEGUN_AGENT, OutgoingPayload};

/// Writes a payload of ours.
pub(super) fn payload(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    let ours = asked.ours;
    let text = |name: &str| ours.get(name).and_then(Value::as_str);
    let mut theirs = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            theirs.insert(name.to_owned(), value);
        }
    };
    put("sessionId", ours.get("session_id").cloned());
    let milliseconds = text("timestamp").and_then(milliseconds);
    put("timestamp", milliseconds.map(Value::from));
    put("cwd", ours.get("cwd").cloned());
    put("agentId", ours.get("agent_id").cloned());
    put("agentType", ours.get("agent_name").cloned());
    let transcript = || ours.get("transcript_path").cloned();
    match asked.event {
        "preToolUse" | "postToolUse" | "postToolUseFailure" | "permissionRequest" => {
            let call = Call::of(ours, tools::TOOLS);
            if let ("permissionRequest", Some(input)) = (asked.event, edit_asked_for(&call)) {
                // At this event, it requests all edits in one form.
                put("toolName", Some(Value::from("edit")));
                put("hookName", Some(Value::from(asked.event)));
                put("toolInput", Some(input));
                put("permissionSuggestions", Some(json!([])));
                return theirs;
            }
            put("toolName", Some(Value::from(tool_name(asked.event, &call))));
            if let Some(error) = call.error() {
                put("error", Some(Value::from(error)));
            } else if call.response().is_some() {
                let mut result = json!({"resultType": "success"});
                result["textResultForLlm"] = Value::from(super::result_text(&call));
                put("toolResult", Some(result));
            }
            let arguments = if asked.event == "permissionRequest" {
                put("hookName", Some(Value::from(asked.event)));
                put("permissionSuggestions", Some(json!([])));
                "toolInput"
            } else {
                "toolArgs"
            };
            put(arguments, Some(Value::Object(call.input)));
        }
        "userPromptSubmitted" => put("prompt", ours.get("prompt").cloned()),
        "agentStop" | "subagentStop" => {
            put("transcriptPath", transcript());
            put("stopReason", Some(Value::from("end_turn")));
            put("stop_hook_active", ours.get("stop_hook_active").cloned());
            if asked.event == "subagentStop" {
                put("agentName", ours.get("agent_name").cloned());
                put("response", ours.get("prompt_response").cloned());
            }
        }
        "subagentStart" => {
            put("transcriptPath", transcript());
            put("agentId", ours.get(BEGUN_AGENT).cloned());
            let input = ours.get("tool_input");
            let name = input.and_then(|it| it.get("agent_name")).cloned();
            put("agentName", name.clone());
            put("agentType", name);
        }
        "sessionEnd" => put("reason", Some(Value::from("complete"))),
        "preCompact" => {
            put("trigger", ours.get("trigger").cloned());
            put("transcriptPath", transcript());
        }
        "notification" => {
            put("hook_event_name", Some(Value::from("notification")));
            put("message", ours.get("message").cloned());
            put("notification_type", Some(Value::from("permission_prompt")));
        }
        _ => {}
    }
    put_parent(asked, &mut theirs, ["agentId", "parentAgentId"]);
    if asked.event == "sessionStart" {
        put_source(asked, &mut theirs);
    }
    theirs
}

/// Writes which agent began a sub-agent that a payload names: the session's own, since sub-agents
/// can't begin others here.
pub(super) fn put_parent(
    asked: &OutgoingPayload<'_>,
    theirs: &mut Map<String, Value>,
    [agent, parent]: [&str; 2],
) {
    let id = asked.ours.get("session_id");
    if let Some(id) = id.filter(|_| theirs.contains_key(agent)) {
        theirs.insert(parent.to_owned(), id.clone());
    }
}

/// Returns the name of a call's tool at an event.
fn tool_name(event: &str, call: &Call<'_>) -> String {
    let mcp = match (event, call.mcp()) {
        // At this event, it names the server and its tool apart.
        ("permissionRequest", Some((server, tool))) => Some(format!("{server}/{tool}")),
        _ => super::TABLES.mcp.of(call.tool),
    };
    mcp.unwrap_or_else(|| call.name().to_owned())
}

/// Returns Copilot's description of an edit that needs permission; nothing for calls that edit
/// nothing.
fn edit_asked_for(call: &Call<'_>) -> Option<Value> {
    let diff = diff_of(call)?;
    Some(json!({"file_path": call.argument("path"), "diff": diff}))
}

/// Writes what an edit changes as Copilot shows it; nothing for calls that edit nothing.
fn diff_of(call: &Call<'_>) -> Option<String> {
    let (old, new) = match call.tool {
        "write_file" => (Value::from(""), call.argument("file_text")),
        "replace" => (call.argument("old_str"), call.argument("new_str")),
        _ => return None,
    };
    let lines = |sign: char, text: &Value| {
        let lines = text.as_str().unwrap_or_default().lines();
        let lines: Vec<String> = lines.map(|line| format!("{sign}{line}\n")).collect();
        lines
    };
    let (removed, added) = (lines('-', &old), lines('+', &new));
    let path = call.argument("path");
    let path = on_one_line(path.as_str().unwrap_or_default());
    Some(format!(
        "\ndiff --git a{path} b{path}\nindex 0000000..0000000\n--- a{path}\n+++ b{path}\n\
         @@ -1,{} +1,{} @@\n{}{}",
        removed.len(),
        added.len(),
        removed.concat(),
        added.concat(),
    ))
}

/// Writes how a session began: the first one is a new one there.
pub(super) fn put_source(asked: &OutgoingPayload<'_>, theirs: &mut Map<String, Value>) {
    let source = asked.ours.get("source").and_then(Value::as_str);
    let source = source.map(|source| if source == "startup" { "new" } else { source });
    theirs.extend(source.map(|source| ("source".to_owned(), Value::from(source))));
}

/// Returns the milliseconds since 1970 of a time such as `2026-11-21T22:12:23.662Z`.
fn milliseconds(time: &str) -> Option<i64> {
    let number = |range: std::ops::Range<usize>| time.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let thousandths = number(20..23).unwrap_or(0);
    // Days in the civil calendar, with years beginning in March.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + thousandths)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    /// FD-10: a time is the same one there.
    #[test]
    fn times_are_told_in_milliseconds() {
        for (time, expected) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2026-11-21T22:12:23.662Z", 1_795_299_143_662),
            ("2024-02-29T12:00:00.001Z", 1_709_208_000_001),
        ] {
            assert_eq!(milliseconds(time), Some(expected), "{time}");
        }
        assert_eq!(milliseconds("yesterday"), None);
    }
}
