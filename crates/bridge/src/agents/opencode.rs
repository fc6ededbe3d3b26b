//! opencode, measured on its build 1.18.33: it has no commands for hooks, so a plugin of ours calls the
//! bridge, and does what it answers. The words between the two are our own.

use hookloop_dialects::tools::{Argument, Kind, ToolRule, argument, renamed, same, tool};
use serde_json::{Map, Value};

use crate::answer::{Answer, Asked, object, said};
use crate::conclusion::Ruling;
use crate::moment::Moment;
use crate::placing::{Failing, Form, Installing};
use crate::profile::{Abilities, Power, Profile, any_prompt, no_other_form, whole};
use crate::results;

/// What is known of it.
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
    usual,
    mcp,
    split: whole,
    compose: no_other_form,
    no_prompt: any_prompt,
    abilities: Abilities {
        can: &[
            Power::Rewrite,
            Power::Withhold,
            Power::RefusePrompt,
            Power::TellPrompts,
        ],
        context: &[Moment::Prompt, Moment::AfterTool],
        end_run: &[],
    },
    installing: Installing {
        program: "opencode",
        user: ".config/opencode/plugin/hookloop.js",
        project: Some(".opencode/plugin/hookloop.js"),
        moved_by: Some("XDG_CONFIG_HOME"),
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
            "a hook's question is a refusal",
            "a turn can't be made to go on",
        ],
        pending: &[],
    },
    say,
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

/// It joins a server's name and its tool's by an underscore, which both may hold: what can't be told
/// keeps its name.
fn mcp(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

fn say(asked: &Asked<'_>) -> Answer {
    let reason = match &asked.conclusion.ruling {
        Ruling::Refuse(reason) | Ruling::Stop(reason) | Ruling::Ask(reason) => Some(said(reason)),
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
