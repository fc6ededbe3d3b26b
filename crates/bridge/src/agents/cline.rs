//! Cline, measured on its build 3.0.65. The only way to keep a tool from running ends the whole
//! run, whatever the exit code. Cline runs several commands, and reads several files, in one call.

use hookloop_dialects::tools::{Argument, Kind, ToolRule, argument, renamed, same, tool};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, AnswerRequest, object, reason_or_default};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::patches::{compose_patch, split_patch};
use crate::placing::{Failing, Form, Installing, Mover};
use crate::planned::{PlannedCall, Split};
use crate::profile::{CallOfTheirs, Capabilities, Capability, Profile, any_prompt, mcp_double};

/// What is known about it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("TaskStart", Moment::SessionStart),
        ("TaskResume", Moment::SessionStart),
        ("SessionShutdown", Moment::SessionEnd),
        ("UserPromptSubmit", Moment::Prompt),
        ("PreToolUse", Moment::BeforeTool),
        ("PostToolUse", Moment::AfterTool),
        ("TaskComplete", Moment::End),
        ("TaskCancel", Moment::Nothing),
        ("PreCompact", Moment::Compress),
    ],
    tools: || TOOLS,
    further_tools: &[],
    usual,
    mcp: mcp_double,
    split,
    compose,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Rewrite,
            Capability::RefusePrompt,
            Capability::TellPrompts,
        ],
        context: &[Moment::BeforeTool, Moment::AfterTool],
        end_run: &[Moment::BeforeTool, Moment::Prompt],
    },
    installing: Installing {
        program: "cline",
        user: ".cline/hooks",
        project: Some(".clinerules/hooks"),
        moved_by: Some(Mover::Folder("CLINE_DIR")),
        form: Form::Scripts,
        registered: &[
            "TaskStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "TaskComplete",
        ],
        wrapped: &["UserPromptSubmit", "PreToolUse"],
        failing: Failing::Cline,
        observed: &["3.0.65"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a refusal ends the whole run, and its reason is shown to nobody",
            "a hook's `ask` is a refusal",
            "a turn can't be made to continue",
            "started with `--config` for another folder, it silently runs no hooks",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &["CLINE_API_KEY"],
    project_variables: &[],
};

const FILE: Argument = argument("file_path", "path", Kind::Path);

const TOOLS: &[ToolRule] = &[
    tool(
        "search_file_content",
        &["search_codebase"],
        &[renamed("pattern", "query")],
    ),
    tool(
        "list_directory",
        &["list_files"],
        &[argument("dir_path", "path", Kind::Path)],
    ),
    tool(
        "delegate_to_agent",
        &["spawn_agent"],
        &[renamed("objective", "task")],
    ),
    tool(
        "web_fetch",
        &["fetch_web_content"],
        &[renamed("prompt", "url")],
    ),
    tool(
        "run_shell_command",
        &["execute_command"],
        &[same("command")],
    ),
    tool("read_file", &["read_file"], &[FILE]),
    tool(
        "write_file",
        &["write_to_file", "new_file"],
        &[FILE, same("content")],
    ),
    tool(
        "replace",
        &["replace_in_file"],
        &[FILE, renamed("new_string", "diff")],
    ),
];

fn usual(_event: &str, mut payload: Map<String, Value>) -> Map<String, Value> {
    // Every payload has an agent's id, but only a sub-agent has a parent.
    let is_main = payload.get("parent_agent_id").is_none_or(Value::is_null);
    if is_main {
        payload.remove("agent_id");
    }
    let cwd = payload
        .get("workspaceRoots")
        .and_then(|roots| roots.get(0))
        .cloned();
    let call = ["tool_call", "tool_result"]
        .into_iter()
        .find_map(|name| payload.get(name).cloned());
    let of_call = |name: &str| call.as_ref().and_then(|call| call.get(name)).cloned();
    let answer = payload
        .get("turn")
        .and_then(|turn| turn.get("outputText"))
        .cloned();
    let prompt = payload
        .get("userPromptSubmit")
        .and_then(|it| it.get("prompt"))
        .cloned();
    for (name, value) in [
        ("session_id", payload.get("taskId").cloned()),
        ("cwd", cwd),
        ("tool_name", of_call("name")),
        ("tool_input", of_call("input")),
        ("tool_use_id", of_call("id")),
        ("tool_response", of_call("output")),
        ("error", of_call("error")),
        ("last_assistant_message", answer),
        ("prompt", prompt),
    ] {
        if let Some(value) = value {
            payload.entry(name).or_insert(value);
        }
    }
    payload
}

/// The name of the argument with a patch.
const PATCH: &str = "input";

fn split(call: &CallOfTheirs<'_>) -> Split {
    match call.tool {
        "run_commands" => split_commands(call.arguments.get("commands")),
        "apply_patch" => split_patch(call.tool, call.arguments, &[PATCH, "patch"]),
        "editor" => {
            let Some(path) = call.text("path") else {
                return Split::Unclear("`editor` was called without a path".to_owned());
            };
            let new = call.text("new_text").unwrap_or_default();
            let call = match call.text("old_text") {
                Some(old) => PlannedCall::of(
                    "replace",
                    &[
                        ("file_path", path),
                        ("old_string", old),
                        ("new_string", new),
                    ],
                ),
                None => PlannedCall::of("write_file", &[("file_path", path), ("content", new)]),
            };
            Split::Calls(vec![call])
        }
        "read_files" => {
            let names = ["files", "paths", "file_paths"];
            let files = names.iter().find_map(|name| call.arguments.get(*name));
            let files = files.and_then(Value::as_array);
            let file = |it: &Value| {
                let path = it.as_str().or_else(|| it.get("path")?.as_str())?;
                Some(PlannedCall::of("read_file", &[("file_path", path)]))
            };
            match files.and_then(|files| files.iter().map(file).collect()) {
                Some(calls) => Split::Calls(calls),
                None => Split::Unclear("a file of `read_files` has no path".to_owned()),
            }
        }
        _ => Split::Whole,
    }
}

/// Splits commands, which are a list, or a single one.
fn split_commands(given: Option<&Value>) -> Split {
    let parsed;
    let commands = match given {
        Some(Value::Array(commands)) => commands.as_slice(),
        Some(Value::String(text)) => {
            parsed =
                serde_json::from_str(text).unwrap_or_else(|_| vec![Value::from(text.as_str())]);
            parsed.as_slice()
        }
        Some(one @ Value::Object(_)) => std::slice::from_ref(one),
        _ => return Split::Unclear("`run_commands` was called without commands".to_owned()),
    };
    match commands.iter().map(command).collect() {
        Some(calls) => Split::Calls(calls),
        None => Split::Unclear(
            "a command of `run_commands` isn't text, or has an unknown part".to_owned(),
        ),
    }
}

/// Reads a command: text, or a program and its arguments. `None` if it isn't known what it does.
fn command(value: &Value) -> Option<PlannedCall> {
    let fields = match value {
        Value::String(text) => {
            return Some(PlannedCall::of("run_shell_command", &[("command", text)]));
        }
        Value::Object(fields) => fields,
        _ => return None,
    };
    let mut line = fields.get("command")?.as_str()?.to_owned();
    let mut folder = None;
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("command", _)
            | (_, Value::Null | Value::Bool(_) | Value::Number(_))
            | ("description" | "name" | "title" | "id", Value::String(_)) => {}
            ("args" | "arguments", Value::Array(words)) => {
                let words: Vec<&str> = words.iter().map(Value::as_str).collect::<Option<_>>()?;
                if !words.is_empty() {
                    line = format!("{line} {}", hookloop_shell::join(words));
                }
            }
            ("args" | "arguments", Value::String(words)) => line = format!("{line} {words}"),
            ("cwd" | "workdir" | "directory", Value::String(path)) => folder = Some(path.as_str()),
            _ => return None,
        }
    }
    let folder = folder.map(|it| ("dir_path", it));
    let arguments: Vec<_> = std::iter::once(("command", line.as_str()))
        .chain(folder)
        .collect();
    Some(PlannedCall::of("run_shell_command", &arguments))
}

fn compose(tool: &str, call: &PlannedCall) -> Option<Map<String, Value>> {
    let value = |name: &str| call.arguments.get(name).cloned();
    Some(match tool {
        "run_commands" if call.text("dir_path").is_none() => {
            object([("commands", Some(json!([call.text("command")?])))])
        }
        "apply_patch" => compose_patch(PATCH, call)?,
        "editor" => object([
            ("path", value("file_path")),
            ("old_text", value("old_string")),
            ("new_text", value("new_string").or_else(|| value("content"))),
        ]),
        "read_files" => object([("files", Some(json!([{"path": call.text("file_path")?}])))]),
        _ => return None,
    })
}

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason))
        }
        Ruling::Silent => None,
    };
    let cancels = matches!(asked.moment, Moment::BeforeTool | Moment::Prompt);
    match reason {
        Some(reason) if cancels => Answer {
            stderr: format!("{reason}\n"),
            ..Answer::of(object([
                ("cancel", Some(Value::Bool(true))),
                ("errorMessage", Some(Value::from(reason))),
            ]))
        },
        _ => {
            let texts: Vec<&str> = reason.into_iter().chain(asked.context()).collect();
            let context = (!texts.is_empty()).then(|| Value::from(texts.join("\n")));
            let reads = matches!(asked.moment, Moment::BeforeTool | Moment::AfterTool);
            Answer::of(object([
                ("contextModification", context.filter(|_| reads)),
                (
                    "overrideInput",
                    asked.arguments().cloned().map(Value::Object),
                ),
            ]))
        }
    }
}
