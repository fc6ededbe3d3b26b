//! `hooks` and `hooksConfig` as types, used only for the schema.

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
    /// A session starts, is resumed, or starts again after `/clear`. The matcher is compared with
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
    /// Which subjects the hooks run for. Tool events: a regular expression (ECMAScript) that may
    /// match anywhere in the tool's name. Lifecycle events: exact text, or words joined by `|`.
    /// Absent, empty or `*`: all.
    matcher: Option<String>,
    /// Whether all matching hooks of the event run one after another, each reading the input as
    /// changed by those before it.
    #[schemars(extend("default" = false))]
    sequential: Option<bool>,
    /// The dialect of the hooks in this group that don't set their own.
    dialect: Option<DialectWord>,
    /// The agents in which the hooks of this group run, unless a hook sets its own.
    agents: Option<Vec<String>>,
    /// The hooks.
    hooks: Vec<Hook>,
}

/// A hook: a program, service or rule that reads what is about to happen, and may answer.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields, transform = add_requirements)]
struct Hook {
    /// The hook's type. Case-sensitive.
    #[schemars(rename = "type")]
    kind: HookTypeWord,
    /// The command for the shell, or, with `args`, the program. `$GEMINI_PROJECT_DIR` is the
    /// project's root. Exit code 2 refuses, with standard error as the reason.
    #[schemars(regex(pattern = r"\S"))]
    command: Option<String>,
    /// The hook's name in messages and listings, and for `hooks enable`, `disable` and `trust`.
    /// Default: the command.
    name: Option<String>,
    /// What the hook is for.
    description: Option<String>,
    /// How long the hook may run: milliseconds, or a number with a unit such as `"30s"`.
    #[schemars(extend("default" = DEFAULT_TIMEOUT.as_millis()))]
    timeout: Option<Timeout>,
    /// Variables to add to the hook's environment; they override others.
    env: Option<BTreeMap<String, String>>,
    /// What a failure of the hook means. Default: `hooksConfig.onFailure`.
    on_failure: Option<OnFailureWord>,
    /// A condition in CEL. The hook runs if it is true or can't be decided.
    #[schemars(rename = "if")]
    condition: Option<String>,
    /// `shadow`: the hook runs and its answer is recorded, but has no effect.
    #[schemars(extend("default" = "active"))]
    mode: Option<ModeWord>,
    /// Whether the hook runs again if other hooks changed the input after it ran.
    #[schemars(extend("default" = true))]
    recheck: Option<bool>,
    /// Files that the hook uses as data. They are neither protected nor part of the fingerprint.
    data: Option<Vec<String>>,
    /// What is shown while the hook runs.
    status_message: Option<String>,
    /// Whether the hook runs in the background. Nobody waits for it, so it can't refuse.
    #[schemars(rename = "async", extend("default" = false))]
    asynchronous: Option<bool>,
    /// Whether the hook runs in the background. If it exits with 2, a new turn begins with what it
    /// says.
    #[schemars(extend("default" = false))]
    async_rewake: Option<bool>,
    /// In the dialect `cursor`: how many times in a turn the hook's follow-up message may make the
    /// agent continue. Default: 5.
    loop_limit: Option<u32>,
    /// Whether the hook runs only once per session.
    #[schemars(extend("default" = false))]
    once: Option<bool>,
    /// The hook's dialect. Default: that of its group, else `hooksConfig.dialect`.
    dialect: Option<DialectWord>,
    /// The dialect's own event that the hook is for, where one Hookloop event corresponds to
    /// several of them.
    dialect_event: Option<String>,
    /// The agents in which the hook runs. Default: all.
    agents: Option<Vec<String>>,
    /// For `AfterModel`: how much of a response to hold back before the hook reads it: `line`,
    /// `sentence`, or a number of characters.
    hold_back: Option<HoldBackValue>,
    /// For `AfterModel`: whether chunks that arrive while the hook runs are joined into one.
    #[schemars(extend("default" = "each"))]
    chunks: Option<ChunksWord>,
    /// For `AfterTool`: what is held back until the hook has answered.
    withholds: Option<WithholdsWord>,
    /// For commands and workers: what the hook's process is confined to. If the system has no
    /// sandbox, the hook can't start.
    sandbox: Option<HookSandbox>,
    /// Where `hooks migrate` found the hook.
    from: Option<String>,
    /// The arguments of `command`, which is then started without a shell.
    args: Option<Vec<String>>,
    /// The shell that runs `command`.
    shell: Option<ShellWord>,
    /// For a worker: how long it may be idle before it is ended.
    #[schemars(extend("default" = DEFAULT_IDLE.as_millis()))]
    idle: Option<Timeout>,
    /// For a service: the address that the payload is posted to.
    #[schemars(regex(pattern = r"^https?://"))]
    url: Option<String>,
    /// For a service: the headers. `$NAME` is replaced by a variable that `allowedEnv` names.
    headers: Option<BTreeMap<String, String>>,
    /// For a service: the variables that headers may use.
    allowed_env: Option<Vec<String>>,
    /// For a plugin: the file of the WebAssembly component.
    #[schemars(regex(pattern = r"\S"))]
    plugin: Option<String>,
    /// For a plugin: its rights.
    grants: Option<Grants>,
    /// For a plugin: whether one instance handles all events of a session.
    #[schemars(extend("default" = false))]
    live: Option<bool>,
    /// For a rule hook: the rules, or the file that contains them.
    rules: Option<RulesValue>,
    /// For a rule: its condition, in CEL.
    when: Option<String>,
    /// For a rule: what happens if the condition is true.
    then: Option<VerdictWord>,
    /// For a rule: the reason; `${expression}` inserts a value.
    reason: Option<String>,
    /// For a rule that rewrites: the values to merge into the arguments.
    set: Option<BTreeMap<String, serde_json::Value>>,
    /// For a rule: the text for the model.
    context: Option<String>,
    /// For a rule: the text for the user.
    message: Option<String>,
    /// For an MCP tool: its server.
    #[schemars(regex(pattern = r"\S"))]
    server: Option<String>,
    /// For an MCP tool: its name on the server.
    #[schemars(regex(pattern = r"\S"))]
    tool: Option<String>,
    /// For an MCP tool: its arguments; `${tool_input.file_path}` and the like insert values.
    input: Option<serde_json::Value>,
    /// For a prompt: the question; `$ARGUMENTS` is replaced by the payload.
    #[schemars(regex(pattern = r"\S"))]
    prompt: Option<String>,
    /// For a prompt: the model. Default: the session's.
    model: Option<String>,
}

/// Adds the fields that a hook of each type requires.
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

/// The type of a hook.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
enum HookTypeWord {
    /// A program for each event.
    Command,
    /// A program that keeps running.
    Worker,
    /// A service.
    Http,
    /// A WebAssembly component.
    Plugin,
    /// Conditions and what follows from them.
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

/// The dialect of a hook.
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

/// How chunks are passed to the hook.
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

/// What happens if a rule's condition is true.
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

/// A condition, and what happens if it is true.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Rule {
    /// Its name in reasons and listings.
    name: Option<String>,
    /// The condition, in CEL.
    when: String,
    /// What happens if the condition is true.
    then: VerdictWord,
    /// The reason; `${expression}` inserts a value.
    reason: Option<String>,
    /// For `rewrite`: the values to merge into the arguments.
    set: Option<BTreeMap<String, serde_json::Value>>,
    /// For `context`: the text for the model.
    context: Option<String>,
    /// For `message`: the text for the user.
    message: Option<String>,
}

/// Rules, or the file that contains them.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum RulesValue {
    /// A file.
    File(String),
    /// The rules.
    Inline(Vec<Rule>),
}

/// How much of a response is held back.
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

/// What a failure means: the hook couldn't start, timed out, crashed, or answered nonsense.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
enum OnFailureWord {
    /// Continue with a warning.
    Warn,
    /// Refuse, on events that can refuse.
    Deny,
}

/// What an editor says about a value that isn't a span of time.
const SPAN: &str = "must be a number of milliseconds, or a number with a unit such as \"30s\"";

/// What a hook's process is confined to: it may read everything, and write to temporary folders.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct HookSandbox {
    /// Further folders and files that it may write to; relative paths start at the project's root.
    write: Option<Vec<String>>,
    /// Whether it has access to the network.
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
    /// Names of disabled hooks, or commands of hooks without a name; the union of all layers.
    disabled: Option<Vec<String>>,
    /// Whether "Executing hook: …" is shown while hooks run.
    #[schemars(extend("default" = true))]
    notifications: Option<bool>,
    /// What a failure means for hooks that don't set it themselves.
    on_failure: Option<OnFailureWord>,
    /// How much of a hook's output is kept, in bytes per stream. A longer reply counts as
    /// malformed.
    #[schemars(range(min = 1), extend("default" = DEFAULT_MAX_OUTPUT_BYTES))]
    max_output_bytes: Option<u64>,
    /// How often `AfterAgent` hooks may force a retry in a turn.
    #[schemars(extend("default" = DEFAULT_MAX_RETRIES))]
    max_retries: Option<u64>,
    /// The record of every run.
    trace: Option<Trace>,
    /// Keys of `hooksConfig` that no other layer can change. Counts only in the system's settings.
    locked: Option<Vec<Lockable>>,
    /// Whether the agent refuses to start if `hooks check` finds an error. If any layer says true,
    /// it is true.
    #[schemars(extend("default" = false))]
    strict: Option<bool>,
    /// The dialect of this file's hooks, unless they or their group set one.
    #[schemars(extend("default" = "hookloop"))]
    dialect: Option<DialectWord>,
    /// Other agents whose hooks run here unchanged, from their own files.
    adopt: Option<Vec<AdoptableWord>>,
    /// What hooks of type `http` may reach. Counts only in the user's and the system's settings.
    http: Option<Http>,
    /// What the bridge tells other agents.
    bridge: Option<Bridge>,
    /// Whether a hook of this layer that allows a call can skip a confirmation, if its dialect has
    /// that meaning. Counts only in the user's and the system's settings.
    #[schemars(extend("default" = false))]
    allow_skips_confirmation: Option<bool>,
    /// Whether the live output of tools is held back until their hooks have answered.
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
    /// Origins, or the beginnings of addresses, that hooks of projects and extensions may reach.
    allowed: Option<Vec<String>>,
}

/// What the bridge tells other agents.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Bridge {
    /// What happens to a rewrite in an agent that can't rewrite.
    #[schemars(extend("default" = "refuse"))]
    rewrite: Option<BridgeRewriteWord>,
}

/// What happens to a rewrite.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum BridgeRewriteWord {
    Refuse,
    Drop,
}

/// What happens to live output.
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
    /// How large the record may grow, in bytes. The oldest runs are removed first.
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
