use super::*;

fn found(text: &str) -> Vec<(&'static str, u32)> {
    let words = foreign_words(EventName::BeforeTool, text);
    words.into_iter().map(|it| (it.word, it.line)).collect()
}

/// CM-3: words of other agents are found where a script means them, with their line.
#[test]
fn words_of_others_are_found() {
    for (text, expected) in [
        (
            "import json\nif call['hook_event_name'] == 'PreToolUse' and call['tool_name'] == 'Write':",
            &[("PreToolUse", 2), ("Write", 2)][..],
        ),
        (
            "case $(jq -r .tool_name) in\n  Bash) exit 2;;\nesac",
            &[("Bash", 2)],
        ),
        (
            "tool=$(cat)\ncase $tool in\n  Write)\n exit 2;;\nesac",
            &[("Write", 3)],
        ),
        (
            "[[ $tool =~ ^(Edit|Write)$ ]] && exit 2",
            &[("Edit", 1), ("Write", 1)],
        ),
        ("[ \"$TOOL\" = Bash ] && exit 2", &[("Bash", 1)]),
        ("[ \"$TOOL\" == \"Bash\" ] && exit 2", &[("Bash", 1)]),
        (
            "TOOLS = {\"Edit\", \"MultiEdit\"}",
            &[("Edit", 1), ("MultiEdit", 1)],
        ),
        (
            "if (input.tool_name !== 'Bash') process.exit(0)",
            &[("Bash", 1)],
        ),
        (
            "if grep -q beforeShellExecution; then exit 2; fi",
            &[("beforeShellExecution", 1)],
        ),
        ("tool=$(jq -r '.toolName')", &[("toolName", 1)]),
        (
            "const { toolName, toolArgs } = JSON.parse(text)",
            &[("toolName", 1), ("toolArgs", 1)],
        ),
        ("data.get(\"toolArgs\")", &[("toolArgs", 1)]),
        (
            "echo '{\"followup_message\": \"go on\"}'",
            &[("followup_message", 1)],
        ),
        (
            "echo \"{\\\"permission\\\": \\\"deny\\\"}\"",
            &[("permission", 1)],
        ),
        (
            "print(json.dumps({'permission': 'deny'}))",
            &[("permission", 1)],
        ),
        (
            "console.log(JSON.stringify({permission: 'deny'}))",
            &[("permission", 1)],
        ),
        ("jq -n '{permission: \"deny\"}'", &[("permission", 1)]),
        ("command=$(jq -r '.command // empty')", &[("command", 1)]),
        ("cmd = data.get('command', '')", &[("command", 1)]),
        (
            "source \"${CLAUDE_PLUGIN_ROOT}/lib.sh\"",
            &[("CLAUDE_PLUGIN_ROOT", 1)],
        ),
        (
            "os.environ['CLAUDE_TOOL_INPUT']",
            &[("CLAUDE_TOOL_INPUT", 1)],
        ),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

/// CM-3, OUT-7, IO-23: words that are understood here, that are in comments or in prose, or beside
/// ours, don't count.
#[test]
fn words_that_are_understood_are_none() {
    for text in [
        "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\"}}'",
        "print(json.dumps({'hookSpecificOutput': {'permissionDecisionReason': 'x', 'updatedInput': {}}}))",
        "# Claude Code calls it PreToolUse, and the tool Bash",
        "\"\"\"Guards the tool Bash.\nUsed as 'PreToolUse'.\n\"\"\"\npass",
        "// for 'PreToolUse' of the tool 'Bash'",
        "case $event in PreToolUse|BeforeTool) exit 2;; esac",
        "if tool in ('Bash', 'run_shell_command'): deny()",
        "const toolName = input.tool_name; log(ctx.toolName)",
        "echo \"no tool may write: permission denied\" >&2",
        "echo \"Bash is not a tool for this\" >&2",
        "jq -r '.tool_input.command'",
        "cmd = call['tool_input'].get('command', '')",
        "#!/usr/bin/env bash\nexec /bin/bash -c \"$tool\"",
        "#!/usr/bin/env Bash\ntool=x",
        "open(path, 'Read')",
        "root=\"${CLAUDE_PLUGIN_ROOT:-$GEMINI_PROJECT_DIR}\"",
        "if [ -n \"$CLAUDE_ENV_FILE\" ]; then echo x; fi",
        "root = os.environ.get(\"CLAUDE_PLUGIN_ROOT\", \".\")",
        "cd \"$CLAUDE_PROJECT_DIR\"",
        "echo '{\"decision\": \"block\", \"reason\": \"no\"}'",
        "echo '{\"decision\": \"deny\", \"permission\": \"deny\"}'",
        "grep -rn 'permission:' docs",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

/// CM-3: each word says what would be right, and in which dialect it is understood.
#[test]
fn each_word_says_what_would_be_right() {
    let words = foreign_words(EventName::BeforeTool, "x\ntool=$(jq -r '.toolName')\n");
    let [word] = &words[..] else {
        panic!("{words:?}");
    };
    assert_eq!(
        (word.agent, word.right.as_str()),
        ("Copilot", "\"tool_name\"")
    );
    assert_eq!(word.dialect, Some(Dialect::Copilot));
    assert_eq!((word.line, word.column), (2, 16));
}

/// OUT-6: the name of another event in `hookEventName` isn't understood.
#[test]
fn the_name_of_another_event_is_foreign() {
    let text = "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PostToolUse\"}}'";
    assert_eq!(found(text), [("PostToolUse", 1)]);
    assert_eq!(foreign_words(EventName::AfterTool, text), []);
}
