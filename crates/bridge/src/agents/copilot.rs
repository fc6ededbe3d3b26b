//! Copilot CLI, measured on its build 1.0.102. Its payloads are in its own format or in Claude
//! Code's, depending on how the event was registered. It obeys answers without a wrapper in both.

use hookloop_dialects::tools::{ToolRule, same, tool, tools_of};
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest, object, reason_or_default};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::patches::{compose_patch, split_patch};
use crate::placing::{Failing, Form, Installing, Mover};
use crate::planned::{PlannedCall, Split};
use crate::profile::{
    CallOfTheirs, Capabilities, Capability, McpTool, Profile, any_prompt, rename,
};

/// What is known about it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("sessionStart", Moment::SessionStart),
        ("sessionEnd", Moment::SessionEnd),
        ("userPromptSubmitted", Moment::Prompt),
        ("preToolUse", Moment::BeforeTool),
        ("postToolUse", Moment::AfterTool),
        ("postToolUseFailure", Moment::AfterTool),
        ("agentStop", Moment::End),
        ("preCompact", Moment::Compress),
        ("notification", Moment::Alert),
        ("permissionRequest", Moment::Alert),
        ("subagentStart", Moment::SubAgentBegins),
        ("subagentStop", Moment::SubAgentEnds),
        ("userPromptTransformed", Moment::Nothing),
        ("errorOccurred", Moment::Nothing),
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
    ],
    tools: || tools_of(Dialect::Copilot),
    further_tools: FURTHER_TOOLS,
    usual,
    mcp,
    split,
    compose,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Rewrite,
            Capability::Ask,
            Capability::Withhold,
            Capability::RefusePrompt,
            Capability::Retry,
            Capability::TellPrompts,
        ],
        context: &[
            Moment::SessionStart,
            Moment::Prompt,
            Moment::BeforeTool,
            Moment::AfterTool,
        ],
        end_run: &[],
    },
    installing: Installing {
        program: "copilot",
        user: ".copilot/hooks/hookloop.json",
        project: Some(".github/hooks/hookloop.json"),
        moved_by: Some(Mover::Folder("COPILOT_HOME")),
        form: Form::CopilotFile,
        registered: &[
            "sessionStart",
            "userPromptSubmitted",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "agentStop",
            "preCompact",
            "notification",
            "sessionEnd",
        ],
        wrapped: &["userPromptSubmitted", "preToolUse"],
        failing: Failing::Copilot,
        observed: &["1.0.102"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a stop is a refusal, and the run continues",
            "messages for the user are shown nowhere",
            "`disableAllHooks` in a repository disables the user's hooks, too, also in Claude \
             Code's settings there; `bridge doctor` checks for both, and asks Copilot which hooks \
             are disabled",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &[
        "COPILOT_GITHUB_TOKEN",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_PROVIDER_BEARER_TOKEN",
        "GH_TOKEN",
        "GITHUB_TOKEN",
    ],
    project_variables: &["COPILOT_PROJECT_DIR"],
};

fn usual(_event: &str, mut payload: Map<String, Value>) -> Map<String, Value> {
    for (theirs, usual) in [
        ("sessionId", "session_id"),
        ("transcriptPath", "transcript_path"),
        ("agentId", "agent_id"),
        ("agentType", "agent_type"),
        ("toolName", "tool_name"),
        ("toolArgs", "tool_input"),
        ("toolInput", "tool_input"),
        ("toolResult", "tool_response"),
        ("tool_result", "tool_response"),
    ] {
        rename(&mut payload, theirs, usual);
    }
    payload
}

/// Where the name of a server ends can't be told if it contains a dash itself.
fn mcp(name: &str) -> Option<McpTool<'_>> {
    McpTool::split_once(name, '-')
}

/// Tools that run commands, too.
const FURTHER_TOOLS: &[ToolRule] = &[tool(
    "run_shell_command",
    &["powershell"],
    &[same("command"), same("description")],
)];

/// The name of the argument with a patch.
const PATCH: &str = "input";

/// A patch is a write for each file; what is typed into a running shell is a command.
fn split(call: &CallOfTheirs<'_>) -> Split {
    match call.tool {
        "apply_patch" => split_patch(call.tool, call.arguments, &[PATCH, "patch", "command"]),
        "write_bash" | "write_powershell" => match call.text("input") {
            Some(typed) => {
                let command = typed.replace("{enter}", "\n");
                Split::Calls(vec![PlannedCall::of(
                    "run_shell_command",
                    &[("command", &command)],
                )])
            }
            None => Split::Unclear(format!("`{}` was called without input", call.tool)),
        },
        // A tool that can read, create and change files.
        "str_replace_editor" => {
            let own = match call.text("command") {
                Some("view") => "view",
                Some("create") => "create",
                _ => "edit",
            };
            Split::Theirs(vec![(own.to_owned(), call.arguments.clone())])
        }
        _ => Split::Whole,
    }
}

fn compose(tool: &str, call: &PlannedCall) -> Option<Map<String, Value>> {
    match tool {
        "apply_patch" => compose_patch(PATCH, call),
        "write_bash" | "write_powershell" => {
            let command = call.text("command")?.replace('\n', "{enter}");
            Some(object([("input", Some(Value::from(command)))]))
        }
        _ => None,
    }
}

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    let context = || asked.context().map(Value::from);
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason))
        }
        Ruling::Silent => None,
    };
    match asked.moment {
        Moment::BeforeTool => {
            let decision = match &asked.conclusion.ruling {
                Ruling::Refuse(_) | Ruling::Stop(_) => Some("deny"),
                Ruling::Ask(_) => Some("ask"),
                Ruling::Silent => None,
            };
            let fields = object([
                ("permissionDecision", decision.map(Value::from)),
                ("permissionDecisionReason", reason.map(Value::from)),
                (
                    "modifiedArgs",
                    asked.arguments().cloned().map(Value::Object),
                ),
                ("additionalContext", context()),
            ]);
            match reason {
                Some(reason) if decision == Some("deny") && asked.context().is_none() => {
                    Answer::refusal(reason, fields)
                }
                _ => Answer::of(fields),
            }
        }
        // It ignores exit codes there.
        Moment::Prompt | Moment::AfterTool | Moment::End => Answer {
            stderr: reason.map(|it| format!("{it}\n")).unwrap_or_default(),
            ..Answer::of(object([
                ("decision", reason.map(|_| Value::from("block"))),
                ("reason", reason.map(Value::from)),
                ("additionalContext", context()),
            ]))
        },
        _ => Answer::of(object([("additionalContext", context())])),
    }
}
