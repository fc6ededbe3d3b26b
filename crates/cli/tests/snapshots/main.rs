//! What people read: the text of the commands on terminals of 80 and of 40 columns.
//!
//! A snapshot that differs is a change of words: read it, and accept it with `INSTA_UPDATE=always`.

#![cfg(unix)]
#![cfg(test)]

mod terminal;

use std::path::Path;

use hookloop_testkit::Sandbox;
use serde_json::json;

use crate::terminal::printed_at;

/// A home with a guard, a logger and an extension, and a project with hooks that nobody trusts yet.
fn world() -> Sandbox {
    // The length of its paths decides where lines are broken.
    let sandbox = Sandbox::below(Path::new("/tmp"));
    sandbox.user_settings(
        &json!({
            "hooks": {
                "BeforeTool": [{
                    "matcher": "run_shell_command",
                    "hooks": [{
                        "type": "command",
                        "name": "no-deploy",
                        "description": "Refuses deployments",
                        "command": "grep -q deploy && { echo 'Deployments are made by the release job.' >&2; exit 2; }; true",
                        "onFailure": "deny",
                    }],
                }],
                "AfterTool": [{
                    "matcher": "write_file|replace",
                    "hooks": [{ "type": "command", "name": "log", "command": "cat >> \"$HOME/tools.log\"" }],
                }],
                "SessionStart": [{
                    "hooks": [{ "type": "command", "name": "greeting", "command": "echo '{\"systemMessage\": \"hello\"}'" }],
                }],
            },
            "hooksConfig": { "disabled": ["greeting"] },
        })
        .to_string(),
    );
    sandbox.project_settings(
        &json!({
            "hooks": {
                "BeforeTool": [{
                    "matcher": "write_file",
                    "hooks": [{
                        "type": "command",
                        "name": "licence",
                        "command": "$GEMINI_PROJECT_DIR/.gemini/hooks/licence.sh",
                        "timeout": "5s",
                    }],
                }],
            },
        })
        .to_string(),
    );
    sandbox.script(".gemini/hooks/licence.sh", "#!/bin/sh\ncat > /dev/null\n");
    sandbox.file(
        ".claude/settings.json",
        &json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [
            { "type": "command", "command": "true" }
        ] }] } })
        .to_string(),
    );
    sandbox
}

/// Compares what commands print at both widths, one snapshot for each command and width.
fn assert_printed(sandbox: &Sandbox, name: &str, arguments: &[&str]) {
    insta::with_settings!({
        prepend_module_to_snapshot => false,
        omit_expression => true,
        description => format!("hookloop {}", arguments.join(" ")),
        filters => [
            (r"/tmp/\.tmp\w{6}", "/tmp/[world]"),
            (r"\b\d+(\.\d+)? (ms|µs|s)\b", "[time]"),
            (r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b", "[id]"),
            (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?", "[when]"),
        ],
    }, {
        for columns in [80, 40] {
            let text = printed_at(columns, sandbox, arguments);
            insta::assert_snapshot!(format!("{name}-{columns}"), text);
        }
    });
}

/// CM-1, TU-4: what is configured, from where, and what doesn't run.
#[test]
fn what_is_configured() {
    let world = world();
    assert_printed(&world, "list", &["hooks", "list"]);
    assert_printed(&world, "check", &["hooks", "check"]);
    assert_printed(&world, "adopt-list", &["hooks", "adopt", "--list"]);
    assert_printed(&world, "extensions", &["extensions", "list"]);
    assert_printed(&world, "guards", &["guards", "list"]);
}

/// CM-4, CM-5, TU-4: why a hook runs or doesn't, and what it would say.
#[test]
fn what_would_run() {
    let world = world();
    let why = ["hooks", "why", "BeforeTool", "--tool"];
    let shell = [&why[..], &["run_shell_command"]].concat();
    assert_printed(&world, "why", &shell);
    let write = [&why[..], &["write_file"]].concat();
    assert_printed(&world, "why-untrusted", &write);
    let fire = ["hooks", "fire", "BeforeTool", "--tool", "run_shell_command"];
    let deploy = [
        &fire[..],
        &["--input", r#"{"tool_input": {"command": "make deploy"}}"#],
    ];
    assert_printed(&world, "fire-refused", &deploy.concat());
    let list = [
        &fire[..],
        &["--input", r#"{"tool_input": {"command": "ls"}}"#],
    ];
    assert_printed(&world, "fire", &list.concat());
    assert_printed(
        &world,
        "guards-why",
        &["guards", "why", "rm -rf / --no-preserve-root"],
    );
}

/// CM-7, TR-4, TU-4: what is agreed to, switched and migrated.
#[test]
fn what_is_changed() {
    let world = world();
    assert_printed(&world, "review", &["hooks", "review"]);
    assert_printed(&world, "trust", &["hooks", "trust"]);
    assert_printed(&world, "untrust", &["hooks", "untrust", "licence"]);
    assert_printed(&world, "disable", &["hooks", "disable", "log"]);
    assert_printed(&world, "enable", &["hooks", "enable", "log"]);
    assert_printed(
        &world,
        "migrate",
        &["hooks", "migrate", "--from-claude", "--dry-run"],
    );
}

/// CM-9, TU-4: help, and the message about an unknown command.
#[test]
fn help_and_mistyped_commands() {
    let world = world();
    assert_printed(&world, "help", &["--help"]);
    assert_printed(&world, "help-hooks", &["hooks", "--help"]);
    assert_printed(&world, "help-fire", &["hooks", "fire", "--help"]);
    assert_printed(&world, "help-guards", &["guards", "--help"]);
    assert_printed(&world, "mistyped-verb", &["hooks", "chek"]);
    assert_printed(&world, "mistyped-event", &["hooks", "why", "PreToolUse"]);
    assert_printed(&world, "missing-argument", &["hooks", "disable"]);
}
