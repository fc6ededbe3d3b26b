//! Cursor, by its documents of July 2026: unproven.

use hookloop_dialects::tools::tools_of;
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

use crate::answer::{Answer, Asked, object, said};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing};
use crate::profile::{
    Abilities, McpTool, Power, Profile, any_prompt, no_other_form, rename, whole,
};

/// What is known of it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("sessionStart", Moment::SessionStart),
        ("sessionEnd", Moment::SessionEnd),
        ("beforeSubmitPrompt", Moment::Prompt),
        ("preToolUse", Moment::BeforeTool),
        ("postToolUse", Moment::AfterTool),
        ("postToolUseFailure", Moment::AfterTool),
        ("stop", Moment::End),
        ("preCompact", Moment::Compress),
        ("subagentStart", Moment::SubAgentBegins),
        ("subagentStop", Moment::SubAgentEnds),
        // These tell of a call once more.
        ("beforeShellExecution", Moment::Nothing),
        ("beforeMCPExecution", Moment::Nothing),
        ("beforeReadFile", Moment::Nothing),
        ("afterShellExecution", Moment::Nothing),
        ("afterMCPExecution", Moment::Nothing),
        ("afterFileEdit", Moment::Nothing),
        ("afterAgentResponse", Moment::Nothing),
        ("afterAgentThought", Moment::Nothing),
    ],
    tools: || tools_of(Dialect::Cursor),
    further_tools: &[],
    usual,
    mcp,
    split: whole,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Abilities {
        can: &[
            Power::Rewrite,
            Power::Ask,
            Power::RefusePrompt,
            Power::Retry,
            Power::TellPrompts,
        ],
        context: &[Moment::SessionStart, Moment::AfterTool],
        end_run: &[],
    },
    installing: Installing {
        program: "cursor-agent",
        user: ".cursor/hooks.json",
        project: Some(".cursor/hooks.json"),
        moved_by: None,
        form: Form::Flat,
        registered: &[
            "sessionStart",
            "beforeSubmitPrompt",
            "preToolUse",
            "postToolUse",
            "stop",
            "preCompact",
            "sessionEnd",
        ],
        wrapped: &["beforeSubmitPrompt", "preToolUse"],
        failing: Failing::ExitCode,
        observed: &[],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "all of this is by Cursor's documents: nobody has seen it obey",
        ],
        pending: &[],
    },
    say,
    withheld: &["CURSOR_API_KEY"],
    project_variables: &["CURSOR_PROJECT_DIR"],
};

fn usual(_event: &str, mut payload: Map<String, Value>) -> Map<String, Value> {
    rename(&mut payload, "conversation_id", "session_id");
    rename(&mut payload, "generation_id", "turn_id");
    rename(&mut payload, "tool_output", "tool_response");
    rename(&mut payload, "error_message", "error");
    rename(&mut payload, "subagent_id", "agent_id");
    if !payload.contains_key("cwd")
        && let Some(root) = payload.get("workspace_roots").and_then(|it| it.get(0))
    {
        let root = root.clone();
        payload.insert("cwd".to_owned(), root);
    }
    let loops = payload.get("loop_count").and_then(Value::as_u64);
    if loops.is_some_and(|it| it > 0) {
        payload.insert("stop_hook_active".to_owned(), Value::Bool(true));
    }
    payload
}

/// Whose a server's tool is isn't in its name.
fn mcp(name: &str) -> Option<McpTool<'_>> {
    let tool = name.strip_prefix("MCP:")?;
    Some(McpTool::Of("mcp", tool))
}

fn say(asked: &Asked<'_>) -> Answer {
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => Some(said(reason)),
        Ruling::Silent => None,
    };
    let text = reason.map(Value::from);
    match asked.moment {
        Moment::BeforeTool => {
            let permission = match &asked.conclusion.ruling {
                Ruling::Refuse(_) | Ruling::Stop(_) => Some("deny"),
                Ruling::Ask(_) => Some("ask"),
                Ruling::Silent => None,
            };
            let fields = object([
                ("permission", permission.map(Value::from)),
                ("user_message", text.clone()),
                ("agent_message", text),
                (
                    "updated_input",
                    asked.arguments().cloned().map(Value::Object),
                ),
            ]);
            match reason {
                Some(reason) if permission == Some("deny") => Answer::refusal(reason, fields),
                _ => Answer::of(fields),
            }
        }
        Moment::Prompt => match reason {
            Some(reason) => Answer::refusal(
                reason,
                object([
                    ("continue", Some(Value::Bool(false))),
                    ("user_message", text),
                ]),
            ),
            None => Answer::nothing(),
        },
        Moment::End => Answer::of(object([("followup_message", text)])),
        _ => {
            let texts: Vec<&str> = reason.into_iter().chain(asked.context()).collect();
            let context = (!texts.is_empty()).then(|| Value::from(texts.join("\n")));
            Answer::of(object([("additional_context", context)]))
        }
    }
}
