//! Claude Code, measured on its build 2.1.330.

use hookloop_dialects::tools::tools_of;
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

use crate::answer::{Answer, Asked, Family, FamilyRefusal, family, object, said};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing};
use crate::planned::{PlannedCall, Split};
use crate::profile::{Abilities, Power, Profile, any_prompt, as_it_is, mcp_double, no_other_form};
use crate::results;

/// What is known of it.
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
    usual: as_it_is,
    mcp: mcp_double,
    split,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Abilities {
        can: &[
            Power::Rewrite,
            Power::Ask,
            Power::Withhold,
            Power::RefusePrompt,
            Power::Retry,
            Power::TellPrompts,
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
        moved_by: Some("CLAUDE_CONFIG_DIR"),
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
        observed: &["2.1.330"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a retry can't clear the history",
            "a repository's `disableAllHooks` switches off the person's hooks, too, and says nothing; `bridge doctor` looks for it",
        ],
        pending: &[],
    },
    say,
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

/// An edit of several parts is one of ours for each.
fn split(tool: &str, arguments: &Map<String, Value>) -> Split {
    let edits = arguments.get("edits").and_then(Value::as_array);
    let (Some(edits), "MultiEdit") = (edits, tool) else {
        return Split::Whole;
    };
    let path = arguments.get("file_path").cloned().unwrap_or_default();
    let calls = edits.iter().map(|edit| {
        let mut arguments = Map::from_iter([("file_path".to_owned(), path.clone())]);
        for name in ["old_string", "new_string"] {
            let text = edit.get(name).cloned().unwrap_or_default();
            arguments.insert(name.to_owned(), text);
        }
        PlannedCall {
            tool: "replace".to_owned(),
            arguments,
        }
    });
    Split::Calls(calls.collect())
}

fn say(asked: &Asked<'_>) -> Answer {
    match (asked.moment, &asked.conclusion.ruling) {
        (Moment::AfterTool, _) => after_tool(asked),
        (Moment::ConfigChange, Ruling::Refuse(reason) | Ruling::Stop(reason)) => {
            Answer::refusal(reason, Map::new())
        }
        _ => family(asked, &FAMILY),
    }
}

/// A reason stands beside the result, so what is withheld is replaced, too.
fn after_tool(asked: &Asked<'_>) -> Answer {
    let ruling = &asked.conclusion.ruling;
    let reason = match ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => Some(said(reason)),
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
