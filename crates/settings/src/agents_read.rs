//! Reads the agents in which a hook runs (BR-12).

use std::sync::Arc;

use hookloop_hook::{Broken, ProblemCode};
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::Value;

use crate::hook_read::HookReader;
use crate::near::nearest;
use crate::syntax::start;

/// The agents that a hook can name: this one, and those that the bridge knows (BR-12).
pub const AGENTS: [&str; 12] = [
    "hookloop",
    "claude-code",
    "codex",
    "copilot",
    "qwen",
    "goose",
    "kimi",
    "droid",
    "opencode",
    "cline",
    "gemini-cli",
    "cursor",
];

impl HookReader<'_, '_> {
    /// Reads the names of agents. A name that isn't any agent's, or an empty list, would keep the
    /// hook from running anywhere: that can't be meant, so the hook can't start (IO-21).
    pub(crate) fn agents(&mut self, value: &Value<'_>) -> Result<Vec<String>, Arc<Broken>> {
        let names = self.texts("\"agents\"", value)?;
        let unknown = names.iter().position(|it| !AGENTS.contains(&it.as_str()));
        let (place, message) = match (unknown, value) {
            (None, _) if !names.is_empty() => return Ok(names),
            (Some(at), Value::Array(list)) => {
                let place = list.elements.get(at).map_or_else(|| start(value), start);
                let name = excerpt(&names[at]);
                (place, format!("\"{name}\" isn't an agent's name"))
            }
            _ => {
                let message = "\"agents\" names no agent, so the hook would never run";
                (start(value), message.to_owned())
            }
        };
        let meant = unknown.and_then(|at| nearest(&names[at], AGENTS));
        let help = format!(
            "leave \"agents\" out to let it run in every agent, or write some of {}",
            AGENTS.join(", ")
        );
        let code = ProblemCode::InvalidValue;
        Err(self.report.fault(code, place, message, help, meant))
    }
}
