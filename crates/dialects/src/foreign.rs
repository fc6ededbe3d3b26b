//! What all dialects share: the dialect of a hook, its input and output, tools, and the parts that
//! each dialect's folder provides (FD-1).

pub(crate) mod answer;
pub(crate) mod call;
pub(crate) mod condition;
pub(crate) mod family;
pub(crate) mod obeyed;
pub(crate) mod strict;
pub(crate) mod tools;

use hookloop_events::{EventName, tool_name};
use hookloop_hook::{Dialect, HookDeclaration};
use serde_json::{Map, Value};

pub(crate) use obeyed::{ExitTwo, Obeys};
pub(crate) use tools::{Argument, Kind, ToolRule};

/// The part of a reply that belongs to its event.
pub(crate) const SPECIFIC: &str = "hookSpecificOutput";

/// The key in our payload, for hooks of other agents only, of the time in milliseconds that the
/// tool ran.
pub const TOOL_DURATION: &str = "tool_duration_ms";

/// The key in our payload, for hooks of other agents only, of the id of the sub-agent that a call
/// is about to begin (FD-10).
pub const BEGUN_AGENT: &str = "begun_agent_id";

/// The key in our payload, for hooks of other agents only, of the path of the transcript of a
/// sub-agent that has finished (FD-13).
pub const AGENT_TRANSCRIPT: &str = "agent_transcript_path";

/// A hook's dialect, with what the hook declares about when it runs.
#[derive(Debug, Clone, Copy)]
pub struct HookDialect<'a> {
    /// The dialect.
    pub dialect: Dialect,
    /// The dialect's event that the hook is for; `None` for any event (FD-11).
    pub event: Option<&'a str>,
    /// Its `if`, in the dialect's syntax (FD-12).
    pub condition: Option<&'a str>,
}

impl<'a> HookDialect<'a> {
    /// Returns the voice of a hook.
    pub fn of(hook: &'a HookDeclaration) -> Self {
        Self {
            dialect: hook.dialect,
            event: hook.dialect_event.as_deref(),
            condition: hook.condition.as_deref(),
        }
    }
}

/// A hook's output, and how it ended.
#[derive(Debug, Clone, Copy)]
pub struct HookOutput<'a> {
    /// Our event.
    pub event: EventName,
    /// Our payload, with which the hook was called.
    pub payload: &'a Map<String, Value>,
    /// The exit code; `None` if a signal ended the hook.
    pub exit: Option<i32>,
    /// Standard output.
    pub stdout: &'a str,
    /// Standard error.
    pub stderr: &'a str,
    /// The number of retries of the turn after which the hook's follow-up has no effect; `None` for
    /// the dialect's own limit (FD-20).
    pub loop_limit: Option<u32>,
}

/// The meaning of a hook's output, as if it were one of our hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranslatedOutput {
    /// The exit code.
    pub exit: i32,
    /// Standard output: a reply in our format.
    pub stdout: String,
    /// The arguments of the call that the new arguments leave out, because they replace all of them
    /// (FD-20).
    pub removed: Vec<String>,
    /// The variables that it sets for later commands (FD-14).
    pub environment: Vec<(String, String)>,
    /// What the person should know about it (FD-21, FD-23).
    pub remarks: Vec<String>,
    /// Whether the dialect would accept it as a consent that makes a confirmation unnecessary
    /// (FD-21).
    pub consents: bool,
}

impl TranslatedOutput {
    /// A reply of a hook that did its work.
    pub(crate) fn reply(fields: &Value) -> Self {
        Self {
            exit: 0,
            stdout: fields.to_string(),
            removed: Vec::new(),
            environment: Vec::new(),
            remarks: Vec::new(),
            consents: false,
        }
    }

    /// A reply that was read, once its fields are translated into our words.
    pub(crate) fn of(
        read: strict::Read,
        translated: impl FnOnce(Map<String, Value>) -> Map<String, Value>,
    ) -> Self {
        let remarks = read.remarks();
        Self {
            remarks,
            ..Self::reply(&Value::Object(translated(read.fields)))
        }
    }

    /// A refusal by exit code, with what the hook wrote beside it.
    pub(crate) fn refusal(hook_output: &HookOutput<'_>, remark: impl Into<String>) -> Self {
        Self {
            remarks: vec![remark.into()],
            ..Self::verbatim(hook_output, 2)
        }
    }

    /// What the hook wrote, to be read as if a hook of ours had written it.
    pub(crate) fn verbatim(hook_output: &HookOutput<'_>, exit: i32) -> Self {
        Self {
            exit,
            stdout: hook_output.stdout.to_owned(),
            removed: Vec::new(),
            environment: Vec::new(),
            remarks: Vec::new(),
            consents: false,
        }
    }
}

/// An environment variable that another agent sets for its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignVariable {
    /// The name.
    pub name: &'static str,
    /// Its value.
    pub value: ForeignValue,
}

/// The value of another agent's variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignValue {
    /// This text.
    Text(&'static str),
    /// The absolute path of the project's root.
    ProjectRoot,
    /// The absolute path of the session's transcript.
    Transcript,
    /// The session's id.
    SessionId,
    /// The id of the sub-agent that acts; empty for the session's own agent.
    AgentId,
    /// The absolute path of the folder with the file that declares the hook.
    HookFolder,
}

pub(crate) const fn variable(name: &'static str, value: ForeignValue) -> ForeignVariable {
    ForeignVariable { name, value }
}

/// A payload of ours that is to be written for one of their events.
pub(crate) struct OutgoingPayload<'a> {
    pub(crate) ours: &'a Map<String, Value>,
    /// Their name of the event.
    pub(crate) event: &'a str,
}

/// How an agent reads a matcher of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// Plain words are exact names, in a list with `|` or commas.
    ListWithCommas,
    /// Plain words are exact names, in a list with `|`.
    List,
    /// An expression that must match a whole name.
    Anchored,
    /// An expression that may match anywhere in a name.
    Anywhere,
}

/// How an agent calls the tools of MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpName {
    /// `mcp__server__tool`, as here.
    Double,
    /// `mcp_server_tool`.
    Single,
    /// `server-tool`.
    Dashed,
    /// `MCP:tool`.
    ToolAlone,
}

impl McpName {
    /// Returns the name of a tool of ours there, if it is one of an MCP server.
    pub(crate) fn of(self, ours: &str) -> Option<String> {
        let (server, tool) = ours.strip_prefix(tool_name::MCP_PREFIX)?.split_once("__")?;
        Some(match self {
            Self::Double => ours.to_owned(),
            Self::Single => format!("mcp_{server}_{tool}"),
            Self::Dashed => format!("{server}-{tool}"),
            Self::ToolAlone => format!("MCP:{tool}"),
        })
    }
}

/// The parts of a dialect, the same for each.
pub(crate) struct DialectTables {
    pub(crate) tools: &'static [ToolRule],
    pub(crate) mcp: McpName,
    pub(crate) words: Words,
    pub(crate) payload: fn(&OutgoingPayload<'_>) -> Map<String, Value>,
    pub(crate) reply: fn(&HookOutput<'_>) -> Option<TranslatedOutput>,
    pub(crate) environment: &'static [ForeignVariable],
    /// Which refusals the agent obeys, by its event if a hook names one, and ours; nothing if that
    /// isn't known.
    pub(crate) obeys: fn(Option<&str>, EventName) -> Option<Obeys>,
}
