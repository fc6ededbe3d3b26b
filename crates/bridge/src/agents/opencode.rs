//! opencode, measured on its build 1.18.33. It has no command hooks, so our plugin calls the bridge
//! and does what the bridge answers. The format between the two is our own.

use hookloop_dialects::tools::{Argument, Kind, ToolRule, argument, renamed, same, tool};
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest, object, reason_or_default};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::patches::{compose_patch, split_patch};
use crate::placing::{Failing, Form, Installing, Mover};
use crate::planned::{EditWords, PlannedCall, Split, split_edits};
use crate::profile::{CallOfTheirs, Capabilities, Capability, McpTool, Profile, any_prompt};
use crate::results;

/// What is known about it.
pub(crate) const PROFILE: Profile = Profile {
    events: &[
        ("session.created", Moment::SessionStart),
        ("session.deleted", Moment::SessionEnd),
        ("chat.message", Moment::Prompt),
        ("tool.execute.before", Moment::BeforeTool),
        ("tool.execute.after", Moment::AfterTool),
        ("session.idle", Moment::End),
        ("experimental.session.compacting", Moment::Compress),
        ("permission.ask", Moment::Alert),
    ],
    tools: || TOOLS,
    further_tools: &[],
    usual,
    mcp,
    split,
    compose,
    no_prompt: any_prompt,
    abilities: Capabilities {
        no_rewrite_at: &[],
        can: &[
            Capability::Rewrite,
            Capability::Withhold,
            Capability::RefusePrompt,
            Capability::TellPrompts,
        ],
        context: &[Moment::Prompt, Moment::AfterTool],
        end_run: &[],
    },
    installing: Installing {
        program: "opencode",
        user: ".config/opencode/plugin/hookloop.js",
        project: Some(".opencode/plugin/hookloop.js"),
        moved_by: Some(Mover::Folder("XDG_CONFIG_HOME")),
        form: Form::Module,
        registered: &[
            "session.created",
            "chat.message",
            "tool.execute.before",
            "tool.execute.after",
            "session.idle",
            "session.deleted",
        ],
        wrapped: &["chat.message", "tool.execute.before"],
        failing: Failing::ExitCode,
        observed: &["1.18.33"],
        obeys_nothing: &[],
        cannot: &[
            "hooks before and after the model, and for choosing tools, never fire",
            "a hook's `ask` is a refusal",
            "a turn can't be made to continue",
            "started with `--pure`, it silently runs no hooks",
        ],
        pending: &[],
    },
    write_answer,
    withheld: &["OPENCODE_API_KEY", "OPENCODE_AUTH_CONTENT"],
    project_variables: &[],
};

const FILE: Argument = argument("file_path", "filePath", Kind::Path);
const FOLDER: Argument = argument("dir_path", "path", Kind::Path);

const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["bash"],
        &[
            same("command"),
            same("description"),
            argument("dir_path", "workdir", Kind::Path),
        ],
    ),
    tool(
        "read_file",
        &["read"],
        &[
            FILE,
            argument("offset", "offset", Kind::Line),
            same("limit"),
        ],
    ),
    tool("write_file", &["write"], &[FILE, same("content")]),
    tool(
        "replace",
        &["edit"],
        &[
            FILE,
            renamed("old_string", "oldString"),
            renamed("new_string", "newString"),
            renamed("allow_multiple", "replaceAll"),
        ],
    ),
    tool("glob", &["glob"], &[same("pattern"), FOLDER]),
    tool(
        "search_file_content",
        &["grep"],
        &[same("pattern"), FOLDER, same("include")],
    ),
    tool("list_directory", &["list"], &[FOLDER]),
    tool("web_fetch", &["webfetch"], &[renamed("prompt", "url")]),
    tool("google_web_search", &["websearch"], &[same("query")]),
    tool("write_todos", &["todowrite"], &[same("todos")]),
    tool(
        "delegate_to_agent",
        &["task"],
        &[
            renamed("agent_name", "subagent_type"),
            renamed("objective", "prompt"),
        ],
    ),
];

/// The plugin passes on what opencode gives it: `input`, `output` and the folder.
fn usual(_event: &str, payload: Map<String, Value>) -> Map<String, Value> {
    let at = |pointer: &str| {
        let (first, rest) = pointer.split_once('/').unwrap_or((pointer, ""));
        let value = payload.get(first)?;
        if rest.is_empty() {
            Some(value.clone())
        } else {
            value.pointer(&format!("/{rest}")).cloned()
        }
    };
    let either = |one: &str, other: &str| at(one).or_else(|| at(other));
    let session = either("input/sessionID", "input/properties/sessionID");
    let fields = object([
        ("session_id", session.or_else(|| at("session_id"))),
        (
            "cwd",
            either("directory", "input/properties/info/directory"),
        ),
        ("tool_name", at("input/tool")),
        ("tool_input", either("output/args", "input/args")),
        ("tool_use_id", at("input/callID")),
        ("tool_response", at("output/output")),
        ("prompt", at("output/parts")),
        ("agent_id", at("agent_id")),
        ("message", either("input/title", "message")),
        (
            "notification_type",
            at("input/permission").map(|_| Value::from("permission_prompt")),
        ),
    ]);
    let mut usual = payload;
    for name in ["input", "output"] {
        usual.remove(name);
    }
    usual.extend(fields);
    usual
}

/// Its own tools whose names look like those of a server.
const OWN: [&str; 3] = ["apply_patch", "plan_enter", "plan_exit"];

/// It joins a server's name and its tool's with an underscore, which both may contain.
fn mcp(name: &str) -> Option<McpTool<'_>> {
    if let Some(joined) = name.strip_prefix("mcp__") {
        let (server, tool) = joined.split_once("__")?;
        return Some(McpTool::Of(server, tool));
    }
    if OWN.contains(&name) {
        return None;
    }
    // A plugin's tool may have such a name, too; its own name is then one of the names compared.
    let (server, tool) = name.split_once('_')?;
    (!server.is_empty() && !tool.is_empty()).then_some(McpTool::Joined(name))
}

/// The name of the argument with a patch.
const PATCH: &str = "patchText";

const EDITS: EditWords<'_> = EditWords {
    old: "oldString",
    new: "newString",
    file: Some("filePath"),
};

/// A patch is a write for each file, an edit of several parts one of ours for each, and a batch all
/// the calls in it.
fn split(call: &CallOfTheirs<'_>) -> Split {
    match call.tool {
        "apply_patch" | "patch" => split_patch(call.tool, call.arguments, &[PATCH, "patch"]),
        "multiedit" => match call.arguments.get("edits") {
            Some(edits) => split_edits(call.arguments.get("filePath"), edits, &EDITS),
            None => Split::Unclear("`multiedit` was called without edits".to_owned()),
        },
        "batch" => {
            let calls = call.arguments.get("tool_calls").and_then(Value::as_array);
            let inner = |it: &Value| {
                let name = it.get("tool")?.as_str()?.to_owned();
                Some((name, it.get("parameters")?.as_object()?.clone()))
            };
            match calls.and_then(|calls| calls.iter().map(inner).collect()) {
                Some(calls) => Split::Theirs(calls),
                None => Split::Unclear("a call in `batch` can't be read".to_owned()),
            }
        }
        _ => Split::Whole,
    }
}

fn compose(tool: &str, call: &PlannedCall) -> Option<Map<String, Value>> {
    ["apply_patch", "patch"]
        .contains(&tool)
        .then(|| compose_patch(PATCH, call))?
}

fn write_answer(asked: &AnswerRequest<'_>) -> Answer {
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => {
            Some(reason_or_default(reason))
        }
        Ruling::Silent => None,
    };
    match (asked.moment, reason) {
        (Moment::BeforeTool | Moment::Prompt, Some(reason)) => {
            Answer::refusal(reason, object([("refuse", Some(Value::from(reason)))]))
        }
        (Moment::AfterTool, Some(reason)) => {
            let result = asked.field("tool_response").unwrap_or(&Value::Null);
            Answer::of(object([
                ("output", Some(results::in_its_place(result, reason))),
                ("context", asked.context().map(Value::from)),
            ]))
        }
        _ => Answer::of(object([
            ("args", asked.arguments().cloned().map(Value::Object)),
            ("context", asked.context().map(Value::from)),
        ])),
    }
}
