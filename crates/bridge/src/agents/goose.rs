//! goose, measured on its build 1.52.0. It can't be made to drop a prompt, and ignores text for the
//! model.

use hookloop_dialects::tools::{Argument, Kind, ToolRule, argument, renamed, same, tool};
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest, object, reason_or_default};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing, Mover};
use crate::profile::{
    Capabilities, Capability, McpTool, Profile, any_prompt, no_other_form, rename, unsplit,
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
        // These report the same call again.
        ("PreToolUseResult", Moment::Nothing),
        ("BeforeShellExecution", Moment::Nothing),
        ("AfterShellExecution", Moment::Nothing),
        ("AfterFileEdit", Moment::Nothing),
        ("BeforeReadFile", Moment::Nothing),
    ],
    tools: || TOOLS,
    further_tools: &[],
    usual,
    mcp,
    split: unsplit,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[Capability::Retry, Capability::TellPrompts],
        context: &[],
        end_run: &[],
    },
    installing: Installing {
        program: "goose",
        user: ".agents/plugins/hookloop",
        project: Some(".agents/plugins/hookloop"),
        moved_by: Some(Mover::Home("GOOSE_PATH_ROOT")),
        form: Form::GoosePlugin,
        registered: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "Stop",
            "SessionEnd",
        ],
        wrapped: &["PreToolUse"],
        failing: Failing::ExitCode,
        observed: &["1.52.0"],
        obeys_nothing: &["1.34.0"],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a rewrite becomes a refusal that suggests the arguments",
            "a hook's `ask` is a refusal",
            "a refused prompt still runs, but every tool call in its turn is refused",
            "text for the model never reaches it",
            "hooks can only observe results",
            "the tools of sub-agents (`delegate`) fire no hook",
            "a repository's `disabledPlugins` disables the user's plugin, too, silently; `bridge \
             doctor` checks for it",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &[
        "ANTHROPIC_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "DATABRICKS_TOKEN",
        "GOOGLE_API_KEY",
        "GROQ_API_KEY",
        "MISTRAL_API_KEY",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
        "XAI_API_KEY",
    ],
    project_variables: &[],
};

const FILE: Argument = argument("file_path", "path", Kind::Path);

const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["shell", "developer__shell"],
        &[same("command")],
    ),
    tool(
        "write_file",
        &["write", "developer__write"],
        &[FILE, same("content")],
    ),
    tool(
        "replace",
        &["edit", "developer__edit"],
        &[
            FILE,
            renamed("old_string", "before"),
            renamed("new_string", "after"),
        ],
    ),
    tool(
        "list_directory",
        &["tree", "developer__tree"],
        &[argument("dir_path", "path", Kind::Path)],
    ),
    tool(
        "delegate_to_agent",
        &["delegate"],
        &[renamed("objective", "instructions")],
    ),
];

fn usual(event: &str, mut payload: Map<String, Value>) -> Map<String, Value> {
    rename(&mut payload, "working_dir", "cwd");
    rename(&mut payload, "tool_call_id", "tool_use_id");
    rename(&mut payload, "message", "prompt");
    if event == "PostToolUseFailure" && !payload.contains_key("error") {
        // It doesn't report what went wrong.
        payload.insert("error".to_owned(), Value::from("the tool failed"));
    }
    payload
}

fn mcp(name: &str) -> Option<McpTool<'_>> {
    let (extension, tool) = name.split_once("__")?;
    Some(McpTool::Of(extension, tool))
}

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            reason_or_default(reason)
        }
        Ruling::Silent => return Answer::empty(),
    };
    let block = object([
        ("decision", Some(Value::from("block"))),
        ("reason", Some(Value::from(reason))),
    ]);
    match asked.moment {
        Moment::BeforeTool => Answer::refusal(reason, block),
        Moment::End => Answer::of(block),
        // The refusal isn't obeyed there; the text reports it.
        _ => Answer {
            stderr: format!("{reason}\n"),
            ..Answer::empty()
        },
    }
}
