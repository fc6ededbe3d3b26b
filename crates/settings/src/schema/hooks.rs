//! `hooks` and `hooksConfig` as types, for the schema alone.

#![expect(dead_code, reason = "the schema is all there is to these types")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::switches::{DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_MAX_RETRIES, DEFAULT_TRACE_MAX_BYTES};
use hookloop_hook::{DEFAULT_IDLE, DEFAULT_TIMEOUT};

/// A list of groups for each event. Names are case-sensitive. Hooks of all layers are concatenated:
/// project, user, system, extensions.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Hooks {
    /// A session starts, is resumed, or starts anew after `/clear`. The matcher is compared with
    /// the source: `startup`, `resume`, `clear`. May add context.
    #[schemars(rename = "SessionStart")]
    session_start: Option<Vec<Group>>,
    /// A session ends. The matcher is compared with the reason: `exit`, `clear`, `logout`,
    /// `prompt_input_exit`, `other`.
    #[schemars(rename = "SessionEnd")]
    session_end: Option<Vec<Group>>,
    /// The user submitted a prompt. May add context, refuse the turn, or stop.
    #[schemars(rename = "BeforeAgent")]
    before_agent: Option<Vec<Group>>,
    /// The turn has its final response. May force a retry, stop, or clear the context.
    #[schemars(rename = "AfterAgent")]
    after_agent: Option<Vec<Group>>,
    /// A request is about to go to the model. May rewrite it, answer instead, refuse, or stop.
    #[schemars(rename = "BeforeModel")]
    before_model: Option<Vec<Group>>,
    /// The tools of a request are about to be fixed. May restrict them.
    #[schemars(rename = "BeforeToolSelection")]
    before_tool_selection: Option<Vec<Group>>,
    /// A chunk of the model's response arrived. May rewrite it, refuse, or stop.
    #[schemars(rename = "AfterModel")]
    after_model: Option<Vec<Group>>,
    /// A tool is about to run. The matcher is compared with the tool's name. May rewrite the input,
    /// ask the user, refuse, or stop.
    #[schemars(rename = "BeforeTool")]
    before_tool: Option<Vec<Group>>,
    /// A tool ran. The matcher is compared with the tool's name. May add context, replace the
    /// result, call another tool, or stop.
    #[schemars(rename = "AfterTool")]
    after_tool: Option<Vec<Group>>,
    /// The history is about to be compressed. The matcher is compared with the trigger: `auto`,
    /// `manual`.
    #[schemars(rename = "PreCompress")]
    pre_compress: Option<Vec<Group>>,
    /// The user is about to be alerted. The matcher is compared with the type: `ToolPermission`.
    #[schemars(rename = "Notification")]
    notification: Option<Vec<Group>>,
    /// Older spelling of `hooksConfig.enabled`.
    #[schemars(extend("deprecated" = true))]
    enabled: Option<bool>,
    /// Older spelling of `hooksConfig.disabled`.
    #[schemars(extend("deprecated" = true))]
    disabled: Option<Vec<String>>,
    /// Older spelling of `hooksConfig.notifications`.
    #[schemars(extend("deprecated" = true))]
    notifications: Option<bool>,
}

/// Hooks that share a matcher.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Group {
    /// Which subjects the hooks run for. Tool events: a regular expression (ECMAScript), found
    /// anywhere in the tool's name. Lifecycle events: exact text, or words joined by `|`. Absent,
    /// empty or `*`: all.
    matcher: Option<String>,
    /// Whether all matching hooks of the event run one after another, each reading the input as
    /// changed by those before.
    #[schemars(extend("default" = false))]
    sequential: Option<bool>,
    /// Whose words the hooks of this group speak, unless they say so themselves.
    dialect: Option<DialectWord>,
    /// The agents that the hooks of this group run in, unless they say so themselves.
    agents: Option<Vec<String>>,
    /// The hooks.
    hooks: Vec<Hook>,
}

/// A hook: a program, service or rule that reads what is about to happen, and may answer.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields, transform = add_requirements)]
struct Hook {
    /// How the hook is carried out. Case-sensitive.
    #[schemars(rename = "type")]
    kind: HookTypeWord,
    /// The command for the shell, or the program that `args` are given to. `$GEMINI_PROJECT_DIR` is
    /// the project's root. Exit code 2 refuses, with standard error as the reason.
    #[schemars(regex(pattern = r"\S"))]
    command: Option<String>,
    /// What messages and listings call the hook, and `hooks enable`, `disable`, `trust` take;
    /// the command, if absent.
    name: Option<String>,
    /// What the hook is for.
    description: Option<String>,
    /// How long the hook may run: milliseconds, or a number with a unit such as `"30s"`.
    #[schemars(extend("default" = DEFAULT_TIMEOUT.as_millis()))]
    timeout: Option<Timeout>,
    /// Variables that are added to the hook's environment last.
    env: Option<BTreeMap<String, String>>,
    /// What a failure of the hook means; `hooksConfig.onFailure` if absent.
    on_failure: Option<OnFailureWord>,
    /// A condition in CEL; the hook runs where it is true or can't be known.
    #[schemars(rename = "if")]
    condition: Option<String>,
    /// `shadow`: the hook runs, and its answer is recorded without any effect.
    #[schemars(extend("default" = "active"))]
    mode: Option<ModeWord>,
    /// Whether the hook reads a value again that others changed after it looked.
    #[schemars(extend("default" = true))]
    recheck: Option<bool>,
    /// Files that the hook works with as data: neither protected nor fingerprinted.
    data: Option<Vec<String>>,
    /// What is shown while the hook runs.
    status_message: Option<String>,
    /// Nobody waits for the hook, and it can't refuse.
    #[schemars(rename = "async", extend("default" = false))]
    asynchronous: Option<bool>,
    /// Nobody waits for the hook, and its exit code 2 begins a turn with what it says.
    #[schemars(extend("default" = false))]
    async_rewake: Option<bool>,
    /// After how many retries of a turn the follow-up of the hook has no effect any more, in the
    /// dialect cursor; 5 there, if absent.
    loop_limit: Option<u32>,
    /// Whether the hook runs only once a session.
    #[schemars(extend("default" = false))]
    once: Option<bool>,
    /// Whose words the hook speaks; that of its group, else `hooksConfig.dialect`.
    dialect: Option<DialectWord>,
    /// The dialect's own event that the hook stands for, where one of ours is several of them.
    dialect_event: Option<String>,
    /// The agents that the hook runs in; all, if absent.
    agents: Option<Vec<String>>,
    /// For `AfterModel`: how much of a response is kept back before the hook reads it: `line`,
    /// `sentence`, or a number of characters.
    hold_back: Option<HoldBackValue>,
    /// For `AfterModel`: whether chunks that came in the meantime are joined into one.
    #[schemars(extend("default" = "each"))]
    chunks: Option<ChunksWord>,
    /// For `AfterTool`: what is held back until the hook has answered.
    withholds: Option<WithholdsWord>,
    /// For commands and workers: what the hook's process is confined to. Where the system has no
    /// sandbox, the hook could not start.
    sandbox: Option<HookSandbox>,
    /// Where `hooks migrate` found the hook.
    from: Option<String>,
    /// The arguments of `command`: no shell takes part.
    args: Option<Vec<String>>,
    /// The shell that reads `command`.
    shell: Option<ShellWord>,
    /// Of a worker: how long it may be idle before it is ended.
    #[schemars(extend("default" = DEFAULT_IDLE.as_millis()))]
    idle: Option<Timeout>,
    /// Of a service: where the payload is posted to.
    #[schemars(regex(pattern = r"^https?://"))]
    url: Option<String>,
    /// Of a service: headers; `$NAME` stands for a variable that `allowedEnv` names.
    headers: Option<BTreeMap<String, String>>,
    /// Of a service: the variables that headers may use.
    allowed_env: Option<Vec<String>>,
    /// Of a plugin: the file of the WebAssembly component.
    #[schemars(regex(pattern = r"\S"))]
    plugin: Option<String>,
    /// Of a plugin: the rights that it is given.
    grants: Option<Grants>,
    /// Of a plugin: whether one instance serves all events.
    #[schemars(extend("default" = false))]
    live: Option<bool>,
    /// Of a rule hook: the rules, or the file that holds them.
    rules: Option<RulesValue>,
    /// Of a rule: its condition in CEL.
    when: Option<String>,
    /// Of a rule: what follows where the condition is true.
    then: Option<VerdictWord>,
    /// Of a rule: the reason, with `${expression}`.
    reason: Option<String>,
    /// Of a rule that rewrites: what is merged over the arguments.
    set: Option<BTreeMap<String, serde_json::Value>>,
    /// Of a rule: what the model is told.
    context: Option<String>,
    /// Of a rule: what the person is told.
    message: Option<String>,
    /// Of a tool that decides: its MCP server.
    #[schemars(regex(pattern = r"\S"))]
    server: Option<String>,
    /// Of a tool that decides: the server's name of the tool.
    #[schemars(regex(pattern = r"\S"))]
    tool: Option<String>,
    /// Of a tool that decides: its arguments, with `${tool_input.file_path}` and the like.
    input: Option<serde_json::Value>,
    /// Of a question to a model: the question; `$ARGUMENTS` stands for the payload.
    #[schemars(regex(pattern = r"\S"))]
    prompt: Option<String>,
    /// Of a question to a model: the model; the session's, if absent.
    model: Option<String>,
}

/// Says what a hook of each type can't do without.
fn add_requirements(schema: &mut Schema) {
    let needs = |kind: &str, required: &[&str]| {
        serde_json::json!({
            "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
            "then": {"required": required},
        })
    };
    let rule = serde_json::json!({
        "if": {
            "properties": {"type": {"const": "rule"}},
            "required": ["type"],
            "not": {"required": ["rules"]},
        },
        "then": {"required": ["when", "then"]},
    });
    schema.insert(
        "allOf".to_owned(),
        serde_json::json!([
            needs("command", &["command"]),
            needs("worker", &["command"]),
            needs("http", &["url"]),
            needs("plugin", &["plugin"]),
            rule,
            needs("mcp_tool", &["server", "tool"]),
            needs("prompt", &["prompt"]),
        ]),
    );
}

/// How a hook is carried out.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
enum HookTypeWord {
    /// A program for each event.
    Command,
    /// A program that stays.
    Worker,
    /// A service.
    Http,
    /// A WebAssembly component.
    Plugin,
    /// Conditions and verdicts.
    Rule,
    /// A tool of an MCP server.
    McpTool,
    /// A question to a model.
    Prompt,
}

/// Whether a hook's answer counts.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum ModeWord {
    Active,
    Shadow,
}

/// Whose words a hook speaks.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", inline)]
enum DialectWord {
    Hookloop,
    GeminiCli,
    ClaudeCode,
    Codex,
    Cursor,
    Copilot,
    Qwen,
}

/// How chunks are handed on.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum ChunksWord {
    Each,
    Joined,
}

/// What is held back.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum WithholdsWord {
    Screen,
}

/// A shell.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum ShellWord {
    Bash,
    Sh,
    PowerShell,
    Cmd,
}

/// What follows where a rule's condition is true.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum VerdictWord {
    Deny,
    Ask,
    Allow,
    Stop,
    Context,
    Rewrite,
    Message,
}

/// The rights of a plugin.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Grants {
    /// Files and folders that it may read.
    read: Option<Vec<String>>,
    /// Variables that it may read.
    env: Option<Vec<String>>,
    /// Addresses that it may reach.
    net: Option<Vec<String>>,
}

/// A condition, and what follows where it is true.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Rule {
    /// What it is called in reasons and listings.
    name: Option<String>,
    /// The condition, in CEL.
    when: String,
    /// What follows where the condition is true.
    then: VerdictWord,
    /// The reason, with `${expression}`.
    reason: Option<String>,
    /// Of `rewrite`: what is merged over the arguments.
    set: Option<BTreeMap<String, serde_json::Value>>,
    /// Of `context`: what the model is told.
    context: Option<String>,
    /// Of `message`: what the person is told.
    message: Option<String>,
}

/// Rules, or the file that holds them.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum RulesValue {
    /// A file.
    File(String),
    /// The rules.
    Inline(Vec<Rule>),
}

/// How much of a response is kept back.
struct HoldBackValue;

impl JsonSchema for HoldBackValue {
    fn schema_name() -> Cow<'static, str> {
        "HoldBack".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`line`, `sentence`, or a number of characters.",
            "anyOf": [
                {"type": "string", "enum": ["line", "sentence"]},
                {"type": "integer", "minimum": 16, "maximum": 4096},
            ],
        })
    }
}

/// What a failure means: the hook could not start, timed out, crashed, or answered nonsense.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum OnFailureWord {
    /// Go on, and warn.
    Warn,
    /// Refuse, on events that can refuse.
    Deny,
}

/// What an editor says of a span of time that isn't one.
const SPAN: &str = "must be a number of milliseconds, or a number with a unit such as \"30s\"";

/// What a hook's process is confined to: it may read everything, and write to temporary folders.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct HookSandbox {
    /// Further folders and files that it may write to, relative ones from the project's root.
    write: Option<Vec<String>>,
    /// Whether it reaches the network.
    #[schemars(extend("default" = false))]
    network: Option<bool>,
}

/// A span of time.
pub(super) struct Timeout;

impl JsonSchema for Timeout {
    fn schema_name() -> Cow<'static, str> {
        "Timeout".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Milliseconds, or a number with the unit `ms`, `s`, `m` or `h`.",
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "maximum": 2_147_483_647, "errorMessage": SPAN},
                {"type": "string", "pattern": r"^\s*\+?(\d+\.?\d*|\.\d+)\s*(ms|s|m|h)\s*$", "errorMessage": SPAN},
            ],
        })
    }
}

/// Switches that apply to hooks. Scalars: project over user over system, except what the system
/// has locked.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct HooksConfig {
    /// Whether hooks run at all.
    #[schemars(extend("default" = true))]
    enabled: Option<bool>,
    /// Names of hooks that don't run, or commands of hooks without a name; the union of all layers.
    disabled: Option<Vec<String>>,
    /// Whether "Executing hook: …" is shown while hooks run.
    #[schemars(extend("default" = true))]
    notifications: Option<bool>,
    /// What a failure means for hooks that don't say so themselves.
    on_failure: Option<OnFailureWord>,
    /// How much of a hook's output is kept, in bytes a stream; past it a reply is malformed.
    #[schemars(range(min = 1), extend("default" = DEFAULT_MAX_OUTPUT_BYTES))]
    max_output_bytes: Option<u64>,
    /// How often `AfterAgent` hooks may force a retry in a turn.
    #[schemars(extend("default" = DEFAULT_MAX_RETRIES))]
    max_retries: Option<u64>,
    /// The record of every run.
    trace: Option<Trace>,
    /// Keys of `hooksConfig` that no other layer can change; counts in the system's settings only.
    locked: Option<Vec<Lockable>>,
    /// Whether any error that `hooks check` finds keeps the agent from starting. Once true in a
    /// layer, it stays so.
    #[schemars(extend("default" = false))]
    strict: Option<bool>,
    /// Whose words this file's hooks speak, unless they or their group say so.
    #[schemars(extend("default" = "hookloop"))]
    dialect: Option<DialectWord>,
    /// Other agents whose hooks run here as they are, from their own files.
    adopt: Option<Vec<AdoptableWord>>,
    /// What hooks of type `http` may reach; counts in the user's and the system's settings only.
    http: Option<Http>,
    /// What other agents are told by the bridge.
    bridge: Option<Bridge>,
    /// Whether an allowing hook of this layer skips a confirmation, where its dialect says so;
    /// counts in the user's and the system's settings only.
    #[schemars(extend("default" = false))]
    allow_skips_confirmation: Option<bool>,
    /// Whether the live output of tools is held until their hooks have answered.
    #[schemars(extend("default" = "show"))]
    live_output: Option<LiveOutputWord>,
}

/// An agent whose hooks can be adopted.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case", inline)]
enum AdoptableWord {
    ClaudeCode,
    Codex,
    Cursor,
    Copilot,
    Qwen,
}

/// What hooks of type `http` may reach.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Http {
    /// Origins, or addresses that a URL must begin with, for hooks of projects and extensions.
    allowed: Option<Vec<String>>,
}

/// What other agents are told by the bridge.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Bridge {
    /// What becomes of a rewrite in an agent that knows none.
    #[schemars(extend("default" = "refuse"))]
    rewrite: Option<BridgeRewriteWord>,
}

/// What becomes of a rewrite.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum BridgeRewriteWord {
    Refuse,
    Drop,
}

/// What becomes of live output.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum LiveOutputWord {
    Show,
    Hold,
}

/// The record of every run.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Trace {
    /// How large the record may grow, in bytes; the oldest runs go first.
    #[schemars(range(min = 1), extend("default" = DEFAULT_TRACE_MAX_BYTES))]
    max_bytes: Option<u64>,
}

/// A key of `hooksConfig` that can be locked.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase")]
enum Lockable {
    Enabled,
    Disabled,
    Notifications,
    OnFailure,
    MaxOutputBytes,
    MaxRetries,
    Trace,
}
