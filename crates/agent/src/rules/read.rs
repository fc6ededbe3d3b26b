//! Reads policy files (TOML).

use std::io;
use std::path::{Path, PathBuf};

use hookloop_events::tool_name;
use hookloop_settings::bounded::{Unread, open_named, read_input, read_regular};
use regress::Regex;
use serde::Deserialize;
use toml::Spanned;

use super::{Rule, RuleDecision};
use crate::approval_mode::ApprovalMode;

/// The maximum size of a policy file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Why a policy file can't be used. A rule that can't be parsed could be the one that refuses, so
/// the whole file is rejected.
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

/// A text, or a list of strings.
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

/// The content of a policy file (TO-6).
#[derive(Debug, Clone, Default)]
pub struct PolicyFile {
    /// Its rules.
    pub rules: Vec<Rule>,
    /// Those that may never apply.
    pub doubtful: Vec<DoubtfulRule>,
}

/// Reads a policy file that was found in a folder, or that settings name (TO-6): a pipe there is
/// never waited for.
pub fn read_policy_file(path: &Path) -> Result<PolicyFile, PolicyFileError> {
    read_as(path, read_regular(path, MAX_BYTES))
}

/// Reads a policy file that a person named in the command (TO-6). It may be a pipe of the shell,
/// which has its content only once: an empty one isn't a file without rules.
pub fn read_named_policy_file(path: &Path) -> Result<PolicyFile, PolicyFileError> {
    read_as(path, read_named(path))
}

fn read_named(path: &Path) -> Result<Vec<u8>, Unread> {
    let file = open_named(path)?;
    let may_be_read_up = is_pipe(&file.metadata()?);
    let bytes = read_input(file, MAX_BYTES)?;
    if bytes.is_empty() && may_be_read_up {
        let why = "it is a pipe, and empty: its content can be read only once. Use a file";
        return Err(io::Error::other(why).into());
    }
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
const fn is_pipe(_metadata: &std::fs::Metadata) -> bool {
    false
}

fn read_as(path: &Path, read: Result<Vec<u8>, Unread>) -> Result<PolicyFile, PolicyFileError> {
    let bytes = read.map_err(io::Error::from);
    let text = bytes.and_then(|it| {
        String::from_utf8(it).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    let text = text.map_err(|source| PolicyFileError::Read {
        path: path.to_owned(),
        source,
    })?;
    let rules = parse(&text).map_err(|(offset, problem)| {
        let (line, column) = line_and_column(&text, offset);
        PolicyFileError::Wrong {
            path: path.to_owned(),
            line,
            column,
            problem,
        }
    })?;
    Ok(PolicyFile {
        rules,
        doubtful: doubtful_rules(&text),
    })
}

/// A rule of a policy file that may never apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulRule {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub remedy: String,
}

/// Returns the rules that name tools that don't exist, or command patterns for tools that run no
/// commands (TO-6). Returns nothing for a text that can't be parsed.
fn doubtful_rules(text: &str) -> Vec<DoubtfulRule> {
    let Ok(file) = toml::from_str::<File>(text) else {
        return Vec::new();
    };
    let mut doubtful = Vec::new();
    for rule in file.rule {
        let is_about_commands = rule.command_regex.is_some()
            || !matches!(&rule.command_prefix, Texts::Many(all) if all.is_empty());
        for name in rule.tool_name.into_vec() {
            let allows = rule.decision.get_ref() == "allow";
            let means_some = |it| tool_name::may_mean(&name, it);
            let may_be_of_server = name == "*"
                || name.starts_with("mcp_")
                || !allows && tool_name::built_in().any(means_some);
            let wrong = match tool_name::canonical(&name) {
                None if allows && name != "*" && name.contains('*') => Some((
                    format!(
                        "\"{name}\" allows nothing: wildcards count only in rules that deny or ask"
                    ),
                    "name each tool".to_owned(),
                )),
                None if !may_be_of_server => Some((
                    format!("no known tool is called \"{name}\", so the rule may never apply"),
                    format!(
                        "the tools are {}, and those of MCP servers begin with mcp__",
                        tool_name::built_in().collect::<Vec<_>>().join(", ")
                    ),
                )),
                Some(own) if is_about_commands && own != "run_shell_command" => Some((
                    format!(
                        "\"{name}\" runs no commands, so a rule about its commands never applies"
                    ),
                    "leave commandPrefix or commandRegex out, or name run_shell_command".to_owned(),
                )),
                _ => None,
            };
            doubtful.extend(wrong.map(|(problem, remedy)| {
                let offset = text.find(&format!("\"{name}\"")).unwrap_or(0);
                let (line, column) = line_and_column(text, offset);
                DoubtfulRule {
                    line,
                    column,
                    problem,
                    remedy,
                }
            }));
        }
    }
    doubtful
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
            let problem = format!("unknown decision \"{other}\"; use allow, ask_user or deny");
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

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
