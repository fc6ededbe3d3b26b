//! Cursor, according to its documentation of July 2026: untested.

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
        ("sessionStart", Moment::SessionStart),
        ("sessionEnd", Moment::SessionEnd),
        ("beforeSubmitPrompt", Moment::Prompt),
        ("preToolUse", Moment::BeforeTool),
        ("postToolUse", Moment::AfterTool),
        ("postToolUseFailure", Moment::AfterTool),
        ("stop", Moment::End),
        ("preCompact", Moment::Compress),
        ("subagentStop", Moment::SubAgentEnds),
        // These ask about the same call again; `install` registers only `preToolUse`.
        ("beforeShellExecution", Moment::BeforeTool),
        ("beforeMCPExecution", Moment::BeforeTool),
        ("beforeReadFile", Moment::BeforeTool),
        ("subagentStart", Moment::BeforeTool),
        // These report the same call again, and can't refuse.
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
    split: unsplit,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[
            "beforeShellExecution",
            "beforeMCPExecution",
            "beforeReadFile",
            "subagentStart",
        ],
        can: &[
            Capability::Rewrite,
            Capability::Ask,
            Capability::RefusePrompt,
            Capability::Retry,
            Capability::TellPrompts,
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
            "all of this follows Cursor's documentation, and hasn't been observed",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &["CURSOR_API_KEY"],
    project_variables: &["CURSOR_PROJECT_DIR"],
};

fn usual(event: &str, mut payload: Map<String, Value>) -> Map<String, Value> {
    ask_of_call(event, &mut payload);
    rename(&mut payload, "conversation_id", "session_id");
    rename(&mut payload, "generation_id", "turn_id");
    rename(&mut payload, "tool_output", "tool_response");
    rename(&mut payload, "error_message", "error");
    rename(&mut payload, "subagent_id", "agent_id");
    let is_said = |it: &Value| it.as_str().is_some_and(|it| !it.is_empty());
    if !payload.get("cwd").is_some_and(is_said)
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

/// Converts what an event about one kind of tool says to the form of `preToolUse`.
fn ask_of_call(event: &str, payload: &mut Map<String, Value>) {
    let name = |payload: &Map<String, Value>| {
        let name = payload.get("tool_name").and_then(Value::as_str);
        name.unwrap_or_default().to_owned()
    };
    let (tool, fields): (String, &[&str]) = match event {
        "beforeShellExecution" => ("Shell".to_owned(), &["command"]),
        "beforeReadFile" => ("Read".to_owned(), &["file_path"]),
        "subagentStart" => {
            // The main agent makes the call.
            payload.remove("subagent_id");
            ("Task".to_owned(), &["subagent_type", "task"])
        }
        "beforeMCPExecution" => {
            let tool = name(payload);
            if let Some(server) = payload.get("mcp_server_name").cloned() {
                let context = object([
                    ("server_name", Some(server)),
                    ("tool_name", Some(Value::from(tool.as_str()))),
                ]);
                payload.insert("mcp_context".to_owned(), Value::Object(context));
            }
            if !tool.is_empty() && !tool.starts_with("MCP:") {
                payload.insert("tool_name".to_owned(), Value::from(format!("MCP:{tool}")));
            }
            return;
        }
        _ => return,
    };
    let reply = fields
        .iter()
        .filter_map(|it| Some(((*it).to_owned(), payload.get(*it)?.clone())));
    let input: Map<String, Value> = reply.collect();
    let is_text = |it: &Value| it.as_str().is_some_and(|it| !it.is_empty());
    // The task is required; a sub-agent may have no type.
    if fields.len() == 1 && !input.values().any(is_text) {
        return;
    }
    payload.insert("tool_name".to_owned(), Value::from(tool));
    payload.insert("tool_input".to_owned(), Value::Object(input));
}

/// The name of a server's tool doesn't say which server it belongs to.
fn mcp(name: &str) -> Option<McpTool<'_>> {
    let tool = name.strip_prefix("MCP:")?;
    Some(McpTool::Of("mcp", tool))
}

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    // These events can't ask the user.
    let is_plain = matches!(asked.event, "beforeReadFile" | "subagentStart");
    let reason = match &asked.conclusion.ruling {
        Ruling::Ask(reason) if is_plain => {
            Some(format!("needs approval: {}", reason_or_default(reason)))
        }
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason).to_owned())
        }
        Ruling::Silent => None,
    };
    let reason = reason.as_deref();
    let text = reason.map(Value::from);
    match asked.moment {
        Moment::BeforeTool => {
            let permission = match &asked.conclusion.ruling {
                Ruling::Refuse(_) | Ruling::Stop(_) => Some("deny"),
                Ruling::Ask(_) if is_plain => Some("deny"),
                Ruling::Ask(_) => Some("ask"),
                Ruling::Silent => None,
            };
            let fields = object([
                ("permission", permission.map(Value::from)),
                ("user_message", text.clone()),
                ("agent_message", text.filter(|_| !is_plain)),
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
            None => Answer::empty(),
        },
        Moment::End => Answer::of(object([("followup_message", text)])),
        _ => {
            let texts: Vec<&str> = reason.into_iter().chain(asked.context()).collect();
            let context = (!texts.is_empty()).then(|| Value::from(texts.join("\n")));
            Answer::of(object([("additional_context", context)]))
        }
    }
}
