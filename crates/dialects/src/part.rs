//! Which firings of our events correspond to one of theirs (FD-11).

use serde_json::{Map, Value};

/// A part of the firings of an event of ours: theirs are finer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of them.
    Whole,
    /// Results of calls that succeeded.
    Succeeded,
    /// Results of calls that failed.
    Failed,
    /// The ends of turns of the session's own agent.
    MainTurn,
    /// The ends of turns of sub-agents.
    SubAgent,
    /// Calls of these tools of ours.
    Tools(&'static [&'static str]),
    /// Calls of the tools of MCP servers.
    Mcp,
    /// Calls of tools that do more than look: a person is asked about them unless that was waived.
    Changing,
}

/// The tools that only look.
const READ_ONLY_TOOLS: [&str; 6] = [
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "search_file_content",
    "write_todos",
];

impl Part {
    /// Returns whether a firing belongs to this part, judging by our payload.
    pub(crate) fn holds(self, ours: &Map<String, Value>) -> bool {
        let tool = || ours.get("tool_name").and_then(Value::as_str);
        match self {
            Self::Whole => true,
            Self::Succeeded => error_of(ours).is_none(),
            Self::Failed => error_of(ours).is_some(),
            Self::MainTurn => !ours.contains_key("agent_id"),
            Self::SubAgent => ours.contains_key("agent_id"),
            Self::Changing => tool().is_some_and(|tool| !READ_ONLY_TOOLS.contains(&tool)),
            Self::Tools(tools) => tool().is_some_and(|tool| tools.contains(&tool)),
            Self::Mcp => {
                tool().is_some_and(|tool| tool.starts_with(hookloop_events::tool_name::MCP_PREFIX))
            }
        }
    }

    /// Returns whether it is about certain tools only.
    pub(crate) const fn names_tools(self) -> bool {
        matches!(self, Self::Tools(_) | Self::Mcp | Self::Changing)
    }
}

/// Returns what went wrong with a call, in a sentence.
pub(crate) fn error_of(ours: &Map<String, Value>) -> Option<String> {
    let error = ours.get("tool_response")?.get("error")?;
    match error {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) => {
            let message = fields.get("message").and_then(Value::as_str);
            Some(message.map_or_else(|| error.to_string(), str::to_owned))
        }
        other => Some(other.to_string()),
    }
}
