//! Policy files: the user's rules for tools (TO-6).

mod read;

use hookloop_events::{ToolArguments, tool_name};
use regress::Regex;

use crate::approval_mode::ApprovalMode;
use hookloop_shell::{Command, command_lines};

use crate::command_line::{CommandLine, begins_with, is_of, may_begin_with};

pub use read::{
    DoubtfulRule, PolicyFile, PolicyFileError, read_named_policy_file, read_policy_file,
};

/// The decision of a rule, weakest first. Among rules of the same priority, the strictest counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleDecision {
    /// The tool runs without asking.
    Allow,
    /// The user is asked.
    AskUser,
    /// The tool doesn't run.
    Deny,
}

/// A rule about tools.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The tools, by any of their names; `*` and no list mean all. Other wildcards count only in
    /// rules that refuse or ask.
    pub(crate) tools: Vec<String>,
    /// What the command begins with, for tools that run one.
    pub(crate) command_prefixes: Vec<String>,
    /// A pattern for the command.
    pub(crate) command_regex: Option<Regex>,
    /// A pattern for the arguments as JSON.
    pub(crate) args_pattern: Option<Regex>,
    /// What is decided.
    pub(crate) decision: RuleDecision,
    /// Which rule counts if several match: the highest.
    pub(crate) priority: f64,
    /// The approval modes in which the rule counts; all of them without a list.
    pub(crate) modes: Vec<ApprovalMode>,
}

impl Rule {
    fn concerns(&self, tool: &str, arguments: &ToolArguments, mode: ApprovalMode) -> bool {
        self.is_about(tool, mode)
            && self.args_pattern.as_ref().is_none_or(|pattern| {
                // Strings, numbers and lists can always be serialised.
                let json = serde_json::to_string(arguments).unwrap_or_default();
                pattern.find(&json).is_some()
            })
    }

    fn is_about(&self, tool: &str, mode: ApprovalMode) -> bool {
        (self.modes.is_empty() || self.modes.contains(&mode)) && self.names(tool)
    }

    /// Returns whether it is about a tool. A refusing or asking rule may name tools with wildcards.
    fn names(&self, tool: &str) -> bool {
        let others = tool_name::other_names(tool);
        let restricts = self.decision != RuleDecision::Allow;
        self.tools.is_empty()
            || self.tools.iter().any(|name| {
                name == "*"
                    || name == tool
                    || others.contains(name)
                    || restricts && tool_name::may_mean(name, tool)
            })
    }

    fn is_about_commands(&self) -> bool {
        !self.command_prefixes.is_empty() || self.command_regex.is_some()
    }

    /// Compares one command: an allowing rule must match it as it is written, a refusing or asking
    /// one may match any of its spellings (HT-31).
    fn matches_command(&self, command: &Command) -> bool {
        let prefixes = &self.command_prefixes;
        if self.decision == RuleDecision::Allow {
            let words = command.words.iter().map(|it| it.text.as_str());
            let line = hookloop_shell::join(words);
            return (prefixes.is_empty() || prefixes.iter().any(|it| is_of(command, &line, it)))
                && self.matches_regex(&line);
        }
        (prefixes.is_empty() || prefixes.iter().any(|it| may_begin_with(command, it)))
            && (self.command_regex.is_none()
                || command_lines(command)
                    .iter()
                    .any(|it| self.matches_regex(it)))
    }

    /// Compares the text as a whole, for rules that refuse or ask.
    fn matches_text(&self, text: &str) -> bool {
        let prefixes = &self.command_prefixes;
        self.decision != RuleDecision::Allow
            && (prefixes.is_empty() || prefixes.iter().any(|it| begins_with(text, it)))
            && self.matches_regex(text)
    }

    fn matches_regex(&self, line: &str) -> bool {
        let regex = self.command_regex.as_ref();
        regex.is_none_or(|regex| regex.find(line).is_some())
    }
}

/// What the rules say about a call.
#[derive(Debug, Default)]
pub(crate) struct Ruled {
    /// What counts for the call as a whole; `Allow` only if every command is allowed.
    pub(crate) decision: Option<RuleDecision>,
    /// Whether each command of the line is allowed, in order.
    pub(crate) allowed: Vec<bool>,
    /// A rule that isn't about commands allows the tool, whatever it runs.
    pub(crate) allows_tool: bool,
}

/// Finds what the rules decide about a call, command by command.
pub(crate) fn decide(
    rules: &[Rule],
    tool: &str,
    arguments: &ToolArguments,
    line: &CommandLine<'_>,
    mode: ApprovalMode,
) -> Ruled {
    let rules: Vec<&Rule> = rules
        .iter()
        .filter(|rule| rule.concerns(tool, arguments, mode))
        .collect();
    if line.text.trim().is_empty() {
        let fitting = rules.into_iter().filter(|rule| !rule.is_about_commands());
        let decision = strongest(fitting).map(|rule| rule.decision);
        return Ruled {
            decision,
            allowed: Vec::new(),
            allows_tool: decision == Some(RuleDecision::Allow),
        };
    }
    let each: Vec<Option<&Rule>> = line
        .commands()
        .map(|command| {
            strongest(
                rules
                    .iter()
                    .copied()
                    .filter(|it| it.matches_command(command)),
            )
        })
        .collect();
    let allowed = each.iter().copied().map(is_allow).collect();
    let least = each
        .iter()
        .map(|rule| rule.map_or(f64::NEG_INFINITY, |rule| rule.priority))
        .fold(f64::INFINITY, f64::min);
    let of_text = strongest(
        rules
            .iter()
            .copied()
            .filter(|it| it.matches_text(line.text)),
    )
    .filter(|rule| each.is_empty() || rule.priority >= least)
    .map(|rule| rule.decision);
    // Parts of a command that can't be known may be what a rule refuses or asks about.
    let unseen = line.is_blind().then(|| {
        let about = rules.iter().filter(|it| it.is_about_commands());
        about
            .filter(|it| it.decision != RuleDecision::Allow)
            .map(|_| RuleDecision::AskUser)
            .next()
    });
    let strictest = each
        .iter()
        .flatten()
        .map(|rule| rule.decision)
        .chain(of_text)
        .chain(unseen.flatten())
        .max();
    let of_tool = strongest(rules.iter().copied().filter(|it| !it.is_about_commands()));
    let all_allow = !each.is_empty() && each.iter().copied().all(is_allow) && !line.is_blind();
    Ruled {
        decision: strictest.filter(|it| *it != RuleDecision::Allow || all_allow),
        allowed,
        allows_tool: is_allow(of_tool) && strictest.is_none_or(|it| it == RuleDecision::Allow),
    }
}

fn is_allow(rule: Option<&Rule>) -> bool {
    rule.is_some_and(|rule| rule.decision == RuleDecision::Allow)
}

fn strongest<'r>(rules: impl Iterator<Item = &'r Rule>) -> Option<&'r Rule> {
    rules.max_by(|one, other| {
        one.priority
            .total_cmp(&other.priority)
            .then(one.decision.cmp(&other.decision))
    })
}

/// Returns whether a rule may allow some call of a tool.
pub(crate) fn may_allow(rules: &[Rule], tool: &str, mode: ApprovalMode) -> bool {
    let allows = |rule: &Rule| rule.decision == RuleDecision::Allow && rule.is_about(tool, mode);
    rules.iter().any(allows)
}

/// Returns whether a rule refuses every call of a tool, and no rule of its rank or above decides
/// otherwise about some.
pub(crate) fn always_refused(rules: &[Rule], tool: &str, mode: ApprovalMode) -> bool {
    let about: Vec<&Rule> = rules.iter().filter(|it| it.is_about(tool, mode)).collect();
    about.iter().any(|refusal| {
        refusal.decision == RuleDecision::Deny
            && !refusal.is_about_commands()
            && refusal.args_pattern.is_none()
            && about.iter().all(|other| {
                other.decision == RuleDecision::Deny || other.priority <= refusal.priority
            })
    })
}

#[cfg(test)]
mod tests;
