//! MCP tools that do what a guard checks, under another name (PL-5): the guard's matcher doesn't
//! match them, and a person should know.

use hookloop_hook::quoted;
use std::collections::BTreeMap;

use hookloop_bridge::kin_of_tool;
use hookloop_engine::{Registry, SkipCause, Subject};
use hookloop_events::{EventName, tool_name};

use crate::hook_words::short_label;

/// How many tools are named of each hook.
const MAX_TOOLS: usize = 3;

/// Returns a line for each hook that checks one of our tools before it runs, but whose matcher
/// matches none of these servers' tools that do the same, judging by their names.
pub fn uncovered(registry: &Registry, tools: &[String]) -> Vec<String> {
    let mut found: BTreeMap<String, Uncovered> = BTreeMap::new();
    for tool in tools
        .iter()
        .filter(|it| it.starts_with(tool_name::MCP_PREFIX))
    {
        let kin = kin_of_tool(tool);
        if kin.is_empty() {
            continue;
        }
        let of_tool = registry.explain(EventName::BeforeTool, Subject::Known(tool));
        for ours in kin {
            let of_ours = registry.explain(EventName::BeforeTool, Subject::Known(ours));
            for (status, other) in of_ours.hooks.iter().zip(&of_tool.hooks) {
                let mismatches = |it: &SkipCause| matches!(it, SkipCause::MatcherMismatch { .. });
                let is_missed = other.causes.iter().any(mismatches);
                if status.runs() != Some(true) || !is_missed || status.hook.id != other.hook.id {
                    continue;
                }
                let entry = found
                    .entry(status.hook.source.to_string())
                    .or_insert_with(|| Uncovered {
                        hook: short_label(&status.hook),
                        ours,
                        tools: Vec::new(),
                    });
                if !entry.tools.contains(tool) {
                    entry.tools.push(tool.clone());
                }
            }
        }
    }
    let lines = found.into_iter();
    lines.map(|(place, it)| it.line(&place)).collect()
}

/// What a hook isn't asked about.
struct Uncovered {
    hook: String,
    /// The tool of ours that it looks at.
    ours: &'static str,
    tools: Vec<String>,
}

impl Uncovered {
    fn line(&self, place: &str) -> String {
        let named: Vec<&str> = self
            .tools
            .iter()
            .take(MAX_TOOLS)
            .map(String::as_str)
            .collect();
        let more = self.tools.len() - named.len();
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!(
            "note: hook {} ({place}) guards {}, but its matcher doesn't match {}{rest}, which by \
             their names do the same; add what it should guard to the matcher",
            quoted(&self.hook),
            self.ours,
            named.join(", "),
        )
    }
}
