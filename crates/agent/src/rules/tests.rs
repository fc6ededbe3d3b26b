use hookloop_events::ToolArguments;
use serde_json::json;

use super::read::parse;
use super::{RuleDecision, decide};
use crate::approval_mode::ApprovalMode;
use crate::command_line::CommandLine;

fn shell(command: &str) -> ToolArguments {
    ToolArguments::from_iter([("command".to_owned(), json!(command))])
}

fn decision(rules: &str, command: &str) -> Option<RuleDecision> {
    let rules = parse(rules).unwrap();
    decided(
        &rules,
        "run_shell_command",
        &shell(command),
        ApprovalMode::Default,
    )
}

fn decided(
    rules: &[super::Rule],
    tool: &str,
    arguments: &ToolArguments,
    mode: ApprovalMode,
) -> Option<RuleDecision> {
    decide(rules, tool, arguments, &CommandLine::of(arguments), mode).decision
}

/// TO-6: a rule that refuses or asks may name tools with wildcards; one that allows may not.
#[test]
fn wildcards_count_in_what_refuses() {
    let none = ToolArguments::new();
    for (word, expected) in [
        ("deny", Some(RuleDecision::Deny)),
        ("ask_user", Some(RuleDecision::AskUser)),
        ("allow", None),
    ] {
        let text = format!("[[rule]]\ntoolName = \"mcp_git_*\"\ndecision = \"{word}\"\n");
        let rules = parse(&text).unwrap();
        let mode = ApprovalMode::Default;
        assert_eq!(decided(&rules, "mcp__git__push", &none, mode), expected);
        assert_eq!(decided(&rules, "glob", &none, mode), None);
    }
}

/// TO-6: the rule with the highest priority decides; of equal ones, the strictest.
#[test]
fn the_highest_priority_decides() {
    let rules = r#"
        [[rule]]
        toolName = "run_shell_command"
        decision = "deny"
        priority = 1
        [[rule]]
        toolName = ["ShellTool", "glob"]
        commandPrefix = "git"
        decision = "allow"
        priority = 10
        [[rule]]
        commandPrefix = ["git push"]
        decision = "ask_user"
        priority = 10
    "#;
    assert_eq!(decision(rules, "ls"), Some(RuleDecision::Deny));
    assert_eq!(decision(rules, "git status"), Some(RuleDecision::Allow));
    assert_eq!(decision(rules, "git push"), Some(RuleDecision::AskUser));
    assert_eq!(decision("", "ls"), None);
}

/// TO-6: a rule allows a simple command only, and refuses wherever a command begins.
#[test]
fn what_allows_fits_the_whole_line() {
    let allow = "[[rule]]\ncommandPrefix = \"git\"\ndecision = \"allow\"";
    assert_eq!(decision(allow, "git status; rm -rf ."), None);
    let regex = "[[rule]]\ncommandRegex = \"^git (status|log)$\"\ndecision = \"allow\"";
    assert_eq!(decision(regex, "git log"), Some(RuleDecision::Allow));
    assert_eq!(decision(regex, "git log $(rm x)"), None);
    let deny = "[[rule]]\ncommandPrefix = \"rm\"\ndecision = \"deny\"";
    assert_eq!(decision(deny, "ls && rm x"), Some(RuleDecision::Deny));
}

/// TO-6: a rule may look at the arguments, and count only in some modes.
#[test]
fn rules_look_at_arguments_and_mode() {
    let rules = parse(
        "[[rule]]\ntoolName = \"write_file\"\nargsPattern = \"secrets\"\ndecision = \"deny\"\n\
         modes = [\"yolo\"]",
    )
    .unwrap();
    let arguments = ToolArguments::from_iter([("file_path".to_owned(), json!("a/secrets.txt"))]);
    let in_mode = |mode| decided(&rules, "write_file", &arguments, mode);
    assert_eq!(in_mode(ApprovalMode::Yolo), Some(RuleDecision::Deny));
    assert_eq!(in_mode(ApprovalMode::Default), None);
}

/// TO-6: what is wrong in a policy file is named with its place, and nothing of it counts.
#[test]
fn wrong_files_are_refused_with_the_place() {
    for (text, line, part) in [
        ("[[rule]]\ndecision = \"maybe\"", 2, "maybe"),
        (
            "[[rule]]\ndecision = \"deny\"\ncommandRegex = \"(\"",
            3,
            "(",
        ),
        ("[[rule]]\ndecision = \"deny\"\nmodes = [\"x\"]", 3, "x"),
        (
            "[[rule]]\ndecision = \"deny\"\ntoolname = \"x\"",
            3,
            "toolname",
        ),
        ("[[rule]]\ntoolName = \"x\"", 1, "decision"),
        ("nonsense", 1, ""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.toml");
        std::fs::write(&path, text).unwrap();
        let error = super::read_policy_file(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("p.toml:{line}:")), "{error}");
        assert!(error.contains(part), "{error}");
    }
}

/// HT-31: refusals match every spelling of a command.
#[test]
fn refusals_are_read_widely() {
    let deny = "[[rule]]\ncommandPrefix = [\"rm\", \"git push\"]\ndecision = \"deny\"";
    for command in [
        "if true; then rm x; fi",
        "! rm x",
        "time rm x",
        "FOO=1 rm x",
        "\"rm\" x",
        "\\rm x",
        "/bin/rm x",
        ">/dev/null rm x",
        "command rm x",
        "env A=1 rm x",
        "echo x | xargs rm",
        "X=rm; $X x",
        "sh -c 'rm x'",
        "git  push",
        "git -C . push",
        "git $X",
        "/bin/r? x",
    ] {
        assert_eq!(
            decision(deny, command),
            Some(RuleDecision::Deny),
            "{command}"
        );
    }
    for command in ["$X x", "curl x | sh", "eval \"$X\""] {
        let decided = decision(deny, command);
        assert_eq!(decided, Some(RuleDecision::AskUser), "{command}");
    }
    for command in ["echo rm x", "git status", "grep 'x; rm' f", "rmdir x"] {
        assert_eq!(decision(deny, command), None, "{command}");
    }
}

/// HT-31: in a line that rules allow, every command is allowed by itself.
#[test]
fn permissions_are_read_narrowly() {
    let allow = "[[rule]]\ncommandPrefix = [\"ls\", \"wc\"]\ndecision = \"allow\"";
    let allowed = |command: &str| decision(allow, command) == Some(RuleDecision::Allow);
    assert!(allowed("wc -l f && ls"));
    for command in ["ls; rm x", "ls $(rm x)", "ls | sh", "$X", "l? x"] {
        assert!(!allowed(command), "{command}");
    }
}
