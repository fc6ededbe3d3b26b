mod laws;
mod matchers;
mod others;

use std::path::Path;

use serde_json::json;

use super::*;
use MigrationResult::{AlreadyThere, Approximated, Converted, NotPossible};

fn claude(text: &str) -> Migration {
    let path = Path::new(".claude/settings.json");
    migrate(
        Agent::ClaudeCode,
        Manner::InDialect,
        &[SourceText {
            path,
            text,
            runs_in: None,
        }],
    )
}

/// Migrates one group of an event.
fn group_of(event: &str, group: &Value) -> Migration {
    claude(&json!({"hooks": {event: [group]}}).to_string())
}

/// Migrates one hook of `PreToolUse` with these fields besides a type and a command.
fn with_fields(fields: &Value) -> Item {
    let mut hook = json!({"type": "command", "command": "c"});
    for (key, value) in fields.as_object().unwrap() {
        hook[key] = value.clone();
    }
    only(group_of("PreToolUse", &json!({"hooks": [hook]})))
}

fn only(migration: Migration) -> Item {
    let [item] = <[Item; 1]>::try_from(migration.items).unwrap();
    item
}

fn results(migration: &Migration) -> Vec<MigrationResult> {
    migration.items.iter().map(|item| item.result).collect()
}

fn explanation(item: &Item) -> &str {
    item.message.as_deref().unwrap_or_default()
}

/// The hooks as they would be written, without where they came from.
fn hooks_of(migration: &Migration) -> Value {
    let mut hooks = Value::Object(migration.hooks());
    for groups in hooks.as_object_mut().unwrap().values_mut() {
        for group in groups.as_array_mut().unwrap() {
            for hook in group["hooks"].as_array_mut().unwrap() {
                assert!(hook.as_object_mut().unwrap().remove("from").is_some());
            }
        }
    }
    hooks
}

/// CM-7: every event becomes the one of the specification.
#[test]
fn events_are_mapped() {
    let cases = [
        ("PreToolUse", EventName::BeforeTool, Converted),
        ("PostToolUse", EventName::AfterTool, Converted),
        ("PostToolUseFailure", EventName::AfterTool, Converted),
        ("UserPromptSubmit", EventName::BeforeAgent, Converted),
        ("Stop", EventName::AfterAgent, Converted),
        ("SubagentStop", EventName::AfterAgent, Converted),
        ("PreCompact", EventName::PreCompress, Converted),
        ("SessionStart", EventName::SessionStart, Converted),
        ("SessionEnd", EventName::SessionEnd, Converted),
        ("Notification", EventName::Notification, Converted),
    ];
    for (theirs, ours, result) in cases {
        let group = json!({"hooks": [{"type": "command", "command": "c"}]});
        let migration = group_of(theirs, &group);
        let mut hook = json!({"type": "command", "command": "c", "dialect": "claude-code"});
        let parts = ["PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop"];
        if parts.contains(&theirs) {
            hook["dialectEvent"] = json!(theirs);
        }
        let hooks = json!({ours.as_str(): [{"hooks": [hook]}]});
        assert_eq!(hooks_of(&migration), hooks, "{theirs}");
        let item = only(migration);
        assert_eq!(
            (item.result, item.event_to),
            (result, Some(ours)),
            "{theirs}"
        );
        assert_eq!(item.event_from.as_deref(), Some(theirs));
    }
}

/// CM-7: hooks of events without counterpart are named, with the reason.
#[test]
fn events_without_counterpart_are_named() {
    for theirs in [
        "PermissionDenied",
        "PostCompact",
        "pretooluse",
        "SubAgentStop",
        "",
    ] {
        let group = json!({"hooks": [{"type": "command", "command": "c"}]});
        let migration = group_of(theirs, &group);
        assert!(migration.hooks().is_empty());
        let item = only(migration);
        assert_eq!(item.result, NotPossible, "{theirs}");
        assert_eq!(item.event_to, None);
        assert!(!explanation(&item).is_empty(), "{theirs}");
    }
}

/// CM-7: two events of theirs that become one of ours keep all their hooks.
#[test]
fn events_that_meet_lose_no_hook() {
    let text = r#"{"hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "a"}]}],
        "SubagentStop": [{"hooks": [
            {"type": "command", "command": "b"}, {"type": "command", "command": "b"}]}]}}"#;
    let migration = claude(text);
    assert_eq!(results(&migration), [Converted, Converted, AlreadyThere]);
    assert_eq!(
        hooks_of(&migration),
        json!({"AfterAgent": [{"hooks": [
            {"type": "command", "command": "a", "dialect": "claude-code", "dialectEvent": "Stop"},
            {"type": "command", "command": "b", "dialect": "claude-code",
                "dialectEvent": "SubagentStop"}]}]})
    );
    assert!(explanation(&migration.items[2]).contains("settings.json:4"));
}

/// CM-7: both files are read, and every item names file, line and column.
#[test]
fn every_item_has_its_place() {
    let text = "\u{feff}{ // mine\n  \"hooks\": {\"Stop\": [{\"hooks\": [\n    /* é */ {\"type\": \"command\", \"command\": \"a\"},\n  ]}]}}";
    let local = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "b"}]}]}}"#;
    let files = [("settings.json", text), ("settings.local.json", local)];
    let files = files.map(|(path, text)| SourceText {
        path: Path::new(path),
        text,
        runs_in: None,
    });
    let migration = migrate(Agent::ClaudeCode, Manner::InDialect, &files);
    let places: Vec<_> = migration
        .items
        .iter()
        .map(|item| {
            (
                item.source.path.to_str().unwrap(),
                item.source.line,
                item.source.column,
            )
        })
        .collect();
    assert_eq!(
        places,
        [("settings.json", 3, 13), ("settings.local.json", 1, 32)]
    );
}

/// CM-7: what can't be read is named, and the rest is migrated.
#[test]
fn what_cannot_be_read_is_named() {
    for (text, line) in [
        ("{\n\"hooks\": ", 2),
        ("[]", 1),
        ("{\n\"hooks\": []}", 2),
        ("{\"hooks\": {\n\"Stop\": {}}}", 2),
        ("{\"hooks\": {\"Stop\": [\n7]}}", 2),
        ("{\"hooks\": {\"Stop\": [\n{\"matcher\": \"x\"}]}}", 2),
        ("{\"hooks\": {\"Stop\": [{\"hooks\": [\n\"echo\"]}]}}", 2),
        (
            "{\"hooks\": {\"Stop\": [{\"matcher\": 1, \"hooks\": [\n{\"type\": \"command\", \"command\": \"x\"}]}]}}",
            2,
        ),
    ] {
        let item = only(claude(text));
        assert_eq!(item.result, NotPossible, "{text}");
        assert_eq!(item.source.line, line, "{text}");
        assert!(!explanation(&item).is_empty(), "{text}");
    }
    assert!(claude("").items.is_empty());
    assert!(claude("{}").items.is_empty());
}

/// CM-7: seconds become milliseconds.
#[test]
fn seconds_become_milliseconds() {
    for (seconds, milliseconds) in [
        (json!(60), 60_000),
        (json!(0.5), 500),
        (json!(1.5e1), 15_000),
    ] {
        let item = with_fields(&json!({"timeout": seconds}));
        assert_eq!(item.result, Converted);
        assert_eq!(item.addition.unwrap().hook["timeout"], json!(milliseconds));
    }
    for wrong in [json!(0), json!(-1), json!("60"), json!(1e12)] {
        let item = with_fields(&json!({"timeout": wrong}));
        assert_eq!(item.result, Approximated, "{wrong}");
        assert!(!item.addition.unwrap().hook.contains_key("timeout"));
    }
}

/// FD-4: a command stays as it is in its dialect; rewritten it has our name of the project's
/// folder.
#[test]
fn a_command_is_rewritten_only_on_request() {
    let command = "\"$CLAUDE_PROJECT_DIR\"/.claude/x ${CLAUDE_PROJECT_DIR}";
    let item = with_fields(&json!({"command": command}));
    assert_eq!(item.command.as_deref(), Some(command));
    assert_eq!(item.addition.unwrap().hook["command"], command);
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command",
        "command": command}]}]}})
    .to_string();
    let files = [SourceText {
        path: Path::new("settings.json"),
        text: &text,
        runs_in: None,
    }];
    let item = only(migrate(Agent::ClaudeCode, Manner::Rewritten, &files));
    assert_eq!(item.result, MigrationResult::WillNotWork);
    let hook = item.addition.unwrap().hook;
    assert_eq!(hook.get("dialect"), None);
    assert_eq!(
        hook["command"],
        "\"$GEMINI_PROJECT_DIR\"/.claude/x ${GEMINI_PROJECT_DIR}"
    );
}

/// CM-7: what has no counterpart makes a hook approximated, with the reason, unless it is off.
#[test]
fn what_is_dropped_is_said() {
    for (fields, word) in [
        (json!({"if": "Bash(git *)"}), "Bash(git *)"),
        (json!({"async": true}), "async"),
        (json!({"asyncRewake": true}), "asyncRewake"),
        (json!({"once": true}), "once"),
        (json!({"shell": "powershell"}), "shell"),
        (json!({"headers": {}}), "headers"),
        (
            json!({"command": "${CLAUDE_PLUGIN_ROOT}/x"}),
            "CLAUDE_PLUGIN_ROOT",
        ),
    ] {
        let item = with_fields(&fields);
        assert_eq!(item.result, Approximated, "{fields}");
        assert!(
            explanation(&item).contains(word),
            "{fields}: {}",
            explanation(&item)
        );
        assert!(item.addition.is_some());
    }
    for harmless in [
        json!({"async": false}),
        json!({"once": false}),
        json!({"shell": "bash"}),
        json!({"if": null}),
        json!({"statusMessage": "Checking"}),
        json!({"command": "echo '{\"permissionDecision\":\"deny\"}'"}),
    ] {
        assert_eq!(with_fields(&harmless).result, Converted, "{harmless}");
    }
}

/// CM-7: other types of hooks, and hooks that couldn't run, are left out with the reason.
#[test]
fn other_types_are_left_out() {
    for fields in [
        json!({"type": "agent"}),
        json!({"type": "Command"}),
        json!({"type": 1}),
        json!({"command": null}),
        json!({"command": ""}),
        json!({"command": ["x"]}),
        json!({"args": "x"}),
    ] {
        let item = with_fields(&fields);
        assert_eq!(item.result, NotPossible, "{fields}");
        assert!(
            item.addition.is_none() && !explanation(&item).is_empty(),
            "{fields}"
        );
    }
    let untyped = group_of("Stop", &json!({"hooks": [{"command": "c"}]}));
    assert_eq!(only(untyped).result, Approximated);
}

/// FD-24: types of hooks that also exist here are taken over with their fields.
#[test]
fn other_types_that_there_are_here_are_kept() {
    for fields in [
        json!({"type": "http", "url": "https://x"}),
        json!({"type": "prompt", "prompt": "p"}),
        json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
    ] {
        let item = with_fields(&fields);
        assert_eq!(item.result, Converted, "{fields}");
        let hook = Value::Object(item.addition.unwrap().hook);
        for (name, value) in fields.as_object().unwrap() {
            assert_eq!(hook[name], *value, "{fields}");
        }
        assert_eq!(hook["dialect"], "claude-code");
    }
}

/// CM-7: a program with arguments becomes one command, quoted.
#[test]
fn arguments_become_part_of_the_command() {
    let fields = json!({"command": "${CLAUDE_PROJECT_DIR}/a b", "args": ["-x", "it's"]});
    let item = with_fields(&fields);
    assert_eq!(item.result, Approximated);
    assert_eq!(
        item.addition.unwrap().hook["command"],
        "\"${CLAUDE_PROJECT_DIR}/a b\" -x \"it's\""
    );
}

/// CM-7: a switch that turns all hooks off is never converted, and turns nothing off here.
#[test]
fn disabling_all_hooks_is_not_possible() {
    let text = r#"{"disableAllHooks": true,
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let migration = claude(text);
    assert_eq!(results(&migration), [NotPossible, Converted]);
    assert!(explanation(&migration.items[0]).contains("disableAllHooks"));
    assert!(claude(r#"{"disableAllHooks": false}"#).items.is_empty());
}

/// FD-4: a hook keeps its dialect, and it is reported that another reader of the file ignores it.
#[test]
fn a_hook_keeps_its_dialect() {
    let item = with_fields(&json!({}));
    assert!(
        explanation(&item).contains("Gemini CLI ignores"),
        "{}",
        explanation(&item)
    );
    assert_eq!(item.addition.unwrap().hook["dialect"], "claude-code");
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "c"}]}]}}"#;
    let files = [SourceText {
        path: Path::new("hooks.json"),
        text,
        runs_in: None,
    }];
    let item = only(migrate(Agent::Codex, Manner::InDialect, &files));
    assert_eq!(item.addition.unwrap().hook["dialect"], "codex");
}

/// CM-7: what is in the target isn't added again, even if a person has changed it since.
#[test]
fn migrating_twice_gives_the_same_as_once() {
    let text = r#"{"hooks": {
        "PreToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "a"}]},
            {"matcher": "*", "hooks": [{"type": "command", "command": "b", "timeout": 1}]}],
        "SubagentStop": [{"hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let mut migration = claude(text);
    let mut present = migration.hooks();
    migration.leave_out_present(&Map::new());
    assert_eq!(migration.additions().count(), 3);
    present["BeforeTool"][1]["hooks"][0]["timeout"] = json!(9);
    present["BeforeTool"][1]["matcher"] = json!("");
    migration.leave_out_present(&present);
    assert_eq!(results(&migration), [AlreadyThere; 3]);
    assert!(migration.hooks().is_empty());
    let mut again = claude(text);
    present.remove("AfterAgent");
    again.leave_out_present(&present);
    assert_eq!(results(&again), [AlreadyThere, AlreadyThere, Converted]);
}

/// FD-14: the variables that a file of Claude Code or Qwen Code sets are those of its hooks, unless
/// a hook sets the same one itself, where the file stays the one that is read; they are copied
/// nowhere, and what is taken over says so.
#[test]
fn variables_of_a_file_are_those_of_its_hooks() {
    let text = json!({
        "env": {"POLICY": "strict", "LEVEL": 2, "ON": true, "NESTED": {}},
        "hooks": {"PreToolUse": [{"hooks": [
            {"type": "command", "command": "a"},
            {"type": "command", "command": "b", "env": {"OWN": "1", "LEVEL": "3"}},
            {"type": "http", "url": "https://example.com"},
        ]}]},
    })
    .to_string();
    let read = |agent, manner, file: &str| {
        let path = Path::new(file);
        let source = SourceText {
            path,
            text: &text,
            runs_in: None,
        };
        migrate(agent, manner, &[source])
    };
    for (agent, file) in [
        (Agent::ClaudeCode, ".claude/settings.json"),
        (Agent::Qwen, ".qwen/settings.json"),
    ] {
        let migration = read(agent, Manner::InPlace, file);
        let environments: Vec<Option<&Value>> =
            migration.additions().map(|it| it.hook.get("env")).collect();
        let file_alone = json!({"POLICY": "strict", "LEVEL": "2", "ON": "true"});
        let both = json!({"OWN": "1", "POLICY": "strict", "LEVEL": "3", "ON": "true"});
        assert_eq!(environments, [Some(&file_alone), Some(&both), None]);
        let migration = read(agent, Manner::InDialect, file);
        let none = json!({"OWN": "1", "LEVEL": "3"});
        let environments: Vec<Option<&Value>> =
            migration.additions().map(|it| it.hook.get("env")).collect();
        assert_eq!(environments, [None, Some(&none), None]);
        let told: Vec<&str> = migration.items.iter().map(explanation).collect();
        assert!(
            told.iter().any(|it| it.contains("POLICY, LEVEL")),
            "{told:?}"
        );
        assert!(told.iter().all(|it| !it.contains("strict")), "{told:?}");
    }
}
