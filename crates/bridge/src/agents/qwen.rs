//! Qwen Code, measured on its build 0.24.4. Another hook's consent overrides exit code 2, so a
//! refusal is `continue: false`, which takes precedence in either order.

use hookloop_dialects::tools::tools_of;
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest, Family, FamilyRefusal, beside_result, family};
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing, Mover};
use crate::profile::{
    Capabilities, Capability, Profile, as_it_is, mcp_double, no_other_form, unsplit,
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
        ("PermissionRequest", Moment::Alert),
        ("SubagentStart", Moment::SubAgentBegins),
        ("SubagentStop", Moment::SubAgentEnds),
        ("InstructionsLoaded", Moment::Nothing),
        ("PostToolBatch", Moment::Nothing),
        ("MessageDisplay", Moment::Nothing),
    ],
    tools: || tools_of(Dialect::Qwen),
    further_tools: &[],
    usual: as_it_is,
    mcp: mcp_double,
    split: unsplit,
    compose: no_other_form,
    no_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Ask,
            Capability::RefusePrompt,
            Capability::Retry,
            Capability::TellPrompts,
            Capability::ShowMessages,
        ],
        context: &[Moment::SessionStart, Moment::Prompt, Moment::AfterTool],
        end_run: &[],
    },
    installing: Installing {
        program: "qwen",
        user: ".qwen/settings.json",
        project: Some(".qwen/settings.json"),
        moved_by: Some(Mover::Folder("QWEN_HOME")),
        form: Form::Groups {
            units: 1000,
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
            "SessionEnd",
        ],
        wrapped: &["UserPromptSubmit", "PreToolUse"],
        failing: Failing::ExitCode,
        observed: &["0.24.4"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a rewrite becomes a refusal that suggests the arguments",
            "a result can't be withheld",
            "another hook's `allow` outvotes the refusal of a wrapper whose program is gone",
            "a repository's `disableAllHooks` disables the user's hooks, too",
            "started with `--bare` or `--safe-mode`, it silently runs no hooks",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &[
        "BAILIAN_CODING_PLAN_API_KEY",
        "DASHSCOPE_API_KEY",
        "OPENAI_API_KEY",
        "QWEN_API_KEY",
        "QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE",
    ],
    project_variables: &["QWEN_CODE_PROJECT_DIR", "QWEN_PROJECT_DIR"],
};

const FAMILY: Family = Family {
    refusal: FamilyRefusal::ByEndingIt,
    rewrite_needs_allow: false,
    messages: true,
};

/// After each batch of tools it submits a prompt that nobody wrote.
fn no_prompt(payload: &Map<String, Value>) -> Option<&'static str> {
    if payload.contains_key("submitted_prompt") {
        return None;
    }
    // A prompt of another shape has content.
    (payload.get("prompt")?.as_str() == Some("")).then_some("it is empty, as after tools")
}

/// A result can't be withheld, only commented on.
fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    match asked.moment {
        Moment::AfterTool => beside_result(asked),
        _ => family(asked, &FAMILY),
    }
}
