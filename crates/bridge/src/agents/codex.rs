//! Codex, measured on its build 0.169.0. A reply with a field that it doesn't know counts for nothing
//! there, and the tool runs.

use hookloop_dialects::patch;
use hookloop_dialects::tools::tools_of;
use hookloop_hook::Dialect;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Asked, Family, FamilyRefusal, family, object, said};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing};
use crate::planned::{PlannedCall, Split, of_patch};
use crate::profile::{Abilities, Power, Profile, any_prompt, as_it_is, mcp_double};

/// What is known of it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("SessionStart", Moment::SessionStart),
        ("SessionEnd", Moment::SessionEnd),
        ("UserPromptSubmit", Moment::Prompt),
        ("PreToolUse", Moment::BeforeTool),
        ("PostToolUse", Moment::AfterTool),
        ("Stop", Moment::End),
        ("PreCompact", Moment::Compress),
        ("PermissionRequest", Moment::Alert),
        ("SubagentStart", Moment::SubAgentBegins),
        ("SubagentStop", Moment::SubAgentEnds),
        ("PostCompact", Moment::Nothing),
    ],
    tools: || tools_of(Dialect::Codex),
    usual: as_it_is,
    mcp: mcp_double,
    split,
    compose,
    no_prompt: any_prompt,
    abilities: Abilities {
        can: &[
            Power::Rewrite,
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
        end_run: &[Moment::End],
    },
    installing: Installing {
        program: "codex",
        user: ".codex/hooks.json",
        project: Some(".codex/hooks.json"),
        moved_by: Some("CODEX_HOME"),
        form: Form::Groups {
            units: 1,
            first: true,
        },
        registered: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "Stop",
            "PreCompact",
            "PermissionRequest",
            "SessionEnd",
        ],
        wrapped: &["PreToolUse"],
        failing: Failing::ExitCode,
        observed: &["0.169.0"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a hook's question is a refusal",
            "a patch of several files can't be rewritten, only refused",
            "the reason of a refused prompt is shown nowhere",
        ],
        pending: &[
            "Codex runs no hook before you trust it: start `codex`, open /hooks, and trust those of hookloop; until then they are skipped in silence",
        ],
    },
    say,
    withheld: &["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"],
    project_variables: &[],
};

const FAMILY: Family = Family {
    refusal: FamilyRefusal::ByExitCode,
    rewrite_needs_allow: true,
    messages: true,
};

/// A patch is a write of ours for each file, also one inside of a shell command (BR-10).
fn split(tool: &str, arguments: &Map<String, Value>) -> Split {
    let command = ["command", "input", "patch"]
        .into_iter()
        .find_map(|name| arguments.get(name)?.as_str());
    let (is_patch, is_shell) = (tool == "apply_patch", tool == "Bash");
    if !is_patch && !is_shell {
        return Split::Whole;
    }
    let Some(command) = command else {
        return Split::Unclear(format!("the arguments of `{tool}` hold no command"));
    };
    let patches = patch::embedded(command);
    if is_patch && patches.is_empty() {
        return Split::Unclear("`apply_patch` was called without a patch".to_owned());
    }
    if patches.is_empty() {
        return Split::Whole;
    }
    let mut calls = Vec::new();
    if is_shell {
        calls.push(PlannedCall {
            tool: "run_shell_command".to_owned(),
            arguments: arguments.clone(),
        });
    }
    for text in patches {
        match patch::read(text) {
            Ok(files) => calls.extend(of_patch(files)),
            // Another program may be given what looks like a patch.
            Err(_) if is_shell && !names_patch(command) => {}
            Err(why) => return Split::Unclear(why.to_string()),
        }
    }
    Split::Calls(calls)
}

fn names_patch(command: &str) -> bool {
    command.contains("apply_patch") || command.contains("applypatch")
}

fn compose(tool: &str, call: &PlannedCall) -> Option<Map<String, Value>> {
    match (tool, call.tool.as_str()) {
        ("apply_patch", "write_file" | "replace") => {
            let text = patch::of(&call.tool, &call.arguments)?;
            Some(Map::from_iter([("command".to_owned(), Value::from(text))]))
        }
        ("Bash", "run_shell_command") => {
            let command = call.text("command")?;
            Some(Map::from_iter([(
                "command".to_owned(),
                Value::from(command),
            )]))
        }
        _ => None,
    }
}

fn say(asked: &Asked<'_>) -> Answer {
    if asked.moment != Moment::AfterTool {
        return family(asked, &FAMILY);
    }
    let ruling = &asked.conclusion.ruling;
    let reason = match ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => Some(said(reason)),
        Ruling::Silent => None,
    };
    let own = asked
        .context()
        .map(|context| json!({"hookEventName": asked.event, "additionalContext": context}));
    Answer::of(object([
        ("decision", reason.map(|_| Value::from("block"))),
        ("reason", reason.map(Value::from)),
        ("hookSpecificOutput", own),
        ("systemMessage", asked.message().map(Value::from)),
    ]))
}
