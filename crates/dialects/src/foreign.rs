//! A hook in its own dialect (FD-1): what it reads, what its answer means, which names its matcher
//! knows. Each dialect is a folder of the same shape.
//!
//! Only what is understood whole is translated. Everything else (broken JSON, exit codes, signals,
//! timeouts) goes to the reader of replies as it is, which reads a refusal out of it in every
//! spelling: a dialect can't lose one (FD-21).

mod tools;

use hookloop_events::EventName;
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

use crate::claude_code;

pub(crate) use tools::{Argument, Kind, Paths, ToolRule, ours_of, theirs_of};

/// What a hook wrote, and how it ended.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// Our event.
    pub event: EventName,
    /// The payload in our words that the hook was asked with.
    pub payload: &'a Map<String, Value>,
    /// The exit code.
    pub exit: i32,
    /// Standard output.
    pub stdout: &'a str,
    /// Standard error.
    pub stderr: &'a str,
}

/// What it means, as if a hook of ours had said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The exit code.
    pub exit: i32,
    /// Standard output: a reply in our words.
    pub stdout: String,
}

/// A variable of the environment that another agent gives its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeignVariable {
    /// The name.
    pub name: &'static str,
    /// What it holds.
    pub value: ForeignValue,
}

/// What a variable of another agent holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignValue {
    /// This text.
    Text(&'static str),
    /// The absolute path of the project's root.
    ProjectRoot,
    /// The absolute path of the session's transcript.
    Transcript,
}

/// The parts of a dialect, the same for each.
pub(crate) struct Speech {
    pub(crate) tools: &'static [ToolRule],
    pub(crate) payload: fn(&Map<String, Value>) -> Map<String, Value>,
    pub(crate) reply: fn(&Said<'_>) -> Option<Heard>,
    pub(crate) environment: &'static [ForeignVariable],
}

fn speech(dialect: Dialect) -> Option<&'static Speech> {
    match dialect {
        Dialect::ClaudeCode => Some(&claude_code::SPEECH),
        _ => None,
    }
}

/// The dialects that are translated; hooks of another one can't be run (IO-21).
pub fn spoken_dialects() -> impl Iterator<Item = Dialect> {
    let is_spoken = |dialect: &Dialect| *dialect == Dialect::Hookloop || speech(*dialect).is_some();
    Dialect::ALL.iter().copied().filter(is_spoken)
}

/// Writes a payload of ours in the words of a dialect; nothing where they are ours (FD-10).
pub fn foreign_payload(dialect: Dialect, ours: &Map<String, Value>) -> Option<Map<String, Value>> {
    speech(dialect).map(|speech| (speech.payload)(ours))
}

/// Says in our words what a hook of a dialect said (FD-20); nothing where it is to be read as it
/// stands.
pub fn heard(dialect: Dialect, said: &Said<'_>) -> Option<Heard> {
    (speech(dialect)?.reply)(said)
}

/// Returns the names that a tool of ours has in a dialect (FD-12).
pub fn foreign_tool_names(dialect: Dialect, tool: &str) -> &'static [&'static str] {
    let rules = speech(dialect).map_or(&[][..], |speech| speech.tools);
    let rule = rules.iter().find(|rule| rule.ours == tool);
    rule.map_or(&[], |rule| rule.theirs)
}

/// Returns the words of a matcher that is a list of exact names in a dialect; nothing if it is a
/// pattern there (FD-12).
pub fn exact_words(dialect: Dialect, matcher: &str) -> Option<Vec<&str>> {
    speech(dialect)?;
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-| ,".contains(sign);
    matcher.chars().all(is_plain).then(|| {
        let words = matcher.split(['|', ',']).map(str::trim);
        words.filter(|word| !word.is_empty()).collect()
    })
}

/// Returns the variables that a hook of a dialect finds in its environment, beside what it
/// inherits (FD-14).
pub fn foreign_environment(dialect: Dialect) -> &'static [ForeignVariable] {
    speech(dialect).map_or(&[], |speech| speech.environment)
}

#[cfg(test)]
mod tests;
