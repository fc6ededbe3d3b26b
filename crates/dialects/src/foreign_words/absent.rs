//! Fields that a hook reads although its dialect has other ones instead (CM-3): it finds nothing.

use std::collections::BTreeSet;

use hookloop_events::EventName;
use hookloop_hook::Dialect;
use serde_json::{Map, Value, json};

use super::place::{Line, Spot, lines_of_code};
use crate::foreign::HookDialect;
use crate::translate::{foreign_payload, is_notified_only};

/// Names of one thing in the payloads of the dialects. Those in the first list are words that no
/// script uses for anything else.
const NAMES: &[(&[&str], &[&str])] = &[
    (
        &["tool_input", "toolArgs", "toolInput"],
        &["command", "file_path", "task"],
    ),
    (&["tool_name", "toolName"], &["subagent_type"]),
    (
        &["tool_response", "toolResult", "tool_result", "tool_output"],
        &["output", "result_json", "edits", "error", "error_message"],
    ),
    (
        &["last_assistant_message", "prompt_response"],
        &["text", "response", "transcriptPath"],
    ),
];

/// A field that the hook's input doesn't contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbsentField {
    /// The field.
    pub word: &'static str,
    /// The event, as the dialect names it.
    pub event: String,
    /// The fields that the input contains instead.
    pub given: Vec<&'static str>,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// The text of the line.
    pub text: String,
}

/// Finds the first field that a hook's script or command reads and its dialect doesn't provide, if
/// the text reads none of the fields that the dialect provides instead (FD-10, CM-3). Nothing is
/// reported about a script that checks the event.
pub fn absent_field(
    hook_dialect: HookDialect<'_>,
    event: EventName,
    text: &str,
) -> Option<AbsentField> {
    let is_foreign = !matches!(hook_dialect.dialect, Dialect::Hookloop | Dialect::GeminiCli);
    let asks_for_event = text.contains("hook_event_name") || text.contains("hookEventName");
    if !is_foreign || is_notified_only(hook_dialect) || asks_for_event {
        return None;
    }
    let lines = lines_of_code(text);
    let (called, fields) = event_fields(hook_dialect, event)?;
    let mut found = NAMES.iter().filter_map(|(own, others)| {
        let is_given = |it: &&&str| fields.contains(**it);
        let all = own.iter().chain(*others);
        let given: Vec<&'static str> = all.filter(is_given).copied().collect();
        let reads = |word: &str| lines.iter().any(|line| reads(line, word, own).is_some());
        if given.is_empty() || given.iter().any(|word| reads(word)) {
            return None;
        }
        let absent = own.iter().filter(|it| !fields.contains(**it));
        let mut spots = absent.filter_map(|word| {
            let mut lines = lines.iter();
            lines.find_map(|line| Some((*word, line, reads_spot(line, word)?)))
        });
        let (word, line, spot) = spots.next()?;
        Some(AbsentField {
            word,
            event: called.clone(),
            given,
            line: line.number,
            column: spot.column,
            text: line.text.to_owned(),
        })
    });
    found.next()
}

fn reads_spot<'a>(line: &Line<'a>, word: &str) -> Option<Spot<'a>> {
    line.spots(word).find(Spot::is_field)
}

/// Finds where a line reads a field of the payload itself, and not one of what another field
/// contains.
fn reads<'a>(line: &Line<'a>, word: &str, holding: &[&str]) -> Option<Spot<'a>> {
    let is_inner = |spot: &Spot<'_>| {
        holding
            .iter()
            .any(|it| *it != word && spot.before.contains(it))
    };
    line.spots(word)
        .find(|spot| spot.is_field() && !is_inner(spot))
}

/// Returns how the dialect calls the event, and the fields of all that it may be about.
fn event_fields(
    hook_dialect: HookDialect<'_>,
    event: EventName,
) -> Option<(String, BTreeSet<String>)> {
    let mut called = None;
    let mut fields = BTreeSet::new();
    for ours in samples(event) {
        let theirs = foreign_payload(hook_dialect, &ours)?;
        if called.is_none() {
            called = theirs
                .get("hook_event_name")
                .and_then(Value::as_str)
                .map(str::to_owned);
        }
        fields.extend(theirs.into_iter().map(|(name, _)| name));
    }
    let event_of_hook = hook_dialect.event.map(str::to_owned);
    let called = event_of_hook
        .or(called)
        .unwrap_or_else(|| event.as_str().to_owned());
    Some((called, fields))
}

/// Payloads of ours about each kind of thing that an event can be about.
fn samples(event: EventName) -> Vec<Map<String, Value>> {
    let common = json!({"hook_event_name": event.as_str(), "session_id": "s", "cwd": "/", "transcript_path": "/t"});
    let with = |more: Value| {
        let mut payload = common.as_object().cloned().unwrap_or_default();
        payload.extend(more.as_object().cloned().unwrap_or_default());
        payload
    };
    let tools = || {
        [
            ("run_shell_command", json!({"command": "c"})),
            ("read_file", json!({"file_path": "/f"})),
            ("write_file", json!({"file_path": "/f", "content": "c"})),
            (
                "replace",
                json!({"file_path": "/f", "old_string": "a", "new_string": "b"}),
            ),
            (
                "delegate_to_agent",
                json!({"agent_name": "a", "objective": "o"}),
            ),
            ("mcp__server__tool", json!({"a": 1})),
        ]
    };
    let results = [
        json!({"llmContent": "t"}),
        json!({"llmContent": "t", "error": "e"}),
    ];
    match event {
        EventName::BeforeTool => tools()
            .map(|(tool, input)| with(json!({"tool_name": tool, "tool_input": input})))
            .into(),
        EventName::AfterTool => tools()
            .iter()
            .flat_map(|(tool, input)| {
                results.iter().map(
                    move |it| json!({"tool_name": tool, "tool_input": input, "tool_response": it}),
                )
            })
            .map(with)
            .collect(),
        EventName::AfterAgent => vec![with(
            json!({"prompt": "p", "prompt_response": "r", "stop_hook_active": false}),
        )],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use EventName::{AfterAgent, AfterTool, BeforeTool};

    use super::*;

    fn absent(
        dialect: Dialect,
        event: &str,
        ours: EventName,
        text: &str,
    ) -> Option<(&'static str, Vec<&'static str>)> {
        let hook_dialect = HookDialect {
            dialect,
            event: Some(event),
            condition: None,
        };
        absent_field(hook_dialect, ours, text).map(|it| (it.word, it.given))
    }

    /// A dialect, its event and ours, a script, the field that it reads without effect, and one
    /// that is there instead.
    type WithoutEffect = (
        Dialect,
        &'static str,
        EventName,
        &'static str,
        &'static str,
        &'static str,
    );

    #[rustfmt::skip]
    const IN_VAIN: [WithoutEffect; 10] = [
        (Dialect::Cursor, "beforeShellExecution", BeforeTool, "jq -r .tool_input.command", "tool_input", "command"),
        (Dialect::Cursor, "beforeReadFile", BeforeTool, "d['tool_input']['file_path']", "tool_input", "file_path"),
        (Dialect::Cursor, "afterFileEdit", AfterTool, "jq -r '.tool_input.file_path'", "tool_input", "file_path"),
        (Dialect::Cursor, "postToolUse", AfterTool, "x = d.get(\"tool_response\")", "tool_response", "tool_output"),
        (Dialect::Copilot, "preToolUse", BeforeTool, "jq -r '.tool_input.command // empty'", "tool_input", "toolArgs"),
        (Dialect::Copilot, "preToolUse", BeforeTool, "if d[\"tool_name\"] == \"bash\":", "tool_name", "toolName"),
        (Dialect::Copilot, "PreToolUse", BeforeTool, "jq -r .toolArgs.command", "toolArgs", "tool_input"),
        (Dialect::ClaudeCode, "PreToolUse", BeforeTool, "const { toolName } = input", "toolName", "tool_name"),
        (Dialect::Codex, "PostToolUse", AfterTool, "jq .tool_output", "tool_output", "tool_response"),
        (Dialect::ClaudeCode, "Stop", AfterAgent, "jq -r .prompt_response", "prompt_response", "last_assistant_message"),
    ];

    /// CM-3, FD-10: a field that has another name in the hook's own dialect is found, with what is
    /// there instead.
    #[test]
    fn fields_of_another_dialect_are_found() {
        for (dialect, event, ours, text, word, given) in IN_VAIN {
            let (found, instead) =
                absent(dialect, event, ours, text).unwrap_or_else(|| panic!("{event}: {text}"));
            assert_eq!(found, word, "{event}: {text}");
            assert!(instead.contains(&given), "{event}: {instead:?}");
        }
    }

    /// CM-3: nothing is reported about a script that reads what is there, or that checks which
    /// event it is.
    #[test]
    fn scripts_that_read_what_is_there_are_left_alone() {
        let right = [
            (
                Dialect::Cursor,
                "beforeShellExecution",
                BeforeTool,
                "jq -r '.command // .tool_input.command'",
            ),
            (
                Dialect::Cursor,
                "beforeShellExecution",
                BeforeTool,
                "c = d.get('command') or d['tool_input']['command']",
            ),
            (
                Dialect::Cursor,
                "preToolUse",
                BeforeTool,
                "jq -r .tool_input.command",
            ),
            (
                Dialect::Cursor,
                "beforeMCPExecution",
                BeforeTool,
                "jq -r .tool_input",
            ),
            (
                Dialect::Copilot,
                "preToolUse",
                BeforeTool,
                "jq -r '.toolArgs // .tool_input'",
            ),
            (
                Dialect::Copilot,
                "PreToolUse",
                BeforeTool,
                "jq -r .tool_input.command",
            ),
            (
                Dialect::ClaudeCode,
                "PreToolUse",
                BeforeTool,
                "jq -r .tool_input.command",
            ),
            (
                Dialect::ClaudeCode,
                "PreToolUse",
                BeforeTool,
                "# toolArgs is what others say\njq -r .tool_input",
            ),
            (
                Dialect::ClaudeCode,
                "PostToolUse",
                AfterTool,
                "jq -r '.tool_response.filePath'",
            ),
            (
                Dialect::Cursor,
                "stop",
                EventName::AfterAgent,
                "if d['hook_event_name'] == 'x': d['tool_input']",
            ),
            (Dialect::Hookloop, "BeforeTool", BeforeTool, "jq .toolArgs"),
        ];
        for (dialect, event, ours, text) in right {
            assert_eq!(absent(dialect, event, ours, text), None, "{event}: {text}");
        }
    }
}
