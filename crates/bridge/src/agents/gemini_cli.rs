//! Gemini CLI: except for the names of tools, its payloads and answers follow the documented
//! contract. It runs the commands of `.gemini` by itself (BR-12).

use hookloop_dialects::tools::tools_of;
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest, object, reason_or_default};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing};
use crate::profile::{
    Capabilities, Capability, McpTool, Profile, any_prompt, no_other_form, rename, unsplit,
};

/// What is known about it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("SessionStart", Moment::SessionStart),
        ("SessionEnd", Moment::SessionEnd),
        ("BeforeAgent", Moment::Prompt),
        ("BeforeTool", Moment::BeforeTool),
        ("AfterTool", Moment::AfterTool),
        ("AfterAgent", Moment::End),
        ("PreCompress", Moment::Compress),
        ("Notification", Moment::Alert),
        ("BeforeModel", Moment::Nothing),
        ("AfterModel", Moment::Nothing),
        ("BeforeToolSelection", Moment::Nothing),
    ],
    tools: || tools_of(Dialect::GeminiCli),
    further_tools: &[],
    usual,
    mcp,
    split: unsplit,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Rewrite,
            Capability::Withhold,
            Capability::RefusePrompt,
            Capability::Retry,
            Capability::TellPrompts,
            Capability::ShowMessages,
        ],
        context: &[Moment::SessionStart, Moment::Prompt, Moment::AfterTool],
        end_run: &[
            Moment::Prompt,
            Moment::BeforeTool,
            Moment::AfterTool,
            Moment::End,
        ],
    },
    installing: Installing {
        program: "gemini",
        user: ".gemini/settings.json",
        project: Some(".gemini/settings.json"),
        moved_by: None,
        form: Form::Groups {
            units: 1000,
            first: false,
        },
        registered: &[
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool",
            "AfterAgent",
            "PreCompress",
            "Notification",
            "SessionEnd",
        ],
        wrapped: &["BeforeAgent", "BeforeTool"],
        failing: Failing::ExitCode,
        observed: &["0.61.0"],
        obeys_nothing: &[],
        cannot: &[
            "the commands of `.gemini` are run by Gemini CLI itself, by its own rules: the bridge \
             adds the other handlers, dialects, adopted files and guards; to move a guard behind \
             the bridge, write `\"agents\": [\"hookloop\"]` beside it and install the guard with \
             `hookloop guards add`",
            "hooks before and after the model run in Gemini CLI itself only",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    project_variables: &["GEMINI_PROJECT_DIR"],
};

fn usual(_event: &str, mut payload: Map<String, Value>) -> Map<String, Value> {
    rename(&mut payload, "tool_call_id", "tool_use_id");
    rename(&mut payload, "prompt_response", "last_assistant_message");
    payload
}

/// Finds `mcp_server_tool`; the payload's `mcp_context` shows where the server's name ends.
fn mcp(name: &str) -> Option<McpTool<'_>> {
    McpTool::split_once(name.strip_prefix("mcp_")?, '_')
}

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    let (reason, ends) = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Ask(reason) => (Some(reason_or_default(reason)), false),
        Ruling::Stop(reason) => (Some(reason_or_default(reason)), true),
        Ruling::Silent => (None, false),
    };
    let own = object([
        ("hookEventName", Some(Value::from(asked.event))),
        ("tool_input", asked.arguments().cloned().map(Value::Object)),
        ("additionalContext", asked.context().map(Value::from)),
    ]);
    let fields = object([
        ("continue", ends.then_some(Value::Bool(false))),
        ("stopReason", reason.filter(|_| ends).map(Value::from)),
        ("decision", reason.map(|_| Value::from("deny"))),
        ("reason", reason.map(Value::from)),
        (
            "hookSpecificOutput",
            (own.len() > 1).then_some(Value::Object(own)),
        ),
        ("systemMessage", asked.message().map(Value::from)),
    ]);
    match reason {
        Some(reason) if asked.moment.refuses() && !ends => Answer::refusal(reason, fields),
        _ => Answer::of(fields),
    }
}
