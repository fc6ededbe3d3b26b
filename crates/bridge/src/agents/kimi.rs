//! Kimi Code, measured on its build 2.1.0. Standard output at a prompt is pasted into the model's
//! context, even JSON. Only exit code 2 makes a turn continue, and only once.

use hookloop_dialects::tools::{Argument, Kind, ToolRule, argument, renamed, same, tool};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, AnswerRequest, object, reason_or_default};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing, Mover};
use crate::planned::{EditWords, Split, split_edits};
use crate::profile::{
    CallOfTheirs, Capabilities, Capability, Profile, any_prompt, mcp_double, no_other_form, rename,
};

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
        ("SubagentStart", Moment::SubAgentBegins),
        ("SubagentStop", Moment::SubAgentEnds),
    ],
    tools: || TOOLS,
    further_tools: &[],
    usual,
    mcp: mcp_double,
    split,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::RefusePrompt,
            Capability::Retry,
            Capability::TellPrompts,
        ],
        context: &[Moment::Prompt],
        end_run: &[],
    },
    installing: Installing {
        program: "kimi",
        user: ".kimi-code/config.toml",
        project: None,
        moved_by: Some(Mover::Folder("KIMI_CODE_HOME")),
        form: Form::Toml,
        registered: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "PreCompact",
            "SubagentStart",
            "SubagentStop",
            "SessionEnd",
        ],
        wrapped: &["UserPromptSubmit", "PreToolUse"],
        failing: Failing::ExitCode,
        observed: &["2.1.0"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a rewrite becomes a refusal that suggests the arguments",
            "a hook's `ask` is a refusal",
            "text for the model reaches it only with a prompt",
            "a turn continues only once",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &["KIMI_API_KEY", "MOONSHOT_API_KEY"],
    project_variables: &[],
};

const FILE: Argument = argument("file_path", "path", Kind::Path);
const FOLDER: Argument = argument("dir_path", "path", Kind::Path);

const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["Bash", "Shell"],
        &[
            same("command"),
            same("description"),
            argument("dir_path", "cwd", Kind::Path),
        ],
    ),
    tool(
        "read_file",
        &["Read", "ReadFile"],
        &[
            FILE,
            argument("offset", "line_offset", Kind::Line),
            renamed("limit", "n_lines"),
        ],
    ),
    tool(
        "write_file",
        &["Write", "WriteFile"],
        &[FILE, same("content")],
    ),
    tool(
        "replace",
        &["Edit", "StrReplaceFile"],
        &[FILE, same("old_string"), same("new_string")],
    ),
    tool("glob", &["Glob"], &[same("pattern"), FOLDER]),
    tool("search_file_content", &["Grep"], &[same("pattern"), FOLDER]),
    tool("web_fetch", &["FetchURL"], &[renamed("prompt", "url")]),
    tool("google_web_search", &["SearchWeb"], &[same("query")]),
    tool("write_todos", &["SetTodoList"], &[same("todos")]),
    tool(
        "delegate_to_agent",
        &["Agent", "Task"],
        &[
            renamed("agent_name", "subagent_type"),
            renamed("objective", "prompt"),
        ],
    ),
];

/// An older tool edits one part, or several.
fn split(call: &CallOfTheirs<'_>) -> Split {
    match (call.tool, call.arguments.get("edit")) {
        ("StrReplaceFile", Some(edits)) => split_edits(call.arguments.get("path"), edits, &EDITS),
        _ => Split::Whole,
    }
}

const EDITS: EditWords<'_> = EditWords {
    old: "old",
    new: "new",
    file: None,
};

fn usual(_event: &str, mut payload: Map<String, Value>) -> Map<String, Value> {
    rename(&mut payload, "tool_call_id", "tool_use_id");
    rename(&mut payload, "tool_output", "tool_response");
    payload
}

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason))
        }
        Ruling::Silent => None,
    };
    match (asked.moment, reason) {
        (Moment::BeforeTool, Some(reason)) => {
            let own = json!({
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            });
            Answer::refusal(reason, object([("hookSpecificOutput", Some(own))]))
        }
        (Moment::Prompt | Moment::End, Some(reason)) => Answer::refusal(reason, Map::new()),
        (Moment::Prompt, None) => Answer {
            stdout: asked.context().unwrap_or_default().to_owned(),
            ..Answer::empty()
        },
        (_, Some(reason)) => Answer {
            stderr: format!("{reason}\n"),
            ..Answer::empty()
        },
        (_, None) => Answer::empty(),
    }
}
