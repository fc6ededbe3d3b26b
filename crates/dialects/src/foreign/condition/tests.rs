//! Conditions that are met, that aren't, and that can't be read.

use serde_json::json;

use super::*;
use crate::translate::{is_due, unread_condition};

fn due(condition: &str, tool: &str, input: &Value) -> bool {
    let ours = json!({"hook_event_name": "BeforeTool", "cwd": "/home/me/app",
        "tool_name": tool, "tool_input": input});
    let hook_dialect = HookDialect {
        dialect: Dialect::ClaudeCode,
        event: None,
        condition: Some(condition),
    };
    is_due(hook_dialect, ours.as_object().expect("an object"))
}

/// FD-12: a rule about commands is compared with each command that would run; what can't be known
/// lets the hook run.
#[test]
fn rules_are_compared_with_each_command() {
    for (rule, command, expected) in [
        ("Bash(git *)", "git push", true),
        ("Bash(git *)", "git", true),
        ("Bash(git *)", "gitk", false),
        ("Bash(git:*)", "cd x && git push", true),
        ("Bash(git push*)", "git status", false),
        ("Bash(rm *)", "echo \"rm x\"", false),
        ("Bash(rm *)", "r\"\"m x", true),
        ("Bash(rm *)", "echo $(rm x)", true),
        ("Bash(rm *)", "$TOOL x", true),
        ("Bash", "ls", true),
        ("Read", "ls", false),
        ("Bash(rm *", "ls", true),
    ] {
        let input = json!({ "command": command });
        assert_eq!(
            due(rule, "run_shell_command", &input),
            expected,
            "{rule} {command}"
        );
    }
}

/// FD-12: a rule about files is compared with the path.
#[test]
fn rules_are_compared_with_paths() {
    for (rule, path, expected) in [
        ("Edit(*.ts)", "src/a.ts", true),
        ("Edit(*.ts)", "src/a.rs", false),
        ("Edit(src/**)", "src/deep/a.rs", true),
        ("Edit(/src/**)", "lib/src/a.rs", false),
        ("Edit(.env)", "config/.env", true),
        ("Edit(//etc/**)", "/etc/passwd", true),
        ("Edit(src/**/*.ts)", "src/a.ts", true),
        ("Edit(src/**/*.ts)", "src/deep/a.ts", true),
        ("Edit(src/**/*.ts)", "lib/a.ts", false),
        ("Write(./src/**/*.ts)", "src/a.ts", true),
        ("Write(/**/*.ts)", "a.ts", true),
        ("Write(/src/*.ts)", "src/deep/a.ts", false),
        ("Write(src/)", "src/a.ts", true),
        ("Write(src/)", "src", false),
        ("Write(src)", "src/a.ts", true),
        ("Write(*.{ts,tsx})", "src/a.tsx", true),
        ("Write(/home/me/app/src/**)", "src/a.ts", true),
        ("Write(../other/**)", "/home/me/other/a", true),
        ("Write(../other/**)", "a", false),
        ("Write(~/x)", "a", true),
        ("Write(!*.ts)", "a.rs", true),
        ("Write([)", "a.rs", true),
        ("MultiEdit(*.ts)", "a.ts", true),
        ("NotebookEdit(*.ts)", "a.rs", false),
        ("Read(*.ts)", "a.ts", false),
    ] {
        assert_eq!(
            due(rule, "write_file", &json!({ "file_path": path })),
            expected,
            "{rule} {path}"
        );
    }
}

/// FD-12: one that isn't exactly one rule about a known tool can't be evaluated, and keeps no hook
/// from running; `check` says so.
#[test]
fn what_is_not_a_rule_keeps_no_hook_from_running() {
    let input = json!({"command": "touch y"});
    for condition in [
        "Bash(a *)|Bash(touch *)",
        "Bash(a *) || Bash(touch *)",
        "Bash(a *), Bash(touch *)",
        "!Bash(ls *)",
        "bash(touch *)",
        "tool_input.command contains 'touch'",
        "Edit|Write",
        "*",
        "",
        "  ",
        "Bash(a *))",
        "Bash(a",
        "Bsh(a *)",
    ] {
        assert!(due(condition, "run_shell_command", &input), "{condition}");
        let why = unread_condition(Dialect::ClaudeCode, condition);
        assert!(why.is_some(), "{condition}");
    }
    for (condition, tool, expected) in [
        ("Bash(ls *)", "run_shell_command", false),
        ("Bash(a (b) *)", "run_shell_command", false),
        ("PowerShell(touch *)", "run_shell_command", false),
        ("mcp__srv", "run_shell_command", false),
        ("mcp__srv", "mcp__srv__echo", true),
        ("mcp__srv__*", "mcp__srv__echo", true),
        ("mcp__other", "mcp__srv__echo", false),
    ] {
        assert_eq!(due(condition, tool, &input), expected, "{condition} {tool}");
        assert_eq!(unread_condition(Dialect::ClaudeCode, condition), None);
    }
    assert!(unread_condition(Dialect::Cursor, "(").is_some());
    assert_eq!(unread_condition(Dialect::Cursor, "^rm"), None);
}

/// FD-12: hosts are compared as names, including subdomains; an address that can't be read matches.
#[test]
fn hosts_are_compared_as_names_are() {
    for (rule, address, expected) in [
        ("domain:evil.invalid", "https://EVIL.invalid/x", true),
        ("domain:Evil.Invalid", "https://evil.invalid./x", true),
        ("domain:evil.invalid", "https://me@evil.invalid:8/x", true),
        ("domain:evil.invalid", "https://a.evil.invalid", true),
        ("domain:*.evil.invalid", "https://a.evil.invalid", true),
        ("domain:evil.invalid", "https://e%76il.invalid/", true),
        ("domain:evil.invalid", "https://\u{ff45}vil.invalid/", true),
        (
            "domain:evil.invalid",
            "https://good.invalid'@evil.invalid/",
            true,
        ),
        ("domain:evil.invalid", "https://notevil.invalid/", false),
        (
            "domain:evil.invalid",
            "https://good.invalid/evil.invalid",
            false,
        ),
        (
            "domain:evil.invalid",
            "https://good.invalid/ and https://evil.invalid",
            true,
        ),
        ("domain:evil.invalid", "no address", true),
    ] {
        let condition = format!("WebFetch({rule})");
        let input = json!({ "prompt": format!("Read {address} now") });
        assert_eq!(
            due(&condition, "web_fetch", &input),
            expected,
            "{rule} {address}"
        );
    }
}

/// Returns whether a hook of Cursor is due, by its event and condition, for a tool and an argument
/// that is among others.
fn due_in_cursor(asked: [&str; 2], tool: &str, argument: (&str, &str)) -> bool {
    let mut input = json!({"command": "x", "file_path": "y"});
    input[argument.0] = json!(argument.1);
    let ours = json!({"hook_event_name": "BeforeTool", "cwd": "/p",
        "tool_name": tool, "tool_input": input});
    let hook_dialect = HookDialect {
        dialect: Dialect::Cursor,
        event: Some(asked[0]),
        condition: Some(asked[1]),
    };
    is_due(hook_dialect, ours.as_object().expect("an object"))
}

/// FD-11, FD-12: the event determines what a matcher of Cursor is compared with: the names of a
/// tool, and never an argument that a model adds.
#[test]
fn matchers_of_cursor_are_compared_with_names() {
    for (event, condition, tool, argument, expected) in [
        (
            "beforeMCPExecution",
            "echo",
            "mcp__srv__echo",
            "command",
            true,
        ),
        (
            "beforeMCPExecution",
            "MCP:echo",
            "mcp__srv__echo",
            "a",
            true,
        ),
        ("beforeMCPExecution", "^echo$", "mcp__srv__echo", "a", true),
        (
            "beforeMCPExecution",
            "z",
            "mcp__srv__echo",
            "command",
            false,
        ),
        ("afterFileEdit", "Write", "replace", "a", true),
        ("beforeReadFile", "Read", "read_many_files", "a", true),
        ("beforeReadFile", "z", "read_file", "file_path", false),
    ] {
        let is_due = due_in_cursor([event, condition], tool, (argument, "z"));
        assert_eq!(is_due, expected, "{event} {condition} {argument}");
    }
}

/// FD-11, FD-12: or the command, or the sub-agent.
#[test]
fn matchers_of_cursor_are_compared_with_commands_and_agents() {
    const AGENT: &str = "delegate_to_agent";
    const SHELL: &str = "run_shell_command";
    for (event, condition, tool, argument, expected) in [
        ("subagentStart", "^reader", AGENT, "agent_name", true),
        ("subagentStart", "other", AGENT, "agent_name", false),
        ("subagentStart", "^x$", AGENT, "agent_name", false),
        ("beforeShellExecution", "^reader", SHELL, "command", true),
        ("beforeShellExecution", "^reader", SHELL, "file_path", false),
        ("beforeShellExecution", "(", SHELL, "a", true),
    ] {
        let is_due = due_in_cursor([event, condition], tool, (argument, "reader"));
        assert_eq!(is_due, expected, "{event} {condition} {argument}");
    }
}
