//! Calls of tools: theirs become ours, and ours theirs again.

use std::path::Path;

use hookloop_dialects::tools::{Paths, ToolRule, ours_of, theirs_of};
use hookloop_events::tool_name;
use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::planned::{PlannedCall, Split};

/// The calls that an agent's call is, and what is needed to write a rewritten one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TheirCall {
    /// Their name of the tool.
    pub(crate) name: String,
    /// Their arguments.
    pub(crate) input: Map<String, Value>,
    /// The calls here.
    pub(crate) calls: Vec<PlannedCall>,
    /// Whether the call has another form than one of ours.
    pub(crate) is_split: bool,
}

impl TheirCall {
    /// Reads a call.
    ///
    /// # Errors
    /// Nobody knows what it would do.
    pub(crate) fn read(
        agent: Agent,
        name: &str,
        input: Map<String, Value>,
    ) -> Result<Self, String> {
        let (calls, is_split) = match (agent.profile().split)(name, &input) {
            Split::Unclear(why) => return Err(why),
            Split::Calls(calls) => (calls, true),
            Split::Whole => {
                let rule = rule_of(agent, name);
                let call = PlannedCall {
                    tool: our_name(agent, name, rule),
                    arguments: ours_of(rule, &input),
                };
                (vec![call], false)
            }
        };
        Ok(Self {
            name: name.to_owned(),
            input,
            calls,
            is_split,
        })
    }

    /// Writes the arguments with changes in their words: every key that we don't know stays, since
    /// agents replace the whole object. Nothing where the call is several of ours.
    pub(crate) fn rewritten(
        &self,
        agent: Agent,
        changes: &Map<String, Value>,
        cwd: &Path,
    ) -> Option<Map<String, Value>> {
        let [call] = self.calls.as_slice() else {
            return None;
        };
        let mut whole = call.clone();
        whole.arguments.extend(changes.clone());
        if self.is_split {
            let composed = (agent.profile().compose)(&self.name, &whole)?;
            let mut input = self.input.clone();
            input.extend(composed);
            return Some(input);
        }
        let rule = rule_of(agent, &self.name);
        let theirs = theirs_of(rule, &whole.arguments, Paths { cwd });
        let named = theirs_of(rule, changes, Paths { cwd });
        let mut input = self.input.clone();
        for name in named.keys() {
            if let Some(value) = theirs.get(name) {
                input.insert(name.clone(), value.clone());
            }
        }
        Some(input)
    }
}

fn rule_of(agent: Agent, name: &str) -> Option<&'static ToolRule> {
    let mut rules = agent.tools().iter();
    rules.find(|rule| rule.theirs.contains(&name))
}

fn our_name(agent: Agent, name: &str, rule: Option<&ToolRule>) -> String {
    if let Some(rule) = rule {
        return rule.ours.to_owned();
    }
    match (agent.profile().mcp)(name) {
        Some((server, tool)) => format!("{}{server}__{tool}", tool_name::MCP_PREFIX),
        None => name.to_owned(),
    }
}

/// Says where a tool of an MCP server comes from.
pub(crate) fn mcp_context(agent: Agent, name: &str) -> Option<Value> {
    if rule_of(agent, name).is_some() {
        return None;
    }
    let (server, tool) = (agent.profile().mcp)(name)?;
    Some(json!({"server_name": server, "tool_name": tool}))
}
