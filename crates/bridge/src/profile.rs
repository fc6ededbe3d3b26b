//! The properties of an agent, the same for each.

use std::path::Path;

use hookloop_dialects::tools::ToolRule;
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest};
use crate::moment::Moment;
use crate::placing::Installing;
use crate::planned::{PlannedCall, Split};

/// What is known about an agent.
pub(crate) struct Profile {
    /// Its events, and what each means.
    pub(crate) events: &'static [(&'static str, Moment)],
    /// Its tools.
    pub(crate) tools: fn() -> &'static [ToolRule],
    /// Other tools of it that are equivalent to ours, whose names are never used for ours.
    pub(crate) further_tools: &'static [ToolRule],
    /// Converts a payload to the form that is read: that of Claude Code.
    pub(crate) usual: fn(&str, Map<String, Value>) -> Map<String, Value>,
    /// Finds the server and the tool in the name of an MCP server's tool.
    pub(crate) mcp: fn(&str) -> Option<McpTool<'_>>,
    /// Splits a call that is several of ours, or one in another form.
    pub(crate) split: fn(&CallOfTheirs<'_>) -> Split,
    /// Writes a call that was split in its own form again; `None` if it can't.
    pub(crate) compose: fn(&str, &PlannedCall) -> Option<Map<String, Value>>,
    /// Returns why a prompt isn't one (BR-11).
    pub(crate) no_prompt: fn(&Map<String, Value>) -> Option<&'static str>,
    /// What it can do.
    pub(crate) abilities: Capabilities,
    /// What is written into its settings.
    pub(crate) installing: Installing,
    /// Writes what hooks decided, in its format.
    pub(crate) write_answer: fn(&AnswerRequest<'_>) -> Answer,
    /// Its own variables, which hooks don't get (BR-23).
    pub(crate) withheld: &'static [&'static str],
    /// The variables in which it tells where the project is, the best first.
    pub(crate) project_variables: &'static [&'static str],
}

/// What an agent obeys, by measurement.
pub(crate) struct Capabilities {
    /// What it can do.
    pub(crate) can: &'static [Capability],
    /// The events, in its own words, at which it accepts no other arguments, though it does at
    /// others.
    pub(crate) no_rewrite_at: &'static [&'static str],
    /// When text from hooks reaches the model.
    pub(crate) context: &'static [Moment],
    /// When it can be made to end its run.
    pub(crate) end_run: &'static [Moment],
}

/// Something that an agent can do, or can't.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capability {
    /// It runs a tool with other arguments.
    Rewrite,
    /// It asks the person, and without one it refuses.
    Ask,
    /// It replaces a result by a reason.
    Withhold,
    /// It drops a prompt.
    RefusePrompt,
    /// It continues when a turn would end.
    Retry,
    /// It leaves its history unchanged if compressing it is refused.
    KeepHistory,
    /// It distinguishes what the person wrote from a sub-agent's prompt.
    TellPrompts,
    /// People see a reply's message, even if nobody watches it.
    ShowMessages,
}

impl Capabilities {
    /// Returns whether it can do something.
    pub(crate) fn has(&self, power: Capability) -> bool {
        self.can.contains(&power)
    }
}

/// A call of an agent's tool, in its words.
pub(crate) struct CallOfTheirs<'c> {
    /// Its name for the tool.
    pub(crate) tool: &'c str,
    /// The arguments.
    pub(crate) arguments: &'c Map<String, Value>,
    /// The folder to which paths are relative, absolute.
    pub(crate) cwd: &'c Path,
}

impl CallOfTheirs<'_> {
    /// Returns an argument that is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }
}

/// A tool of an MCP server, by the agent's name for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpTool<'n> {
    /// The server and the tool.
    Of(&'n str, &'n str),
    /// Both, joined by a character that both may contain.
    Joined(&'n str),
}

impl<'n> McpTool<'n> {
    /// Splits a name at a character; if it occurs more than once, it isn't known which one
    /// separates the parts.
    pub(crate) fn split_once(name: &'n str, sign: char) -> Option<Self> {
        let (server, tool) = name.split_once(sign)?;
        if server.is_empty() || tool.is_empty() {
            return None;
        }
        Some(if tool.contains(sign) {
            Self::Joined(name)
        } else {
            Self::Of(server, tool)
        })
    }
}

/// Splits nothing.
pub(crate) fn unsplit(_call: &CallOfTheirs<'_>) -> Split {
    Split::Whole
}

/// Writes no call in another form.
pub(crate) fn no_other_form(_tool: &str, _call: &PlannedCall) -> Option<Map<String, Value>> {
    None
}

/// Finds `mcp__server__tool`.
pub(crate) fn mcp_double(name: &str) -> Option<McpTool<'_>> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some(McpTool::Of(server, tool))
}

/// Changes nothing: the payload has the right form already.
pub(crate) fn as_it_is(_event: &str, payload: Map<String, Value>) -> Map<String, Value> {
    payload
}

/// Accepts every text as a prompt.
pub(crate) fn any_prompt(_payload: &Map<String, Value>) -> Option<&'static str> {
    None
}

/// Renames a field of a payload, unless the new name is taken.
pub(crate) fn rename(payload: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = payload.remove(from) {
        payload.entry(to).or_insert(value);
    }
}
