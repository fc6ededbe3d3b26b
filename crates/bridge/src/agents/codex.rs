//! Codex, measured on its build 0.169.0. It ignores a reply that contains an unknown field, and
//! runs the tool.

use hookloop_dialects::tools::{renamed, tool, tools_of};
use hookloop_hook::Dialect;
use serde_json::{Map, Value, json};

use crate::answer::{
    Answer, AnswerRequest, Family, FamilyRefusal, family, object, reason_or_default,
};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::patches::{compose_patch, in_shell, split_patch};
use crate::placing::{Failing, Form, Installing, Mover};
use crate::planned::{PlannedCall, Split};
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
        ("PermissionRequest", Moment::Alert),
        ("SubagentStart", Moment::SubAgentBegins),
        ("SubagentStop", Moment::SubAgentEnds),
        ("PostCompact", Moment::Nothing),
    ],
    tools: || tools_of(Dialect::Codex),
    further_tools: &[tool(
        "run_shell_command",
        &["write_stdin"],
        &[renamed("command", "chars")],
    )],
    usual: as_it_is,
    mcp: mcp_double,
    split,
    compose,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Rewrite,
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
        end_run: &[Moment::SessionStart, Moment::End],
    },
    installing: Installing {
        program: "codex",
        user: ".codex/hooks.json",
        project: Some(".codex/hooks.json"),
        moved_by: Some(Mover::Folder("CODEX_HOME")),
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
        observed: &["0.169.0", "0.171.0"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a hook's `ask` is a refusal",
            "a patch of several files can't be rewritten, only refused",
            "the reason of a refused prompt is shown nowhere",
            "started with `--disable hooks`, or with a profile or a `-c` that says so, it silently \
             runs no hooks",
        ],
        pending: &[
            "Codex runs no hook before you trust it: start `codex`, open /hooks, and trust those \
             of hookloop; until then it silently skips them",
        ],
    },
    write_answer,
    withheld: &["OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"],
    project_variables: &[],
};

const FAMILY: Family = Family {
    refusal: FamilyRefusal::ByExitCode,
    rewrite_needs_allow: true,
    messages: true,
};

/// The names of the arguments with a patch.
const PATCH: [&str; 3] = ["command", "input", "patch"];

/// A patch is one of our writes for each file, even inside a shell command (BR-10).
fn split(call: &CallOfTheirs<'_>) -> Split {
    match call.tool {
        "apply_patch" => split_patch(call.tool, call.arguments, &PATCH),
        "Bash" => split_shell(call),
        _ => Split::Whole,
    }
}

fn split_shell(call: &CallOfTheirs<'_>) -> Split {
    let mut arguments = call.arguments.clone();
    // Some builds write the command as a list of words.
    if let Some(words) = arguments.get("command").and_then(Value::as_array) {
        let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
        let Some(words) = words else {
            return Split::Unclear("a word of the command isn't a string".to_owned());
        };
        let line = hookloop_shell::join(words);
        arguments.insert("command".to_owned(), Value::from(line));
    }
    let Some(command) = arguments.get("command").and_then(Value::as_str) else {
        return Split::Unclear(format!(
            "the arguments of `{}` contain no command",
            call.tool
        ));
    };
    match in_shell(command, call.cwd) {
        Err(why) => Split::Unclear(why),
        Ok(writes) if writes.is_empty() && arguments == *call.arguments => Split::Whole,
        Ok(writes) => {
            let command = PlannedCall {
                tool: "run_shell_command".to_owned(),
                arguments,
            };
            Split::Calls(std::iter::once(command).chain(writes).collect())
        }
    }
}

fn compose(tool: &str, call: &PlannedCall) -> Option<Map<String, Value>> {
    match (tool, call.tool.as_str()) {
        ("apply_patch", "write_file" | "replace") => compose_patch("command", call),
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

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    if asked.moment != Moment::AfterTool {
        return family(asked, &FAMILY);
    }
    let ruling = &asked.conclusion.ruling;
    let reason = match ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason))
        }
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
