mod measured;
mod obeyed;
mod others;

use hookloop_events::{Event, EventName, Reply};
use hookloop_hook::Dialect;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{exact_words, foreign_payload, foreign_tool_names, tables, translate_output};
use crate::foreign::tools::to_our_arguments;
use crate::foreign::{HookDialect, HookOutput, TranslatedOutput};
use crate::modernise;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} is an object"),
    }
}

fn call(event: &str, tool: &str, input: &Value) -> Map<String, Value> {
    object(
        json!({"session_id": "s", "transcript_path": "/t.json", "cwd": "/home/me/app",
        "hook_event_name": event, "timestamp": "2026-01-01T00:00:00.000Z",
        "tool_name": tool, "tool_input": input, "tool_call_id": "c1"}),
    )
}

fn hook_dialect(dialect: Dialect) -> HookDialect<'static> {
    HookDialect {
        dialect,
        event: None,
        condition: None,
    }
}

fn theirs(ours: &Map<String, Value>) -> Value {
    Value::Object(foreign_payload(hook_dialect(Dialect::ClaudeCode), ours).expect("it is spoken"))
}

/// FD-10: a tool call is in the payload as Claude Code writes it.
#[test]
fn a_call_is_written_in_their_words() {
    for (tool, input, name, expected) in [
        (
            "run_shell_command",
            json!({"command": "git push", "is_background": true}),
            "Bash",
            json!({"command": "git push", "run_in_background": true}),
        ),
        (
            "write_file",
            json!({"file_path": "src/../a.txt", "content": "x"}),
            "Write",
            json!({"file_path": "/home/me/app/a.txt", "content": "x"}),
        ),
        (
            "replace",
            json!({"file_path": "/a", "old_string": "o", "new_string": "n"}),
            "Edit",
            json!({"file_path": "/a", "old_string": "o", "new_string": "n", "replace_all": false}),
        ),
        (
            "replace",
            json!({"file_path": "/a", "old_string": "o", "new_string": "n", "allow_multiple": true}),
            "Edit",
            json!({"file_path": "/a", "old_string": "o", "new_string": "n", "replace_all": true}),
        ),
        (
            "read_file",
            json!({"file_path": "a", "offset": 4, "limit": 2}),
            "Read",
            json!({"file_path": "/home/me/app/a", "offset": 5, "limit": 2}),
        ),
        (
            "read_file",
            json!({"file_path": "a", "start_line": 5, "end_line": 6}),
            "Read",
            json!({"file_path": "/home/me/app/a", "offset": 5, "limit": 2}),
        ),
        (
            "read_many_files",
            json!({"include": ["a", ".env"]}),
            "Read",
            json!({"file_path": "/home/me/app/a\n/home/me/app/.env"}),
        ),
        (
            "delegate_to_agent",
            json!({"agent_name": "helper", "objective": "do"}),
            "Agent",
            json!({"subagent_type": "helper", "prompt": "do"}),
        ),
        (
            "mcp__fs__read",
            json!({"p": 1}),
            "mcp__fs__read",
            json!({"p": 1}),
        ),
    ] {
        let payload = theirs(&call("BeforeTool", tool, &input));
        assert_eq!(payload["hook_event_name"], "PreToolUse");
        assert_eq!(payload["tool_name"], name);
        assert_eq!(payload["tool_input"], expected, "{tool}");
        assert_eq!(payload["tool_use_id"], "c1");
        assert_eq!(payload.get("timestamp"), None, "no source there");
    }
}

/// FD-11: a result is one of two events, by how the call ended, in the shape of their tool.
#[test]
fn a_result_is_written_in_their_shape() {
    let mut ran = call("AfterTool", "run_shell_command", &json!({"command": "ls"}));
    let report = "Command: ls\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 0";
    ran.insert(
        "tool_response".into(),
        json!({"llmContent": report, "returnDisplay": ""}),
    );
    let payload = theirs(&ran);
    assert_eq!(payload["hook_event_name"], "PostToolUse");
    assert_eq!(payload["tool_response"]["stdout"], "a\nb");
    ran.insert(
        "tool_response".into(),
        json!({"error": {"message": "no such file"}}),
    );
    let payload = theirs(&ran);
    assert_eq!(payload["hook_event_name"], "PostToolUseFailure");
    assert_eq!(payload["error"], "no such file");
    assert_eq!(payload.get("tool_response"), None);
}

/// FD-10, FD-11: the other events have their names and fields.
#[test]
fn other_events_have_their_fields() {
    for (ours, expected) in [
        (
            json!({"hook_event_name": "BeforeAgent", "prompt": "p"}),
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "p"}),
        ),
        (
            json!({"hook_event_name": "AfterAgent", "prompt": "p", "prompt_response": "r",
                "stop_hook_active": true}),
            json!({"hook_event_name": "Stop", "last_assistant_message": "r",
                "stop_hook_active": true, "session_crons": []}),
        ),
        (
            json!({"hook_event_name": "AfterAgent", "agent_id": "a", "agent_name": "n",
                "prompt_response": "r", "stop_hook_active": false}),
            json!({"hook_event_name": "SubagentStop", "agent_id": "a", "agent_type": "n",
                "last_assistant_message": "r", "stop_hook_active": false, "session_crons": []}),
        ),
        (
            json!({"hook_event_name": "SessionEnd", "reason": "exit"}),
            json!({"hook_event_name": "SessionEnd", "reason": "other"}),
        ),
        (
            json!({"hook_event_name": "PreCompress", "trigger": "auto"}),
            json!({"hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": null}),
        ),
    ] {
        assert_eq!(theirs(&object(ours)), expected);
    }
}

fn hears_on(event: EventName, exit: i32, stdout: &str, stderr: &str) -> Option<Value> {
    let translation = heard_in(Dialect::ClaudeCode, event, exit, stdout, stderr)?;
    Some(serde_json::from_str(&translation.stdout).expect("a reply is JSON"))
}

/// Translates what a hook of a dialect has said about a call; nothing if it is read as it is.
fn heard_in(
    dialect: Dialect,
    event: EventName,
    exit: i32,
    stdout: &str,
    stderr: &str,
) -> Option<TranslatedOutput> {
    let payload = call(
        event.as_str(),
        "run_shell_command",
        &json!({"command": "ls"}),
    );
    let hook_output = HookOutput {
        event,
        payload: &payload,
        exit: Some(exit),
        stdout,
        stderr,
        loop_limit: None,
    };
    translate_output(hook_dialect(dialect), &hook_output)
}

/// FD-20: what an answer means, by event.
#[test]
fn answers_mean_what_they_mean_there() {
    use EventName::{AfterAgent, AfterTool, BeforeAgent, BeforeTool, SessionStart};
    for (event, stdout, expected) in [
        (
            BeforeTool,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"#,
            json!({"hookSpecificOutput": {"permissionDecision": "ask"}}),
        ),
        (
            BeforeTool,
            r#"{"hookSpecificOutput":{"updatedInput":{"run_in_background":true}}}"#,
            json!({"hookSpecificOutput": {"tool_input": {"is_background": true}}}),
        ),
        (BeforeTool, "looked at it", json!({})),
        (
            AfterTool,
            r#"{"decision":"block","reason":"format it"}"#,
            json!({"hookSpecificOutput": {"additionalContext": "format it"}}),
        ),
        (
            AfterTool,
            r#"{"hookSpecificOutput":{"updatedToolOutput":{"stdout":"***"}}}"#,
            json!({"decision": "deny", "reason": "***"}),
        ),
        (
            BeforeAgent,
            "branch: main\n",
            json!({"hookSpecificOutput": {"additionalContext": "branch: main"}}),
        ),
        (
            SessionStart,
            "notes",
            json!({"hookSpecificOutput": {"additionalContext": "notes"}}),
        ),
        (
            AfterAgent,
            r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"go on"}}"#,
            json!({"decision": "deny", "reason": "go on"}),
        ),
    ] {
        assert_eq!(
            hears_on(event, 0, stdout, ""),
            Some(expected),
            "{event} {stdout}"
        );
    }
    let beside = hears_on(AfterTool, 2, "", "lint failed\n");
    assert_eq!(
        beside,
        Some(json!({"hookSpecificOutput": {"additionalContext": "lint failed"}}))
    );
    for (event, exit, stdout) in [
        (BeforeTool, 2, "no"),
        (BeforeTool, 1, ""),
        (BeforeTool, 0, ""),
        (BeforeTool, 0, "{\"decision\":\"block\""),
        (BeforeTool, 0, "log {\"decision\":\"block\"}"),
        (AfterAgent, 2, ""),
    ] {
        assert_eq!(
            hears_on(event, exit, stdout, ""),
            None,
            "{event} {exit} {stdout}"
        );
    }
}

/// FD-12: plain words are a list of exact names there; other matchers are patterns.
#[test]
fn matchers_are_lists_or_patterns() {
    let words = |matcher| exact_words(Dialect::ClaudeCode, matcher);
    assert_eq!(words("Edit|Write"), Some(vec!["Edit", "Write"]));
    assert_eq!(words("Edit, Write"), Some(vec!["Edit", "Write"]));
    assert_eq!(words("mcp__.*"), None);
    assert_eq!(exact_words(Dialect::Hookloop, "Edit"), None);
    assert_eq!(
        foreign_tool_names(Dialect::ClaudeCode, "replace"),
        ["Edit", "MultiEdit"]
    );
}

/// FD-20, FD-32: new arguments that repeat what a hook read leave the call as it was, in every
/// dialect and for every tool, paths made absolute.
#[test]
fn a_call_that_is_said_again_is_the_same_call() {
    for (tool, input) in [
        (
            "run_shell_command",
            json!({"command": "git push", "description": "d"}),
        ),
        (
            "write_file",
            json!({"file_path": "/home/me/app/a.txt", "content": "x\n"}),
        ),
        (
            "replace",
            json!({"file_path": "/a", "old_string": "o", "new_string": "n\n"}),
        ),
        ("read_file", json!({"file_path": "/a"})),
        ("glob", json!({"pattern": "*.rs"})),
        (
            "web_fetch",
            json!({"prompt": "Read https://example.com/a."}),
        ),
        (
            "write_todos",
            json!({"todos": [{"description": "d", "status": "pending"}]}),
        ),
        ("mcp__fs__read", json!({"p": 1})),
    ] {
        for dialect in Dialect::ALL
            .iter()
            .copied()
            .filter(|it| *it != Dialect::Hookloop)
        {
            let ours = call("BeforeTool", tool, &input);
            let payload = foreign_payload(hook_dialect(dialect), &ours).expect("it is spoken");
            let arguments = ["tool_input", "toolArgs"]
                .iter()
                .find_map(|it| payload.get(*it));
            let arguments = arguments.expect("it has arguments").clone();
            let reply = match dialect {
                Dialect::Cursor => json!({"permission": "allow", "updated_input": arguments}),
                Dialect::Copilot => json!({"modifiedArgs": arguments}),
                Dialect::GeminiCli => json!({"hookSpecificOutput": {"tool_input": arguments}}),
                _ => json!({"hookSpecificOutput": {"updatedInput": arguments}}),
            };
            let stdout = reply.to_string();
            let translation = translate_output(
                hook_dialect(dialect),
                &HookOutput {
                    event: EventName::BeforeTool,
                    payload: &ours,
                    exit: Some(0),
                    stdout: &stdout,
                    stderr: "",
                    loop_limit: None,
                },
            );
            let (text, removed) = match translation {
                Some(translation) => (translation.stdout, translation.removed),
                None => (stdout, Vec::new()),
            };
            let reply: Value = serde_json::from_str(&text).expect("it is JSON");
            let mut after = object(input.clone());
            after.retain(|name, _| !removed.contains(name));
            // A Codex patch that is equivalent isn't a rewrite.
            if let Some(new) = reply.pointer("/hookSpecificOutput/tool_input") {
                after.extend(object(new.clone()));
            }
            assert_eq!(Value::Object(after), input, "{dialect} {tool}");
        }
    }
}

/// Returns what a hook of a dialect has said, in our words, or as it is if that is how it is read.
fn said_in(
    dialect: Dialect,
    event: EventName,
    exit: i32,
    stdout: &str,
    stderr: &str,
) -> (i32, String) {
    match heard_in(dialect, event, exit, stdout, stderr) {
        Some(translation) => (translation.exit, translation.stdout),
        None => (exit, stdout.to_owned()),
    }
}

fn foreign_dialects() -> impl Iterator<Item = Dialect> {
    let all = Dialect::ALL.iter().copied();
    all.filter(|it| *it != Dialect::Hookloop)
}

/// FD-20, FD-21: exit code 2 after a tool ran affects nothing in the reply beside it: a stop stops,
/// a new output replaces the result, and the text is beside it.
#[test]
fn exit_2_after_a_tool_keeps_the_reply_beside_it() {
    use hookloop_events::refusal::Readable;
    let event = EventName::AfterTool;
    for dialect in foreign_dialects() {
        for stderr in ["", "bad\n"] {
            let stop = r#"{"continue":false,"stopReason":"STOP"}"#;
            let (exit, reply) = said_in(dialect, event, 2, stop, stderr);
            let refusal = Readable::of(event, &reply).refusal;
            assert!(
                refusal.is_some_and(|it| it.stops()),
                "{dialect} {exit} {reply}"
            );
            let output = r#"{"hookSpecificOutput":{"updatedToolOutput":"***"}}"#;
            let (exit, reply) = said_in(dialect, event, 2, output, stderr);
            if exit == 2 {
                // The reader withholds the result.
                continue;
            }
            let reply: Value = serde_json::from_str(&reply).unwrap();
            assert_eq!(reply["reason"], "***", "{dialect} {reply}");
            assert_eq!(reply["decision"], "deny", "{dialect} {reply}");
            let beside = reply["hookSpecificOutput"]["additionalContext"].as_str();
            assert_eq!(beside.unwrap_or_default(), stderr.trim(), "{dialect}");
        }
    }
}

/// FD-23, IO-22: new arguments that aren't an object are left for the reader, which reports what is
/// wrong with them; Copilot's, which may be a text, are read.
#[test]
fn arguments_of_a_wrong_type_are_not_dropped() {
    let event = EventName::BeforeTool;
    for (dialect, reply) in [
        (
            Dialect::ClaudeCode,
            json!({"hookSpecificOutput": {"updatedInput": "x"}}),
        ),
        (
            Dialect::ClaudeCode,
            json!({"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedInput": [1]}}}),
        ),
        (
            Dialect::Codex,
            json!({"hookSpecificOutput": {"updatedInput": 3}}),
        ),
        (
            Dialect::Qwen,
            json!({"hookSpecificOutput": {"updatedInput": true}}),
        ),
        (
            Dialect::Cursor,
            json!({"permission": "allow", "updated_input": "x"}),
        ),
        (Dialect::Copilot, json!({"modifiedArgs": "x"})),
    ] {
        let (exit, translated) = said_in(dialect, event, 0, &reply.to_string(), "");
        assert_eq!(exit, 0);
        let reply = Reply::read(
            event,
            modernise(event, object(serde_json::from_str(&translated).unwrap())),
        );
        let answer = hookloop_events::BeforeTool::decode(&reply.unwrap(), "hook");
        assert!(answer.is_err(), "{dialect} {translated}");
    }
    let text = json!({"modifiedArgs": r#"{"command":"true"}"#}).to_string();
    let (_, reply) = said_in(Dialect::Copilot, event, 0, &text, "");
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!(reply["hookSpecificOutput"]["tool_input"]["command"], "true");
}

/// The fields with which some agent answers, at the top and in `hookSpecificOutput`.
const ANSWERS: [(&str, &str); 17] = [
    ("decision", r#""block""#),
    ("decision", r#""deny""#),
    ("decision", r#""approve""#),
    ("decision", r#""allow""#),
    ("decision", r#"{"behavior":"allow"}"#),
    ("permission", r#""deny""#),
    ("permission", r#""ask""#),
    ("permission", r#""allow""#),
    ("permissionDecision", r#""deny""#),
    ("permissionDecision", r#""ask""#),
    ("permissionDecision", r#""allow""#),
    ("behavior", r#""deny""#),
    ("behavior", r#""allow""#),
    ("continue", "false"),
    ("continue", "true"),
    ("reason", r#""r""#),
    ("updatedInput", r#"{"command":"x"}"#),
];

proptest! {
    /// FD-21: whatever fields of whichever agent are in a reply, in whatever order and however
    /// often: if one of them refuses, stops or asks, the reply is at least as strict here, in every
    /// dialect.
    #[test]
    fn no_combination_of_fields_loses_a_refusal(
        top in prop::collection::vec(prop::sample::select(ANSWERS.to_vec()), 0..4),
        own in prop::collection::vec(prop::sample::select(ANSWERS.to_vec()), 0..3),
        more in prop::collection::vec(prop::sample::select(ANSWERS.to_vec()), 0..2),
        event in prop::sample::select(vec![
            EventName::BeforeTool, EventName::BeforeAgent, EventName::AfterAgent,
            EventName::BeforeModel, EventName::AfterTool,
        ]),
        exit in prop::sample::select(vec![0, 1, 3]),
    ) {
        use hookloop_events::refusal::{Force, Readable, Refusal, force_of};
        let written = |fields: &[(&str, &str)]| {
            let pairs: Vec<String> =
                fields.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            pairs.join(",")
        };
        let objects = [&own, &more].map(|it| format!("\"hookSpecificOutput\":{{{}}}", written(it)));
        let mut parts: Vec<String> = objects.into();
        parts.insert(1, written(&top));
        parts.retain(|it| !it.is_empty());
        let text = format!("{{{}}}", parts.join(","));
        let force = |fields: &[(&str, &str)]| {
            let weigh = |(key, value): &(&str, &str)| {
                force_of(key, &serde_json::from_str(value).expect("it is JSON"))
            };
            fields.iter().filter_map(weigh).max()
        };
        let is_data = event == EventName::AfterTool;
        let within = [&own, &more].map(|it| if is_data { None } else { force(it) });
        let wanted = within.into_iter().chain([force(&top)]).max().flatten();
        for dialect in foreign_dialects() {
            let (ended, reply) = said_in(dialect, event, exit, &text, "");
            let left = Readable::of(event, &reply).refusal;
            let stops = left.as_ref().is_some_and(Refusal::stops);
            let decision = left.as_ref().and_then(Refusal::decision);
            let left = match decision {
                _ if stops => Some(Force::Stop),
                _ if ended == 2 => Some(Force::Deny),
                Some(hookloop_events::Decision::Deny) => Some(Force::Deny),
                Some(hookloop_events::Decision::Ask) => Some(Force::Ask),
                _ => None,
            };
            let wanted = match (dialect, event, wanted) {
                // In these agents, it accompanies the result, as context for the model.
                (Dialect::ClaudeCode | Dialect::Qwen, EventName::AfterTool, Some(it))
                    if it < Force::Stop => None,
                // In Cursor, it drops the prompt, and ends nothing else.
                (Dialect::Cursor, EventName::BeforeAgent, Some(Force::Stop)) => Some(Force::Deny),
                (_, _, other) => other,
            };
            prop_assert!(left >= wanted, "{dialect} {event} {exit}: {text} became {ended} {reply}");
        }
    }

    /// FD-32: what a tool is asked to do survives the round trip.
    #[test]
    fn arguments_survive_the_round_trip(
        tool in 0_usize..14,
        text in "[a-z/.]{1,8}",
        line in 0_u32..1000,
    ) {
        let rule = &tables(Dialect::ClaudeCode).expect("spoken").tools[tool];
        prop_assume!(rule.ours != "read_many_files");
        let ours: Map<String, Value> = rule
            .arguments
            .iter()
            .filter(|argument| !matches!(argument.ours, "start_line" | "end_line"))
            .map(|argument| match argument.kind {
                crate::foreign::Kind::Line => (argument.ours.to_owned(), Value::from(line)),
                crate::foreign::Kind::Path => (argument.ours.to_owned(), Value::from("/home/me/app/x")),
                _ => (argument.ours.to_owned(), Value::from(text.as_str())),
            })
            .collect();
        let payload = theirs(&call("BeforeTool", rule.ours, &Value::Object(ours.clone())));
        let back = to_our_arguments(Some(rule), payload["tool_input"].as_object().expect("an object"));
        prop_assert_eq!(back, ours);
    }

    /// FD-21: no refusal of a hook before an action is lost in the translation, whatever is beside
    /// it.
    #[test]
    fn no_refusal_is_lost(
        refusal in prop::sample::select(vec![
            json!({"decision": "block"}), json!({"decision": "deny"}), json!({"continue": false}),
            json!({"permissionDecision": "deny"}), json!({"permissionDecision": "ask"}),
            json!({"permissionDecision": "defer"}),
        ]),
        within in any::<bool>(),
        rest in prop::sample::select(vec![
            json!({}), json!({"systemMessage": 5}), json!({"suppressOutput": true}),
            json!({"terminalSequence": "x"}),
        ]),
    ) {
        let is_own = refusal.get("permissionDecision").is_some();
        let mut fields = object(rest);
        if within && is_own {
            fields.insert("hookSpecificOutput".to_owned(), refusal);
        } else {
            fields.extend(object(refusal));
        }
        let text = Value::Object(fields).to_string();
        let defers = text.contains("defer");
        let reply = hears_on(EventName::BeforeTool, 0, &text, "").map_or(text, |it| it.to_string());
        let readable = hookloop_events::refusal::Readable::of(EventName::BeforeTool, &reply);
        prop_assert!(readable.refusal.is_some(), "{reply} {defers}");
    }

    /// FD-20: what is translated is a reply that its event understands.
    #[test]
    fn a_translated_reply_is_understood(context in "[a-z ]{0,10}") {
        let text = json!({"decision": "block", "reason": context}).to_string();
        let translation = hears_on(EventName::AfterTool, 0, &text, "").expect("it is translated");
        let reply = Reply::read(EventName::AfterTool, modernise(EventName::AfterTool, object(translation)));
        let answer = hookloop_events::AfterTool::decode(&reply.expect("a reply"), "hook");
        prop_assert!(answer.is_ok());
    }
}
