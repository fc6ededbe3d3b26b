//! `hooks` and `hooksConfig` as types, for the schema alone.

#![expect(dead_code, reason = "the schema is all there is to these types")]

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::switches::{DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_MAX_RETRIES, DEFAULT_TRACE_MAX_BYTES};
use hookloop_hook::DEFAULT_TIMEOUT;

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
    /// The hooks.
    hooks: Vec<Hook>,
}

/// A hook: a program that reads one JSON object on standard input, and may answer with one.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", deny_unknown_fields)]
struct Hook {
    /// How the hook is executed. Case-sensitive.
    #[schemars(rename = "type")]
    kind: HookType,
    /// The command for the shell. `$GEMINI_PROJECT_DIR` is the project's root. Exit code 2 refuses,
    /// with standard error as the reason.
    #[schemars(regex(pattern = r"\S"))]
    command: String,
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
}

/// How a hook is executed.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
enum HookType {
    /// By the shell.
    Command,
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
                {"type": "number", "exclusiveMinimum": 0, "maximum": 2_147_483_647},
                {"type": "string", "pattern": r"^\s*\+?(\d+\.?\d*|\.\d+)\s*(ms|s|m|h)\s*$"},
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
    #[schemars(extend("default" = "warn"))]
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
