//! Reads policy files (TOML).

use std::io;
use std::path::{Path, PathBuf};

use regress::Regex;
use serde::Deserialize;
use toml::Spanned;

use super::{Rule, RuleDecision};
use crate::approval_mode::ApprovalMode;

/// Why a policy file can't be used. A rule that is left out could be the one that refuses, so
/// the whole file counts as wrong.
#[derive(Debug, thiserror::Error)]
pub enum PolicyFileError {
    /// It can't be read.
    #[error("read the policy file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something in it is wrong.
    #[error("read the policy file {}:{line}:{column}: {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<RuleText>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RuleText {
    #[serde(default)]
    tool_name: Texts,
    #[serde(default)]
    command_prefix: Texts,
    command_regex: Option<Spanned<String>>,
    args_pattern: Option<Spanned<String>>,
    decision: Spanned<String>,
    #[serde(default)]
    priority: Priority,
    #[serde(default)]
    modes: Vec<Spanned<String>>,
}

/// A text, or a list of texts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Default for Texts {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Texts {
    fn into_vec(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(transparent)]
struct Priority(f64);

/// Reads the rules of a policy file (TO-6).
pub fn read_policy_file(path: &Path) -> Result<Vec<Rule>, PolicyFileError> {
    let text = std::fs::read_to_string(path).map_err(|source| PolicyFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    parse(&text).map_err(|(offset, problem)| {
        let (line, column) = place(&text, offset);
        PolicyFileError::Wrong {
            path: path.to_owned(),
            line,
            column,
            problem,
        }
    })
}

/// Where something is wrong, in bytes, and what.
type Wrong = (usize, String);

pub(super) fn parse(text: &str) -> Result<Vec<Rule>, Wrong> {
    let file: File = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        (offset, error.message().to_owned())
    })?;
    file.rule.into_iter().map(rule).collect()
}

fn rule(text: RuleText) -> Result<Rule, Wrong> {
    let decision = match text.decision.get_ref().as_str() {
        "allow" => RuleDecision::Allow,
        "ask_user" => RuleDecision::AskUser,
        "deny" => RuleDecision::Deny,
        other => {
            let problem =
                format!("unknown decision \"{other}\"; there are allow, ask_user and deny");
            return Err((text.decision.span().start, problem));
        }
    };
    Ok(Rule {
        tools: text.tool_name.into_vec(),
        command_prefixes: text.command_prefix.into_vec(),
        command_regex: text.command_regex.as_ref().map(regex).transpose()?,
        args_pattern: text.args_pattern.as_ref().map(regex).transpose()?,
        decision,
        priority: text.priority.0,
        modes: text.modes.iter().map(mode).collect::<Result<_, _>>()?,
    })
}

fn regex(text: &Spanned<String>) -> Result<Regex, Wrong> {
    Regex::new(text.get_ref()).map_err(|error| {
        (
            text.span().start,
            format!("\"{}\" isn't a pattern: {error}", text.get_ref()),
        )
    })
}

fn mode(text: &Spanned<String>) -> Result<ApprovalMode, Wrong> {
    text.get_ref()
        .parse()
        .map_err(|error| (text.span().start, format!("{error}")))
}

fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
