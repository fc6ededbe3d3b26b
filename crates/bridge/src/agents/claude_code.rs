//! Claude Code, measured on its build 2.1.330.

use hookloop_dialects::tools::{Kind, ToolRule, argument, renamed, same, tool, tools_of};
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

use crate::answer::{
    Answer, AnswerRequest, Family, FamilyRefusal, family, object, reason_or_default,
};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing, Mover};
use crate::planned::{EditWords, PlannedCall, Split, split_edits};
use crate::profile::{
    CallOfTheirs, Capabilities, Capability, Profile, any_prompt, as_it_is, mcp_double,
    no_other_form,
};
use crate::results;

/// What is known about it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("SessionStart", Moment::SessionStart),
        ("SessionEnd", Moment::SessionEnd),
        ("UserPromptSubmit", Moment::Prompt),
        ("PreToolUse", Moment::BeforeTool),
        ("PostToolUse", Moment::AfterTool),
        ("PostToolUseFailure", Moment::AfterTool),
        ("Stop", Moment::End),
        ("PreCompact", Moment::Compress),
        ("Notification", Moment::Alert),
        ("PermissionRequest", Moment::Alert),
        ("SubagentStart", Moment::SubAgentBegins),
        ("SubagentStop", Moment::SubAgentEnds),
        ("ConfigChange", Moment::ConfigChange),
        ("PostToolBatch", Moment::Nothing),
        ("MessageDisplay", Moment::Nothing),
        ("PostCompact", Moment::Nothing),
    ],
    tools: || tools_of(Dialect::ClaudeCode),
    further_tools: FURTHER_TOOLS,
    usual: as_it_is,
    mcp: mcp_double,
    split,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Rewrite,
            Capability::Ask,
            Capability::Withhold,
            Capability::RefusePrompt,
            Capability::Retry,
            Capability::KeepHistory,
            Capability::TellPrompts,
        ],
        context: &[
            Moment::SessionStart,
            Moment::Prompt,
            Moment::BeforeTool,
            Moment::AfterTool,
        ],
        end_run: &[Moment::BeforeTool, Moment::AfterTool, Moment::End],
    },
    installing: Installing {
        program: "claude",
        user: ".claude/settings.json",
        project: Some(".claude/settings.json"),
        moved_by: Some(Mover::Folder("CLAUDE_CONFIG_DIR")),
        form: Form::Groups {
            units: 1,
            first: false,
        },
        registered: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "PreCompact",
            "Notification",
            "ConfigChange",
            "SessionEnd",
        ],
        wrapped: &["UserPromptSubmit", "PreToolUse", "ConfigChange"],
        failing: Failing::ExitCode,
        observed: &["2.1.330", "2.1.332"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a retry can't clear the history",
            "a repository's `disableAllHooks` disables the user's hooks, too, silently; `bridge \
             doctor` checks for it",
            "started with `--bare`, `--safe-mode`, `--setting-sources` without `user`, or \
             `disableAllHooks` in `--settings`, it silently runs no hooks",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_OAUTH_REFRESH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_SESSION_ACCESS_TOKEN",
    ],
    project_variables: &["CLAUDE_PROJECT_DIR"],
};

const FAMILY: Family = Family {
    refusal: FamilyRefusal::ByExitCode,
    rewrite_needs_allow: false,
    messages: true,
};

/// Tools that run commands and change files, too.
const FURTHER_TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["Monitor", "PowerShell"],
        &[same("command"), same("description")],
    ),
    tool(
        "replace",
        &["NotebookEdit"],
        &[
            argument("file_path", "notebook_path", Kind::Path),
            renamed("new_string", "new_source"),
        ],
    ),
];

/// An edit of several parts is one of ours for each; code that is run is a command that runs it.
fn split(call: &CallOfTheirs<'_>) -> Split {
    match call.tool {
        "MultiEdit" => match call.arguments.get("edits") {
            Some(edits) => split_edits(call.arguments.get("file_path"), edits, &EDITS),
            None => Split::Whole,
        },
        "REPL" => {
            let given = ["code", "script", "input", "expression"];
            let codes: Vec<&str> = given.iter().filter_map(|name| call.text(name)).collect();
            if codes.is_empty() {
                return Split::Unclear("`REPL` was called without code".to_owned());
            }
            let command = |code: &&str| {
                let line = hookloop_shell::join(["node", "-e", code]);
                PlannedCall::of("run_shell_command", &[("command", &line)])
            };
            Split::Calls(codes.iter().map(command).collect())
        }
        // A tool of its editor integration that runs Python in a notebook.
        "mcp__ide__executeCode" if let Some(code) = call.text("code") => {
            let own = PlannedCall {
                tool: call.tool.to_owned(),
                arguments: call.arguments.clone(),
            };
            let line = hookloop_shell::join(["python3", "-c", code]);
            let run = PlannedCall::of("run_shell_command", &[("command", &line)]);
            Split::Calls(vec![own, run])
        }
        _ => Split::Whole,
    }
}

const EDITS: EditWords<'_> = EditWords {
    old: "old_string",
    new: "new_string",
    file: None,
};

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    match (asked.moment, &asked.conclusion.ruling) {
        (Moment::AfterTool, _) => after_tool(asked),
        (
            Moment::ConfigChange | Moment::Compress,
            Ruling::Refuse(reason) | Ruling::Stop(reason),
        ) => Answer::refusal(reason, Map::new()),
        _ => family(asked, &FAMILY),
    }
}

/// A reason is shown beside the result, so a withheld result is replaced, too.
fn after_tool(asked: &AnswerRequest<'_>) -> Answer {
    let ruling = &asked.conclusion.ruling;
    let reason = match ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason))
        }
        Ruling::Silent => None,
    };
    let ends = matches!(ruling, Ruling::Stop(_));
    let output = reason.zip(asked.field("tool_response"));
    let output = output.map(|(reason, result)| results::in_its_place(result, reason));
    let own = object([
        ("hookEventName", Some(Value::from(asked.event))),
        ("updatedToolOutput", output),
        ("additionalContext", asked.context().map(Value::from)),
    ]);
    Answer::of(object([
        ("continue", ends.then_some(Value::Bool(false))),
        ("stopReason", reason.filter(|_| ends).map(Value::from)),
        ("decision", reason.map(|_| Value::from("block"))),
        ("reason", reason.map(Value::from)),
        (
            "hookSpecificOutput",
            (own.len() > 1).then_some(Value::Object(own)),
        ),
        ("systemMessage", asked.message().map(Value::from)),
    ]))
}
