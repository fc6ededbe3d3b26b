//! Matchers that use the names that MCP servers and tools have for themselves, while the tools are
//! called differently here.

use std::sync::OnceLock;

use hookloop_events::tool_name::{MCP_PREFIX, is_sendable, sendable};

use super::{Fit, names_of};
use crate::pattern::{MatchResult, Pattern};

/// A matcher in the characters of called tools' names. Model services accept few characters and
/// limited lengths: a tool `delete repo` is called as `delete_repo` (TO-3, PL-5).
#[derive(Debug)]
pub(super) struct Renamed {
    /// The names that it spells out, as tools are called.
    words: Vec<String>,
    /// The pattern, if it contains other letters.
    text: Option<String>,
    pattern: OnceLock<Option<Pattern>>,
}

impl Renamed {
    /// Rewrites a matcher; nothing if that leaves it as it is.
    pub(super) fn of(text: &str) -> Option<Self> {
        let words = text.split('|').filter_map(|piece| {
            let word = piece.strip_prefix('^').unwrap_or(piece);
            let word = word.strip_suffix('$').unwrap_or(word);
            let called = word.starts_with(MCP_PREFIX).then(|| sendable(word))?;
            (called != word).then_some(called)
        });
        let words: Vec<String> = words.collect();
        let rewritten = rewrite_pattern(text);
        // A piece that is rewritten to nothing but `_` would match every tool of every server.
        let says_something = |piece: &str| piece.chars().any(|it| it.is_ascii_alphanumeric());
        let is_one = rewritten != text && rewritten.split('|').all(says_something);
        let text = is_one.then_some(rewritten);
        (text.is_some() || !words.is_empty()).then(|| Self {
            words,
            text,
            pattern: OnceLock::new(),
        })
    }

    /// Compares it with a tool of a server.
    pub(super) fn compare<'n>(&self, subject: &str, other_names: &[String]) -> Fit<'n> {
        if !subject.starts_with(MCP_PREFIX) {
            return Fit::No;
        }
        if names_of(subject, other_names).any(|name| self.words.iter().any(|word| word == name)) {
            return Fit::Own;
        }
        let read = || Pattern::new(self.text.as_deref()?);
        let Some(pattern) = self.pattern.get_or_init(read) else {
            return Fit::No;
        };
        let mut found = names_of(subject, other_names).map(|name| pattern.find(name));
        match found.find(|it| *it != MatchResult::No) {
            Some(MatchResult::Yes) => Fit::Own,
            Some(MatchResult::Endless) => Fit::Endless,
            Some(MatchResult::No) | None => Fit::No,
        }
    }
}

/// Rewrites a pattern: characters that can't be in a called tool's name, and have no meaning in a
/// pattern, become what replaces them in the name.
fn rewrite_pattern(text: &str) -> String {
    let mut letters = text.chars().peekable();
    let mut rewritten = String::with_capacity(text.len());
    let mut before = None;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped) if escaped.is_alphanumeric() || is_sendable(escaped) => {
                    rewritten.extend(['\\', escaped]);
                }
                Some(_) => rewritten.push('_'),
                None => rewritten.push('\\'),
            },
            // The kind of a group follows its `(?`.
            '?' if before == Some('(') => {
                rewritten.push('?');
                if let Some('<') = letters.peek() {
                    rewritten.extend(letters.by_ref().take_while(|it| *it != '>'));
                    rewritten.push('>');
                } else {
                    rewritten.extend(letters.next());
                }
            }
            '{' => {
                rewritten.push('{');
                while let Some(inner) = letters.next_if(|it| it.is_ascii_digit() || *it == ',') {
                    rewritten.push(inner);
                }
            }
            '^' | '$' | '.' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '}' => {
                rewritten.push(letter);
            }
            _ if is_sendable(letter) => rewritten.push(letter),
            _ => rewritten.push('_'),
        }
        before = Some(letter);
    }
    rewritten
}
