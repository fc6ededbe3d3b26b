use hookloop_events::{ToolArguments, ToolCall};
use hookloop_tools::{Access, Tool};
use serde_json::json;

use super::{SessionGrant, SessionGrants};
use crate::approval::tests::tool;
use crate::approval::{Permission, Policy, ToolPattern};
use crate::command_line::CommandLine;

fn arguments(command: &str) -> ToolArguments {
    ToolArguments::from_iter([("command".to_owned(), json!(command))])
}

fn allow_always(command: &str) -> SessionGrants {
    let shell = tool("run_shell_command", Access::Execute);
    let call = ToolCall {
        id: "1".to_owned(),
        name: shell.declaration().name.clone(),
        arguments: arguments(command).into(),
        mcp: None,
        original_request_name: None,
        changed_arguments: Vec::new(),
    };
    let grants = SessionGrants::default();
    grants.add(SessionGrant::for_call(shell.declaration(), &call));
    grants
}

/// TO-6: "Allow always" for a command grants its program and subcommand, and nothing hidden after
/// them.
#[test]
fn a_command_is_granted_by_its_first_words() {
    let grants = allow_always("git status --short");
    let covers = |line| grants.cover("run_shell_command", &CommandLine::new(line));
    assert!(covers("git status") && covers("git status -v"));
    for other in [
        "git push",
        "git statusx",
        "git status; rm -rf .",
        "git status $(rm -rf .)",
        "git status > file",
    ] {
        assert!(!covers(other), "{other}");
    }
    assert!(!grants.cover("replace", &CommandLine::new("git status")));
}

/// TO-6: a program without subcommands is granted by its name.
#[test]
fn a_program_is_granted_by_its_name() {
    for line in ["ls -la", "ls ./src", "ls /tmp", "ls"] {
        let grants = allow_always(line);
        let covers = |line| grants.cover("run_shell_command", &CommandLine::new(line));
        assert!(covers("ls -l x") && !covers("lsof"), "{line}");
    }
}

/// TO-6: a line of several commands, and one that runs another program, is granted exactly as
/// written.
#[test]
fn other_lines_are_granted_as_they_stand() {
    for line in [
        "cd x && make",
        "A=1 make",
        "echo 'a b'",
        "sudo make",
        "/usr/bin/env make",
        "python3 make.py",
        "git -C . status",
    ] {
        let grants = allow_always(line);
        assert!(grants.cover("run_shell_command", &CommandLine::new(line)));
        assert!(!grants.cover("run_shell_command", &CommandLine::new("make")));
        let longer = format!("{line} -B");
        assert!(!grants.cover("run_shell_command", &CommandLine::new(&longer)));
    }
}

/// TO-6: a grant for the session weakens neither an exclusion nor a required confirmation.
#[test]
fn the_settings_outweigh_a_grant() {
    let grants = SessionGrants::default();
    grants.add(SessionGrant::Tool("replace".to_owned()));
    let replace = tool("replace", Access::Edit);
    let permission = |policy: &Policy| {
        policy.permission_in_session(&replace, &ToolArguments::new(), policy.mode, &grants)
    };
    assert_eq!(permission(&Policy::default()), Permission::Granted);
    let required = Policy {
        confirmation_required: vec![ToolPattern::from("replace")],
        ..Policy::default()
    };
    assert_eq!(permission(&required), Permission::NeedsConfirmation);
    let excluded = Policy {
        excluded: vec![ToolPattern::from("replace")],
        ..Policy::default()
    };
    assert!(matches!(permission(&excluded), Permission::Refused(_)));
    grants.clear();
    assert_eq!(
        permission(&Policy::default()),
        Permission::Ungranted,
        "another session begins without grants"
    );
}
