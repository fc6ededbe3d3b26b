//! Codex and Cursor.

use super::*;

fn codex(path: &str, text: &str) -> Migration {
    let path = Path::new(path);
    migrate_codex(&[SourceText { path, text }])
}

fn cursor(hooks: &Value) -> Migration {
    let text = json!({"version": 1, "hooks": hooks}).to_string();
    let path = Path::new(".cursor/hooks.json");
    migrate_cursor(&[SourceText { path, text: &text }])
}

/// CM-7: Codex's hooks are the same in JSON and in TOML, places included.
#[test]
fn codex_is_read_from_both_files() {
    let json = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash",
        "hooks": [{"type": "command", "command": "a", "timeout": 5}]}]}}"#;
    let toml = "model = \"x\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\
        [[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"a\"\ntimeout = 5\n\
        [hooks.state]\nx = 1\n";
    let from_json = codex("hooks.json", json);
    let from_toml = codex("config.toml", toml);
    let expected = json!({"BeforeTool": [{"matcher": "^run_shell_command$",
        "hooks": [{"type": "command", "command": "a", "timeout": 5000}]}]});
    assert_eq!(Value::Object(from_json.hooks()), expected);
    assert_eq!(Value::Object(from_toml.hooks()), expected);
    assert_eq!(only(from_toml).source.line, 4);
    assert_eq!(results(&codex("config.toml", "a = ")), [NotPossible]);
    assert_eq!(
        results(&codex("config.toml", "notify = [\"x\"]")),
        [NotPossible]
    );
}

/// CM-7: Codex's one tool for edits is two here, with other arguments.
#[test]
fn codex_edits_are_approximated() {
    let text = r#"{"hooks": {"PostToolUse": [{"matcher": "apply_patch",
        "hooks": [{"type": "command", "command": "a"}]}]}}"#;
    let item = only(codex("hooks.json", text));
    assert_eq!(item.matcher_to.as_deref(), Some("^(?:write_file|replace)$"));
    assert_eq!(item.result, Approximated);
    let comma = text.replace("apply_patch", "Edit, Write");
    assert_eq!(only(codex("hooks.json", &comma)).result, NotPossible);
}

/// CM-7: Cursor's general events are converted, those for one kind of tool approximated.
#[test]
fn cursor_events_are_mapped() {
    let hook = json!({"command": "c"});
    for (theirs, ours, matcher, result) in [
        ("preToolUse", "BeforeTool", None, Converted),
        ("postToolUse", "AfterTool", None, Converted),
        (
            "beforeShellExecution",
            "BeforeTool",
            Some("^run_shell_command$"),
            Approximated,
        ),
        (
            "beforeMCPExecution",
            "BeforeTool",
            Some("^mcp__"),
            Approximated,
        ),
        (
            "afterFileEdit",
            "AfterTool",
            Some("^(?:write_file|replace)$"),
            Approximated,
        ),
        ("beforeSubmitPrompt", "BeforeAgent", None, Converted),
        ("stop", "AfterAgent", None, Converted),
        ("preCompact", "PreCompress", None, Converted),
        ("sessionStart", "SessionStart", None, Converted),
    ] {
        let item = only(cursor(&json!({theirs: [hook]})));
        assert_eq!(item.event_to.map(EventName::as_str), Some(ours), "{theirs}");
        assert_eq!(item.matcher_to.as_deref(), matcher, "{theirs}");
        assert_eq!(item.result, result, "{theirs}: {}", said(&item));
    }
    let lost = only(cursor(&json!({"workspaceOpen": [hook]})));
    assert_eq!(lost.result, NotPossible);
}

/// CM-7, IO-21: Cursor's fail-closed hooks stay so; its matchers are patterns.
#[test]
fn cursor_hooks_keep_their_meaning() {
    let hook = json!({"command": "c", "matcher": "Shell|Write", "failClosed": true, "timeout": 2});
    let item = only(cursor(&json!({"preToolUse": [hook]})));
    assert_eq!(
        item.matcher_to.as_deref(),
        Some("run_shell_command|(?:write_file|replace)")
    );
    assert_eq!(
        Value::Object(item.addition.unwrap().hook),
        json!({"type": "command", "command": "c", "onFailure": "deny", "timeout": 2000})
    );
    let shell = json!({"command": "c", "matcher": "rm -rf"});
    let item = only(cursor(&json!({"beforeShellExecution": [shell]})));
    assert!(said(&item).contains("text of the command"));
    let looping = json!({"command": "c", "loop_limit": 3});
    assert_eq!(
        only(cursor(&json!({"stop": [looping]}))).result,
        Approximated
    );
    let prompt = json!({"type": "prompt", "prompt": "p"});
    assert_eq!(only(cursor(&json!({"stop": [prompt]}))).result, NotPossible);
}

/// CM-7: Cursor's MCP tools go by other names.
#[test]
fn cursor_mcp_tools_are_not_lost() {
    let hook = json!({"command": "c", "matcher": "MCP:search"});
    let item = only(cursor(&json!({"preToolUse": [hook]})));
    assert_eq!(item.matcher_to.as_deref(), Some("mcp__.*__search"));
    assert_eq!(item.result, Approximated);
}
