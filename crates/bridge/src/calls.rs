//! Tool calls: translates an agent's calls to ours, and back.

use std::path::Path;

use hookloop_dialects::tools::{Paths, ToolRule, to_our_arguments, to_their_arguments};
use hookloop_events::tool_name;
use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::planned::{PlannedCall, Split};
use crate::profile::{CallOfTheirs, McpTool};
use crate::unlisted::{self, GuessedCall};

/// The calls that an agent's call means, and what is needed to write a rewritten one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TheirCall {
    /// The agent's name for the tool.
    pub(crate) name: String,
    /// The agent's arguments.
    pub(crate) input: Map<String, Value>,
    /// Our calls.
    pub(crate) calls: Vec<PlannedCall>,
    /// Whether the call has another form than one of ours.
    pub(crate) is_split: bool,
    /// Whether the agent accepts no other arguments for it.
    pub(crate) is_fixed: bool,
    /// Why it does more than these calls, if it does: hooks can't be asked about the rest.
    pub(crate) rest: Option<String>,
}

impl TheirCall {
    /// Reads a call, whose relative paths are relative to a folder.
    ///
    /// # Errors
    /// It isn't known what it would do.
    pub(crate) fn read(
        agent: Agent,
        name: &str,
        input: Map<String, Value>,
        cwd: &Path,
    ) -> Result<Self, String> {
        Self::read_nested(
            agent,
            name,
            input,
            Nesting {
                cwd,
                left: MAX_DEPTH,
            },
        )
    }

    fn read_nested(
        agent: Agent,
        name: &str,
        input: Map<String, Value>,
        nesting: Nesting<'_>,
    ) -> Result<Self, String> {
        let theirs = CallOfTheirs {
            tool: name,
            arguments: &input,
            cwd: nesting.cwd,
        };
        let mut rest = None;
        let (calls, is_split) = match (agent.profile().split)(&theirs) {
            Split::Unclear(why) => return Err(why),
            Split::Calls(calls) => (calls, true),
            Split::Theirs(all) => {
                let left = nesting.left.checked_sub(1);
                let left = left.ok_or_else(|| format!("`{name}` is nested too deeply"))?;
                let mut calls = Vec::new();
                for (name, input) in all {
                    let inner = Nesting { left, ..nesting };
                    let inner = Self::read_nested(agent, &name, input, inner)?;
                    calls.extend(inner.calls);
                    rest = rest.or(inner.rest);
                }
                (calls, true)
            }
            Split::Whole => {
                let rule = rule_of(agent, name);
                let call = PlannedCall {
                    tool: our_name(agent, name, rule),
                    arguments: to_our_arguments(rule, &input),
                };
                // A guard of commands or files must not miss a call because of the tool's name, or
                // because an MCP server provides it.
                let meant = if rule.is_some() || is_ours(agent, name) {
                    GuessedCall::default()
                } else {
                    unlisted::calls(name, &input)
                };
                rest = meant.rest;
                let is_split = !meant.calls.is_empty();
                let all = std::iter::once(call).chain(meant.calls);
                (all.collect(), is_split)
            }
        };
        if calls.is_empty() {
            return Err(format!("it isn't known what this call of `{name}` does"));
        }
        if let Some(lacking) = calls.iter().find_map(PlannedCall::lacks) {
            return Err(format!("the arguments of `{name}` contain no {lacking}"));
        }
        Ok(Self {
            name: name.to_owned(),
            input,
            calls,
            is_split,
            is_fixed: false,
            rest,
        })
    }

    /// Writes the changed arguments in the agent's words: every key that we don't know stays, since
    /// agents replace the whole object. `None` if the call is several of ours.
    pub(crate) fn rewrite_arguments(
        &self,
        agent: Agent,
        changes: &Map<String, Value>,
        cwd: &Path,
    ) -> Option<Map<String, Value>> {
        let [call] = self.calls.as_slice() else {
            return None;
        };
        if self.is_fixed {
            return None;
        }
        let mut whole = call.clone();
        whole.arguments.extend(changes.clone());
        if self.is_split {
            let composed = (agent.profile().compose)(&self.name, &whole)?;
            let mut input = self.input.clone();
            input.extend(composed);
            return Some(input);
        }
        let rule = rule_of(agent, &self.name);
        let theirs = to_their_arguments(rule, &whole.arguments, Paths { cwd });
        let named = to_their_arguments(rule, changes, Paths { cwd });
        let mut input = self.input.clone();
        for name in named.keys() {
            if let Some(value) = theirs.get(name) {
                input.insert(name.clone(), value.clone());
            }
        }
        Some(input)
    }
}

/// How deep calls may be nested.
const MAX_DEPTH: usize = 4;

/// The position of a call.
#[derive(Clone, Copy)]
struct Nesting<'c> {
    cwd: &'c Path,
    /// How much deeper calls may appear.
    left: usize,
}

fn rule_of(agent: Agent, name: &str) -> Option<&'static ToolRule> {
    let mut rules = agent.tools().iter().chain(agent.profile().further_tools);
    rules.find(|rule| rule.theirs.contains(&name))
}

/// Returns whether it is one of our tools under its own name: Gemini CLI's table only has those
/// that differ.
fn is_ours(agent: Agent, name: &str) -> bool {
    agent == Agent::GeminiCli && tool_name::canonical(name).is_some()
}

fn our_name(agent: Agent, name: &str, rule: Option<&ToolRule>) -> String {
    if let Some(rule) = rule {
        return rule.ours.to_owned();
    }
    match (agent.profile().mcp)(name) {
        Some(McpTool::Of(server, tool)) => format!("{}{server}__{tool}", tool_name::MCP_PREFIX),
        Some(McpTool::Joined(both)) => format!("{}{both}", tool_name::MCP_PREFIX),
        None => name.to_owned(),
    }
}

/// Returns where a tool of an MCP server comes from, as far as its name shows.
pub(crate) fn mcp_context(agent: Agent, name: &str) -> Option<Value> {
    if rule_of(agent, name).is_some() {
        return None;
    }
    match (agent.profile().mcp)(name)? {
        McpTool::Of(server, tool) => Some(json!({"server_name": server, "tool_name": tool})),
        McpTool::Joined(_) => None,
    }
}
