use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_events::{McpContext, ToolArguments};
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Tool,
    ToolError,
};
use serde_json::json;

use super::{ApprovalMode, Audience, Permission, PlanFolder, Policy, ToolPattern, WaysToRun};

/// A tool that does nothing; as `write_file` it reports that it writes the file in its arguments.
pub(crate) struct Stub(Declaration);

impl Tool for Stub {
    fn declaration(&self) -> &Declaration {
        &self.0
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.declaration().check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        (self.0.name == "write_file").then_some(self)
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::info("Run a stub")
    }

    fn run<'a>(
        &'a self,
        _arguments: Arc<Arguments>,
        _context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async { Output::new("", "") })
    }
}

impl EditsFile for Stub {
    fn target(&self, arguments: &Arguments) -> Result<PathBuf, ToolError> {
        let path = arguments.get("file_path").and_then(|it| it.as_str());
        path.map(PathBuf::from)
            .ok_or_else(|| ToolError::invalid("no file"))
    }
}

pub(crate) fn tool(name: &str, access: Access) -> Stub {
    Stub(Declaration {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
        access,
    })
}

fn shell(command: &str) -> ToolArguments {
    ToolArguments::from_iter([("command".to_owned(), json!(command))])
}

fn permission_to_run(policy: &Policy, command: &str) -> Permission {
    policy.permission(&tool("run_shell_command", Access::Execute), &shell(command))
}

fn ways(audience: Audience) -> WaysToRun<'static> {
    WaysToRun {
        audience,
        hooks_consent: &|_| false,
    }
}

fn is_refused(permission: &Permission) -> bool {
    matches!(permission, Permission::Refused(_))
}

/// TO-6: each mode asks about what it is meant to ask about.
#[test]
fn modes_grant_what_they_say() {
    use Access::{Delegate, Edit, Execute, Mcp, Read, Web};
    let granted = |mode| -> Vec<Access> {
        let policy = Policy {
            mode,
            ..Policy::default()
        };
        let granted = |access: &Access| {
            policy.permission(&tool("some_tool", *access), &ToolArguments::new())
                == Permission::Granted
        };
        [Read, Edit, Execute, Web, Mcp, Delegate]
            .into_iter()
            .filter(granted)
            .collect()
    };
    // A sub-agent's own calls are confirmed one by one (TO-4).
    assert_eq!(granted(ApprovalMode::Default), [Read, Delegate]);
    assert_eq!(granted(ApprovalMode::AutoEdit), [Read, Edit, Delegate]);
    let all = [Read, Edit, Execute, Web, Mcp, Delegate];
    assert_eq!(granted(ApprovalMode::Yolo), all);
    assert_eq!(granted(ApprovalMode::Plan), [Read, Delegate]);
    let plan = Policy {
        mode: ApprovalMode::Plan,
        ..Policy::default()
    };
    assert!(
        is_refused(&permission_to_run(&plan, "ls")),
        "plan doesn't even ask"
    );
}

/// TO-6: an allowed prefix grants one simple command, and nothing that hides after it.
#[test]
fn an_allowed_prefix_grants_only_simple_commands() {
    let policy = Policy {
        allowed: vec![ToolPattern::from("run_shell_command(git status)")],
        ..Policy::default()
    };
    assert_eq!(
        permission_to_run(&policy, "git status -s"),
        Permission::Granted
    );
    for command in [
        "git statusx",
        "git push",
        "git status; rm -rf .",
        "git status && rm -rf .",
        "git status | sh",
        "git status $(rm -rf .)",
        "git status `rm -rf .`",
        "git status > file",
        "git status\nrm -rf .",
    ] {
        let permission = permission_to_run(&policy, command);
        assert_eq!(permission, Permission::Ungranted, "{command}");
    }
}

/// TO-6: an excluded prefix refuses wherever it begins a command, even in yolo mode.
#[test]
fn an_excluded_prefix_refuses_everywhere() {
    let policy = Policy {
        mode: ApprovalMode::Yolo,
        excluded: vec![ToolPattern::from("ShellTool(rm)")],
        ..Policy::default()
    };
    for command in [
        "rm x",
        "ls; rm x",
        "ls && rm x",
        "echo $(rm x)",
        "true | rm",
    ] {
        assert!(
            is_refused(&permission_to_run(&policy, command)),
            "{command}"
        );
    }
    assert_eq!(permission_to_run(&policy, "rmdir x"), Permission::Granted);
}

/// TO-6: wildcards exclude, and allow nothing.
#[test]
fn wildcards_exclude_and_do_not_allow() {
    let push = tool("mcp__git__push", Access::Mcp);
    for word in ["*", "mcp__git__*", "mcp_git_*", "mcp__*__push"] {
        let excluded = Policy {
            excluded: vec![ToolPattern::from(word)],
            ..Policy::default()
        };
        assert!(!excluded.offers(push.declaration()), "{word}");
        let allowed = Policy {
            allowed: vec![ToolPattern::from(word)],
            ..Policy::default()
        };
        let permission = allowed.permission(&push, &ToolArguments::new());
        assert!(!matches!(permission, Permission::Granted), "{word}");
        let core = Policy {
            core: Some(vec![ToolPattern::from(word)]),
            ..Policy::default()
        };
        assert!(!core.offers(push.declaration()), "{word}");
    }
}

/// TO-6: an excluded tool isn't offered, under any of its names, and neither is what a list of core
/// tools leaves out.
#[test]
fn excluded_tools_are_not_offered() {
    let excluded = Policy {
        excluded: vec![ToolPattern::from("EditTool")],
        ..Policy::default()
    };
    assert!(!excluded.offers(tool("replace", Access::Edit).declaration()));
    assert!(excluded.offers(tool("glob", Access::Read).declaration()));
    let core = Policy {
        core: Some(vec![ToolPattern::from("glob")]),
        ..Policy::default()
    };
    assert!(core.offers(tool("glob", Access::Read).declaration()));
    assert!(!core.offers(tool("replace", Access::Edit).declaration()));
}

/// TO-6: if the settings require a confirmation, it is also required in yolo mode, and for allowed
/// tools.
#[test]
fn a_required_confirmation_outweighs_a_grant() {
    let policy = Policy {
        mode: ApprovalMode::Yolo,
        allowed: vec![ToolPattern::from("run_shell_command")],
        confirmation_required: vec![ToolPattern::from("run_shell_command(git push)")],
        ..Policy::default()
    };
    assert_eq!(
        permission_to_run(&policy, "git push"),
        Permission::NeedsConfirmation
    );
    assert_eq!(
        permission_to_run(&policy, "ls; git push"),
        Permission::NeedsConfirmation
    );
    assert_eq!(permission_to_run(&policy, "git pull"), Permission::Granted);
}

/// TO-6: plan mode writes plans without asking, and nothing else; it declares only what it can run.
#[test]
fn plan_mode_writes_plans_only() {
    let writes = |plans: PlanFolder, name: &str, path: &str| {
        let policy = Policy {
            mode: ApprovalMode::Plan,
            plans,
            ..Policy::default()
        };
        let tool = tool(name, Access::Edit);
        let arguments = ToolArguments::from_iter([("file_path".to_owned(), json!(path))]);
        let may_run = policy.may_ever_run(&tool, ApprovalMode::Plan, ways(Audience::Absent));
        (policy.permission(&tool, &arguments), may_run)
    };
    let plans = || PlanFolder::new("plans".into(), |file| file == Path::new("plans/a.md"));
    assert_eq!(
        writes(plans(), "write_file", "plans/a.md"),
        (Permission::Granted, true)
    );
    let Permission::Refused(why) = writes(plans(), "write_file", "a.md").0 else {
        panic!("only plans are written");
    };
    assert!(
        why.ends_with("; the plan goes into a Markdown file below plans"),
        "{why}"
    );
    // A tool that writes something else doesn't write a plan, whatever extra argument it gets.
    for (plans, name) in [
        (PlanFolder::default(), "write_file"),
        (plans(), "save_memory"),
    ] {
        let (permission, may_run) = writes(plans, name, "plans/a.md");
        assert!(is_refused(&permission) && !may_run, "{name}");
    }
}

/// TO-6: a plan needs consent, whatever runs without asking; its tools are only declared if they
/// are of use.
#[test]
fn a_plan_needs_a_yes() {
    let exit = tool("exit_plan_mode", Access::Plan);
    let enter = tool("enter_plan_mode", Access::Read);
    for mode in [ApprovalMode::Plan, ApprovalMode::Yolo] {
        let policy = Policy {
            mode,
            allowed: vec![ToolPattern::from("exit_plan_mode")],
            ..Policy::default()
        };
        let permission = policy.permission(&exit, &ToolArguments::new());
        assert_eq!(permission, Permission::NeedsConfirmation, "{mode}");
        let offered = |tool, audience| policy.may_ever_run(tool, mode, ways(audience));
        let is_plan = mode == ApprovalMode::Plan;
        assert_eq!(offered(&exit, Audience::Present), is_plan);
        assert_eq!(offered(&enter, Audience::Present), !is_plan);
        assert!(!offered(&enter, Audience::Absent));
    }
}
