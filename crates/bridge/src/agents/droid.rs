//! Factory Droid, measured on its build 0.215.0. It doesn't reveal who wrote a prompt (BR-11).

use hookloop_dialects::tools::{Argument, Kind, ToolRule, argument, renamed, same, tool};
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest, Family, FamilyRefusal, beside_result, family};
use crate::moment::Moment;
use crate::patches::{compose_patch, split_patch};
use crate::placing::{Failing, Form, Installing, Mover};
use crate::planned::{EditWords, PlannedCall, Split, split_edits};
use crate::profile::{
    CallOfTheirs, Capabilities, Capability, Profile, any_prompt, as_it_is, mcp_double,
};

/// What is known about it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("SessionStart", Moment::SessionStart),
        ("SessionEnd", Moment::SessionEnd),
        ("UserPromptSubmit", Moment::Prompt),
        ("PreToolUse", Moment::BeforeTool),
        ("PostToolUse", Moment::AfterTool),
        ("Stop", Moment::End),
        ("PreCompact", Moment::Compress),
        ("Notification", Moment::Alert),
        ("SubagentStop", Moment::SubAgentEnds),
    ],
    tools: || TOOLS,
    further_tools: &[],
    usual: as_it_is,
    mcp: mcp_double,
    split,
    compose,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Rewrite,
            Capability::RefusePrompt,
            Capability::Retry,
            Capability::ShowMessages,
        ],
        context: &[Moment::SessionStart, Moment::AfterTool],
        end_run: &[Moment::BeforeTool],
    },
    installing: Installing {
        program: "droid",
        user: ".factory/settings.json",
        project: Some(".factory/settings.json"),
        moved_by: Some(Mover::Home("FACTORY_HOME_OVERRIDE")),
        form: Form::Groups {
            units: 1,
            first: false,
        },
        registered: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "Stop",
            "PreCompact",
            "Notification",
            "SessionEnd",
        ],
        wrapped: &["UserPromptSubmit", "PreToolUse"],
        failing: Failing::ExitCode,
        observed: &["0.215.0"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a hook's `ask` is a refusal",
            "nothing says whose prompt it is, so hooks can refuse it, but can't add text for the \
             model",
            "no event follows a failed command",
            "a result can't be withheld",
            "if `hooks.json` beside its settings has hooks for an event, only those run, and \
             `hooksDisabled` of a repository disables the user's hooks, too; `bridge doctor` \
             checks for both",
            "an organization that says `allowManagedHooksOnly` keeps the person's hooks from \
             running, and no file shows that",
            "started with `--settings` that say `hooksDisabled`, it silently runs no hooks",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &["FACTORY_API_KEY", "FACTORY_TOKEN"],
    project_variables: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
};

const FILE: Argument = argument("file_path", "file_path", Kind::Path);
const FOLDER: Argument = argument("dir_path", "path", Kind::Path);

const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["Execute"],
        &[same("command"), renamed("description", "summary")],
    ),
    tool(
        "read_file",
        &["Read"],
        &[FILE, same("offset"), same("limit")],
    ),
    tool("write_file", &["Create"], &[FILE, same("content")]),
    tool(
        "replace",
        &["Edit"],
        &[
            FILE,
            renamed("old_string", "old_str"),
            renamed("new_string", "new_str"),
            renamed("allow_multiple", "change_all"),
        ],
    ),
    tool("glob", &["Glob"], &[renamed("pattern", "patterns"), FOLDER]),
    tool("search_file_content", &["Grep"], &[same("pattern"), FOLDER]),
    tool(
        "list_directory",
        &["LS"],
        &[argument("dir_path", "directory_path", Kind::Path)],
    ),
    tool("web_fetch", &["FetchUrl"], &[renamed("prompt", "url")]),
    tool("google_web_search", &["WebSearch"], &[same("query")]),
    tool("write_todos", &["TodoWrite"], &[same("todos")]),
    tool(
        "delegate_to_agent",
        &["Task"],
        &[
            renamed("agent_name", "subagent_type"),
            renamed("objective", "prompt"),
        ],
    ),
];

/// The name of the argument with a patch.
const PATCH: &str = "input";

const EDITS: EditWords<'_> = EditWords {
    old: "old_str",
    new: "new_str",
    file: None,
};

/// A patch is a write for each file, and an edit of several parts one of ours for each.
fn split(call: &CallOfTheirs<'_>) -> Split {
    match call.tool {
        "ApplyPatch" => split_patch(call.tool, call.arguments, &[PATCH, "patch"]),
        "MultiEdit" => {
            let path = call.arguments.get("file_path");
            let edits = ["changes", "edits"];
            match edits.iter().find_map(|name| call.arguments.get(*name)) {
                Some(edits) => split_edits(path, edits, &EDITS),
                None => Split::Unclear("`MultiEdit` was called without changes".to_owned()),
            }
        }
        _ => Split::Whole,
    }
}

fn compose(tool: &str, call: &PlannedCall) -> Option<Map<String, Value>> {
    (tool == "ApplyPatch").then(|| compose_patch(PATCH, call))?
}

const FAMILY: Family = Family {
    refusal: FamilyRefusal::ByExitCode,
    rewrite_needs_allow: false,
    messages: true,
};

/// After a tool, the reason reaches the model only by exit code 2, and text beside the result by a
/// reply.
fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    match asked.moment {
        Moment::AfterTool => beside_result(asked),
        _ => family(asked, &FAMILY),
    }
}
