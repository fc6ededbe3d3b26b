//! Which subjects a hook's matcher fits (PL-1…5).

use std::sync::OnceLock;

use hookloop_events::{EventName, SubjectKind, tool_name};
use regress::Regex;

/// The matcher of a hook, ready to be compared. A pattern is compiled once, and only when the
/// event fires.
#[derive(Debug)]
pub(crate) struct Matcher {
    text: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// No matcher, `""`, `"*"`, or an event without subject (PL-2, PL-4).
    Everything,
    /// Plain words joined by `|`: as unanchored pattern, a tool's name that holds one (PL-1).
    Holding(Vec<Box<str>>),
    /// A pattern of ECMAScript (PL-1).
    Pattern {
        regex: OnceLock<Option<Regex>>,
        names: Names,
    },
    /// Exact text, or one of several words (PL-3).
    Exactly(Vec<Box<str>>),
}

/// Which names of a tool a pattern is compared with (PL-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// All that it is known under.
    All,
    /// The tool's own alone: the pattern may say what a name is *not*.
    Own,
}

impl Matcher {
    /// Reads a matcher for an event.
    pub(crate) fn new(event: EventName, text: Option<&str>) -> Self {
        let text = text.unwrap_or_default();
        let kind = match event.subject_kind() {
            SubjectKind::None => Kind::Everything,
            _ if text.is_empty() || text == "*" => Kind::Everything,
            SubjectKind::Tool => tool_kind(text),
            SubjectKind::Word => Kind::Exactly(words(text).unwrap_or_else(|| vec![text.into()])),
        };
        Self {
            text: text.to_owned(),
            kind,
        }
    }

    /// Tells whether every subject fits.
    pub(crate) const fn fits_everything(&self) -> bool {
        matches!(self.kind, Kind::Everything)
    }

    /// Tells whether a subject fits. `other_names` are the further names of a tool (PL-5).
    pub(crate) fn fits(&self, subject: &str, other_names: &[String]) -> bool {
        match &self.kind {
            Kind::Everything => true,
            Kind::Holding(words) => names_of(subject, other_names)
                .any(|name| words.iter().any(|word| name.contains(&**word))),
            Kind::Exactly(words) => words.iter().any(|word| **word == *subject),
            Kind::Pattern { regex, names } => match self.compiled(regex) {
                Some(regex) => match names {
                    Names::Own => regex.find(subject).is_some(),
                    Names::All => {
                        names_of(subject, other_names).any(|name| regex.find(name).is_some())
                    }
                },
                None => names_of(subject, other_names).any(|name| name == self.text),
            },
        }
    }

    /// Tells whether it is compared as a pattern.
    pub(crate) const fn is_pattern(&self) -> bool {
        matches!(self.kind, Kind::Pattern { .. })
    }

    /// Tells whether the text is a pattern that can't be read; it is compared as exact text
    /// then (PL-1).
    pub(crate) fn is_invalid_pattern(&self) -> bool {
        match &self.kind {
            Kind::Pattern { regex, .. } => self.compiled(regex).is_none(),
            _ => false,
        }
    }

    /// Returns the plain words of the matcher, if it is made of nothing else.
    pub(crate) fn plain_words(&self) -> &[Box<str>] {
        match &self.kind {
            Kind::Holding(words) | Kind::Exactly(words) => words,
            _ => &[],
        }
    }

    /// Tells whether every subject that fits another matcher of the same event fits this one,
    /// as far as plain words tell.
    pub(crate) fn covers_words_of(&self, other: &Self) -> bool {
        let theirs = other.plain_words();
        let covered = |word: &str| match &self.kind {
            Kind::Holding(ours) => ours.iter().any(|our| word.contains(&**our)),
            Kind::Exactly(ours) => ours.iter().any(|our| **our == *word),
            _ => false,
        };
        !theirs.is_empty() && theirs.iter().all(|word| covered(word))
    }

    /// Returns the matcher as configured.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn compiled<'a>(&self, regex: &'a OnceLock<Option<Regex>>) -> Option<&'a Regex> {
        regex.get_or_init(|| Regex::new(&self.text).ok()).as_ref()
    }
}

fn names_of<'a>(subject: &'a str, others: &'a [String]) -> impl Iterator<Item = &'a str> {
    std::iter::once(subject).chain(others.iter().map(String::as_str))
}

fn tool_kind(text: &str) -> Kind {
    match words(text) {
        Some(words) => Kind::Holding(words),
        None => Kind::Pattern {
            regex: OnceLock::new(),
            names: if says_only_what_fits(text) {
                Names::All
            } else {
                Names::Own
            },
        },
    }
}

/// Splits plain words joined by `|`; nothing if the text is made of anything else.
fn words(text: &str) -> Option<Vec<Box<str>>> {
    let plain = |word: &str| !word.is_empty() && word.chars().all(is_word_character);
    text.split('|')
        .map(|word| plain(word).then(|| word.into()))
        .collect()
}

/// Tells whether a pattern is made of plain words, `^ $ | ( )` and `.*` alone, and so can't
/// say what a name is not (PL-5).
fn says_only_what_fits(text: &str) -> bool {
    let rest = text.replace(".*", "");
    rest.chars()
        .all(|letter| is_word_character(letter) || "^$|()".contains(letter))
}

const fn is_word_character(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Returns the further names of a subject, for events whose subject is a tool.
pub(crate) fn other_names(event: EventName, subject: &str) -> Vec<String> {
    match event.subject_kind() {
        SubjectKind::Tool => tool_name::other_names(subject),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
