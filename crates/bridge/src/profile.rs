//! The properties of an agent, the same for each.

use std::path::Path;

use hookloop_dialects::tools::ToolRule;
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRequest};
use crate::moment::Moment;
use crate::placing::Installing;
use crate::planned::{PlannedCall, Split};

/// What is known of an agent.
pub(crate) struct Profile {
    /// Its events, and what each is.
    pub(crate) events: &'static [(&'static str, Moment)],
    /// Its tools.
    pub(crate) tools: fn() -> &'static [ToolRule],
    /// Further tools of it that amount to ones of ours, and that nothing here is ever called by.
    pub(crate) further_tools: &'static [ToolRule],
    /// Puts a payload into the shape that is read: that of Claude Code.
    pub(crate) usual: fn(&str, Map<String, Value>) -> Map<String, Value>,
    /// Finds the server and the tool in the name of a tool of an MCP server.
    pub(crate) mcp: fn(&str) -> Option<McpTool<'_>>,
    /// Takes a call apart that is several of ours, or one in another form.
    pub(crate) split: fn(&CallOfTheirs<'_>) -> Split,
    /// Writes a call that was taken apart in its own form again; nothing where it can't.
    pub(crate) compose: fn(&str, &PlannedCall) -> Option<Map<String, Value>>,
    /// Returns why a prompt isn't one (BR-11).
    pub(crate) no_prompt: fn(&Map<String, Value>) -> Option<&'static str>,
    /// What it can do.
    pub(crate) abilities: Capabilities,
    /// What is written into its settings.
    pub(crate) installing: Installing,
    /// Writes what hooks decided, in its words.
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
    /// The events, in its own words, at which it takes no other arguments, though it does at others.
    pub(crate) no_rewrite_at: &'static [&'static str],
    /// When what hooks tell the model reaches it.
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
    /// It puts a reason in the place of a result.
    Withhold,
    /// It drops a prompt.
    RefusePrompt,
    /// It continues when a turn would end.
    Retry,
    /// It leaves its history as it is where compressing it is refused.
    KeepHistory,
    /// It tells apart what the person wrote and what a sub-agent is told.
    TellPrompts,
    /// People see what is in a reply's message, also where nobody sits in front of it.
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
    /// Its name of the tool.
    pub(crate) tool: &'c str,
    /// The arguments.
    pub(crate) arguments: &'c Map<String, Value>,
    /// The folder that relative paths are meant from, absolute.
    pub(crate) cwd: &'c Path,
}

impl CallOfTheirs<'_> {
    /// Returns an argument that is text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }
}

/// A tool of an MCP server, by what an agent calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpTool<'n> {
    /// The server and the tool.
    Of(&'n str, &'n str),
    /// Both, joined by a sign that both may hold.
    Joined(&'n str),
}

impl<'n> McpTool<'n> {
    /// Takes a name apart at a sign; where it is there more than once, nobody can tell which
    /// one parts it.
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

/// Takes nothing apart.
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

/// Changes nothing: the payload has the shape already.
pub(crate) fn as_it_is(_event: &str, payload: Map<String, Value>) -> Map<String, Value> {
    payload
}

/// Takes every prompt for one.
pub(crate) fn any_prompt(_payload: &Map<String, Value>) -> Option<&'static str> {
    None
}

/// Gives a field of a payload another name, unless that name is taken.
pub(crate) fn rename(payload: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = payload.remove(from) {
        payload.entry(to).or_insert(value);
    }
}
