//! Finds other agents' names in a script that runs here without their dialect (CM-3): such a hook
//! looks installed and enforces nothing.
//!
//! Names that are understood here aren't reported: `permissionDecision` and `updatedInput` before a
//! tool (OUT-7), and the event's own name in `hookEventName`. A script that also uses our name is
//! written for both agents, and isn't reported either.

mod absent;
mod place;
mod table;

use hookloop_events::EventName;
use hookloop_hook::Dialect;

use crate::vocabulary::claude_event;
pub use absent::{AbsentField, absent_field};
use place::{Line, Spot, lines_of_code};
use table::{EVENTS, FIELDS, Kind, REPLIES, Rule, TOOLS, TOP_FIELDS, VARIABLES};

/// Largest number of words that are reported for one script.
const MAX_WORDS: usize = 8;

/// Another agent's name in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignWord {
    /// The name.
    pub word: &'static str,
    /// The display name of the agent.
    pub agent: &'static str,
    /// The dialect in which it is understood.
    pub dialect: Option<Dialect>,
    /// What to write instead, as the end of "write …".
    pub right: String,
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// The text of the line.
    pub text: String,
}

/// Finds other agents' names in the text of a hook's script or command, in the order of the text.
/// Each name is reported once.
pub fn foreign_words(event: EventName, text: &str) -> Vec<ForeignWord> {
    let lines = lines_of_code(text);
    let mut found: Vec<ForeignWord> = Vec::new();
    let script = Script { event, text };
    for line in &lines {
        for rule in rules() {
            if found.iter().any(|it| it.word == rule.word) {
                continue;
            }
            if let Some(spot) = script.find_word(rule, line) {
                found.push(ForeignWord {
                    word: rule.word,
                    agent: rule.agent,
                    dialect: rule.dialect,
                    right: rule.right.to_owned(),
                    line: line.number,
                    column: spot.column,
                    text: line.text.to_owned(),
                });
            }
        }
    }
    found.sort_by_key(|it| (it.line, it.column));
    found.truncate(MAX_WORDS);
    found
}

/// Returns whether a word is another agent's name for an event, which [`foreign_words`] reports
/// (CM-3).
pub fn is_word_of_an_event(word: &str) -> bool {
    EVENTS.iter().any(|rule| rule.word == word)
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    EVENTS
        .iter()
        .chain(TOOLS)
        .chain(FIELDS)
        .chain(TOP_FIELDS)
        .chain(REPLIES)
        .chain(VARIABLES)
}

/// A script as a whole.
struct Script<'a> {
    event: EventName,
    text: &'a str,
}

impl Script<'_> {
    /// Finds a word in a line, in a place where it has its agent's meaning.
    fn find_word<'l>(&self, rule: &Rule, line: &Line<'l>) -> Option<Spot<'l>> {
        if !line.text.contains(rule.word) || self.speaks_ours(rule) {
            return None;
        }
        let mut spots = line.spots(rule.word);
        spots.find(|spot| match rule.kind {
            Kind::Event => spot.is_compared() && !self.is_understood(rule, spot),
            Kind::Tool => self.is_of_tools() && names_tool(rule, spot, line),
            Kind::Field => spot.is_field(),
            Kind::TopField => !self.text.contains("tool_input") && spot.is_top_field(),
            Kind::Reply => spot.is_key(),
            Kind::Variable => spot.is_variable(),
        })
    }

    /// Returns whether the script uses our word too.
    fn speaks_ours(&self, rule: &Rule) -> bool {
        rule.ours.iter().any(|ours| place::holds(self.text, ours))
    }

    /// Returns whether a name of an event is where it is understood (OUT-6, OUT-7).
    fn is_understood(&self, rule: &Rule, spot: &Spot<'_>) -> bool {
        spot.before.contains("hookEventName") && claude_event(rule.word) == Some(self.event)
    }

    fn is_of_tools(&self) -> bool {
        matches!(self.event, EventName::BeforeTool | EventName::AfterTool)
            && self.text.to_ascii_lowercase().contains("tool")
    }
}

/// Returns whether a word names a tool: an everyday word only beside something that shows it.
fn names_tool(rule: &Rule, spot: &Spot<'_>, line: &Line<'_>) -> bool {
    if !spot.is_compared() {
        return false;
    }
    let others = || {
        let rest = TOOLS.iter().filter(|other| other.word != rule.word);
        rest.filter(|other| line.spots(other.word).any(|it| it.is_compared()))
            .count()
    };
    !rule.is_everyday
        || spot.is_pattern_of_case()
        || line.text.to_ascii_lowercase().contains("tool")
        || others() > 0
}

#[cfg(test)]
mod tests;
