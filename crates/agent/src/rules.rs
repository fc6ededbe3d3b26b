//! Policy files: rules about tools that the user writes (TO-6).

mod read;

use hookloop_events::{ToolArguments, tool_name};
use regress::Regex;

use crate::approval_mode::ApprovalMode;
use crate::command_line::{begins_with, command, commands_of, is_simple};

pub use read::{PolicyFileError, read_policy_file};

/// What a rule decides, weakest first: among rules of one priority the strictest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleDecision {
    /// The tool runs without asking.
    Allow,
    /// The user is asked.
    AskUser,
    /// The tool does not run.
    Deny,
}

/// A rule about tools.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The tools, by any of their names; `*` and no list mean all.
    pub(crate) tools: Vec<String>,
    /// What the command begins with, for tools that run one.
    pub(crate) command_prefixes: Vec<String>,
    /// A pattern for the command.
    pub(crate) command_regex: Option<Regex>,
    /// A pattern for the arguments as JSON.
    pub(crate) args_pattern: Option<Regex>,
    /// What is decided.
    pub(crate) decision: RuleDecision,
    /// Which rule counts where several fit: the highest.
    pub(crate) priority: f64,
    /// The approval modes in which the rule counts; all without a list.
    pub(crate) modes: Vec<ApprovalMode>,
}

impl Rule {
    fn fits(&self, tool: &str, arguments: &ToolArguments, mode: ApprovalMode) -> bool {
        (self.modes.is_empty() || self.modes.contains(&mode))
            && self.names(tool)
            && self.fits_command(arguments)
            && self.args_pattern.as_ref().is_none_or(|pattern| {
                let json = serde_json::Value::Object(arguments.clone()).to_string();
                pattern.find(&json).is_some()
            })
    }

    fn names(&self, tool: &str) -> bool {
        let others = tool_name::other_names(tool);
        self.tools.is_empty()
            || self
                .tools
                .iter()
                .any(|name| name == "*" || name == tool || others.contains(name))
    }

    /// Compares the command: what allows must fit the whole line, what refuses or asks may fit
    /// any command in it.
    fn fits_command(&self, arguments: &ToolArguments) -> bool {
        if self.command_prefixes.is_empty() && self.command_regex.is_none() {
            return true;
        }
        let line = command(arguments);
        if self.decision == RuleDecision::Allow {
            return is_simple(line) && self.fits_one_command(line);
        }
        self.fits_one_command(line) || commands_of(line).any(|part| self.fits_one_command(part))
    }

    fn fits_one_command(&self, line: &str) -> bool {
        let prefixes = &self.command_prefixes;
        (prefixes.is_empty() || prefixes.iter().any(|prefix| begins_with(line, prefix)))
            && self
                .command_regex
                .as_ref()
                .is_none_or(|regex| regex.find(line).is_some())
    }
}

/// Finds what the rules decide about a call, if one of them fits.
pub(crate) fn decide(
    rules: &[Rule],
    tool: &str,
    arguments: &ToolArguments,
    mode: ApprovalMode,
) -> Option<RuleDecision> {
    let fitting = rules.iter().filter(|rule| rule.fits(tool, arguments, mode));
    fitting
        .max_by(|one, other| {
            one.priority
                .total_cmp(&other.priority)
                .then(one.decision.cmp(&other.decision))
        })
        .map(|rule| rule.decision)
}

#[cfg(test)]
mod tests;
