//! Which subjects a hook's matcher matches (PL-1…5).

mod renamed;

use std::borrow::Cow;
use std::sync::OnceLock;

use hookloop_dialects::{Excluding, exact_words, excluding, foreign_pattern, foreign_tool_names};
use hookloop_events::{EventName, SubjectKind, tool_name};
use hookloop_hook::{Dialect, HookDeclaration};

use crate::pattern::{MatchResult, Pattern};
use renamed::Renamed;

/// The matcher of a hook, ready to be compared. A pattern is compiled once, and only when the
/// event fires.
#[derive(Debug)]
pub(crate) struct Matcher {
    text: String,
    kind: Kind,
    /// The matcher in the characters of called tools' names, if it contains others (PL-5).
    renamed: Option<Renamed>,
    /// The dialect whose names of tools count, too (FD-12).
    dialect: Dialect,
    /// The dialect's own event that the hook stands for (FD-11).
    event: Option<String>,
}

#[derive(Debug)]
enum Kind {
    /// No matcher, `""`, `"*"`, or an event without subject (PL-2, PL-4).
    Everything,
    /// Plain words joined by `|`: as unanchored pattern, a tool's name that contains one (PL-1).
    Holding(Vec<Box<str>>),
    /// A pattern of ECMAScript (PL-1).
    Pattern {
        pattern: OnceLock<Option<Pattern>>,
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
    /// The tool's own alone: the pattern says what a name is *not*.
    Own,
}

/// The result of comparing a matcher with a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit<'n> {
    /// It doesn't match.
    No,
    /// It matches, under the subject's own name or whatever its name.
    Own,
    /// It matches only this other name of a tool (PL-5), which the hook then reads (PL-11).
    Other(&'n str),
    /// Comparing it took too long; it counts as matching (PL-12).
    Endless,
}

impl Matcher {
    /// Reads a matcher for an event.
    pub(crate) fn new(event: EventName, text: Option<&str>) -> Self {
        let text = text.unwrap_or_default();
        let kind = match event.subject_kind() {
            SubjectKind::None => Kind::Everything,
            _ if text.is_empty() || text == "*" => Kind::Everything,
            SubjectKind::Tool => tool_kind(text),
            SubjectKind::Word => {
                Kind::Exactly(split_words(text).unwrap_or_else(|| vec![text.into()]))
            }
        };
        let may_rename = match kind {
            Kind::Holding(_) => true,
            Kind::Pattern { names, .. } => names == Names::All,
            Kind::Everything | Kind::Exactly(_) => false,
        };
        Self {
            text: text.to_owned(),
            renamed: may_rename.then(|| Renamed::of(text)).flatten(),
            kind,
            dialect: Dialect::Hookloop,
            event: None,
        }
    }

    /// Reads the matcher of a hook, in its dialect.
    pub(crate) fn of(hook: &HookDeclaration) -> Self {
        let mut matcher = Self::new(hook.event, hook.matcher.as_deref());
        matcher.dialect = hook.dialect;
        matcher.event.clone_from(&hook.dialect_event);
        if foreign_pattern(hook.dialect, &matcher.text) != matcher.text
            && matches!(matcher.kind, Kind::Holding(_))
        {
            // In that dialect, a plain word matches only the whole name.
            matcher.kind = Kind::Pattern {
                pattern: OnceLock::new(),
                names: Names::All,
            };
        }
        matcher
    }

    /// Returns whether every subject matches.
    pub(crate) const fn matches_everything(&self) -> bool {
        matches!(self.kind, Kind::Everything)
    }

    /// Returns whether a subject matches. `other_names` are the further names of a tool (PL-5).
    pub(crate) fn matches(&self, subject: &str, other_names: &[String]) -> bool {
        self.compare(subject, other_names) != Fit::No
    }

    /// Compares a subject under its own name, then under the other names of a tool, in order.
    pub(crate) fn compare<'n>(&self, subject: &str, other_names: &'n [String]) -> Fit<'n> {
        if self.dialect == Dialect::Hookloop {
            return self.compare_ours(subject, other_names);
        }
        let theirs = foreign_tool_names(self.dialect, subject);
        let exact = match self.kind {
            Kind::Holding(_) | Kind::Pattern { .. } => exact_words(self.dialect, &self.text),
            Kind::Everything | Kind::Exactly(_) => None,
        };
        if let Some(words) = exact {
            let mut names = names_of(subject, other_names).chain(theirs.iter().map(|it| &**it));
            let fits = names.any(|name| words.contains(&name));
            return if fits { Fit::Own } else { Fit::No };
        }
        match self.excluding(subject) {
            Excluding::Ours => self.compare_ours(subject, other_names),
            Excluding::Theirs(names) => self.compare_theirs(&names),
            Excluding::Any => match self.compare_ours(subject, other_names) {
                Fit::No => self.compare_theirs(&theirs),
                fit => fit,
            },
        }
    }

    /// Returns which names a pattern of a dialect is compared with (FD-12).
    fn excluding(&self, subject: &str) -> Excluding {
        match self.kind {
            Kind::Pattern {
                names: Names::Own, ..
            } => excluding(self.dialect, self.event.as_deref(), &self.text, subject),
            _ => Excluding::Any,
        }
    }

    /// Compares a pattern with the names that a tool has in the hook's dialect (FD-12).
    fn compare_theirs<'n>(&self, names: &[Cow<'_, str>]) -> Fit<'n> {
        let pattern = match &self.kind {
            Kind::Pattern { pattern, .. } => pattern,
            Kind::Holding(words) => {
                let holds = |name: &str| words.iter().any(|word| name.contains(&**word));
                let fits = names.iter().any(|name| holds(name));
                return if fits { Fit::Own } else { Fit::No };
            }
            Kind::Everything | Kind::Exactly(_) => return Fit::No,
        };
        let Some(pattern) = self.compiled(pattern) else {
            return Fit::No;
        };
        let mut found = names.iter().map(|name| pattern.find(name));
        match found.find(|found| *found != MatchResult::No) {
            Some(MatchResult::Yes) => Fit::Own,
            Some(MatchResult::Endless) => Fit::Endless,
            Some(MatchResult::No) | None => Fit::No,
        }
    }

    fn compare_ours<'n>(&self, subject: &str, other_names: &'n [String]) -> Fit<'n> {
        match self.compare_names(subject, other_names) {
            Fit::No => {
                let renamed = self.renamed.as_ref();
                renamed.map_or(Fit::No, |it| it.compare(subject, other_names))
            }
            fit => fit,
        }
    }

    fn compare_names<'n>(&self, subject: &str, other_names: &'n [String]) -> Fit<'n> {
        match &self.kind {
            Kind::Everything => Fit::Own,
            Kind::Exactly(words) if words.iter().any(|word| **word == *subject) => Fit::Own,
            Kind::Exactly(_) => Fit::No,
            Kind::Holding(words) => first_match(subject, other_names, |name| {
                MatchResult::from(words.iter().any(|word| name.contains(&**word)))
            }),
            Kind::Pattern { pattern, names } => match self.compiled(pattern) {
                Some(pattern) => {
                    let others = match names {
                        Names::Own => &[],
                        Names::All => other_names,
                    };
                    first_match(subject, others, |name| pattern.find(name))
                }
                None => first_match(subject, other_names, |name| {
                    MatchResult::from(name == self.text)
                }),
            },
        }
    }

    /// Returns whether it is compared as a pattern.
    pub(crate) const fn is_pattern(&self) -> bool {
        matches!(self.kind, Kind::Pattern { .. })
    }

    /// Returns whether the text is a pattern that can't be read; it is compared as exact text
    /// then (PL-1).
    pub(crate) fn is_invalid_pattern(&self) -> bool {
        match &self.kind {
            Kind::Pattern { pattern, .. } => self.compiled(pattern).is_none(),
            _ => false,
        }
    }

    /// Returns the plain words of the matcher, if it consists of nothing else.
    pub(crate) fn plain_words(&self) -> &[Box<str>] {
        match &self.kind {
            Kind::Holding(words) | Kind::Exactly(words) => words,
            _ => &[],
        }
    }

    /// Returns the words one of which a name must contain to match; nothing if that isn't all that
    /// counts.
    pub(crate) fn contained_words(&self) -> Option<&[Box<str>]> {
        match &self.kind {
            Kind::Holding(words) if self.dialect == Dialect::Hookloop && self.renamed.is_none() => {
                Some(words)
            }
            _ => None,
        }
    }

    /// Returns whether every subject that matches another matcher of the same event matches this
    /// one, as far as plain words show.
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

    fn compiled<'a>(&self, pattern: &'a OnceLock<Option<Pattern>>) -> Option<&'a Pattern> {
        let text = || foreign_pattern(self.dialect, &self.text);
        pattern.get_or_init(|| Pattern::new(&text())).as_ref()
    }
}

fn names_of<'a>(subject: &'a str, others: &'a [String]) -> impl Iterator<Item = &'a str> {
    std::iter::once(subject).chain(others.iter().map(String::as_str))
}

/// Compares names in order; the own name decides before all others.
fn first_match<'n>(
    subject: &str,
    others: &'n [String],
    compare: impl Fn(&str) -> MatchResult,
) -> Fit<'n> {
    match compare(subject) {
        MatchResult::Yes => return Fit::Own,
        MatchResult::Endless => return Fit::Endless,
        MatchResult::No => {}
    }
    for name in others {
        match compare(name) {
            MatchResult::Yes => return Fit::Other(name),
            MatchResult::Endless => return Fit::Endless,
            MatchResult::No => {}
        }
    }
    Fit::No
}

fn tool_kind(text: &str) -> Kind {
    match split_words(text) {
        Some(words) => Kind::Holding(words),
        None => Kind::Pattern {
            pattern: OnceLock::new(),
            names: if excludes(text) {
                Names::Own
            } else {
                Names::All
            },
        },
    }
}

/// Splits plain words joined by `|`; nothing if the text contains anything else.
fn split_words(text: &str) -> Option<Vec<Box<str>>> {
    let plain = |word: &str| !word.is_empty() && word.chars().all(is_word_character);
    text.split('|')
        .map(|word| plain(word).then(|| word.into()))
        .collect()
}

/// Returns whether a pattern says what a name isn't: by a negated look-around or class, `\W`, `\D`,
/// `\S` or `\B` (PL-5). Another name of the tool would slip through it.
fn excludes(text: &str) -> bool {
    let mut letters = text.char_indices();
    let mut in_class = false;
    while let Some((at, letter)) = letters.next() {
        let rest = &text[at..];
        match letter {
            '\\' => {
                let escaped = letters.next().map(|(_, letter)| letter);
                if matches!(escaped, Some('W' | 'D' | 'S' | 'B')) {
                    return true;
                }
            }
            '[' if !in_class => {
                if rest.starts_with("[^") {
                    return true;
                }
                in_class = true;
            }
            ']' => in_class = false,
            '(' if !in_class && (rest.starts_with("(?!") || rest.starts_with("(?<!")) => {
                return true;
            }
            _ => {}
        }
    }
    false
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
