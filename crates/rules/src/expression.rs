//! Regular expressions of the tables, compiled when they are first used.

use std::sync::OnceLock;

use regex::{Captures, Match, Regex, RegexSet, RegexSetBuilder};

/// How large the compiled expressions of a table may be, in bytes.
const MAX_COMPILED_BYTES: usize = 64 << 20;

/// A regular expression that is compiled when it is first used: of the many in a table, a call
/// needs few.
#[derive(Debug)]
pub(crate) struct Expression {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Expression {
    /// Creates an expression over ASCII, in which names of programs and keys are written.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: ascii(text),
            compiled: OnceLock::new(),
        }
    }

    /// Creates an expression that ignores case.
    pub(crate) fn case_insensitive(text: &str) -> Self {
        Self::new(&format!("(?i){text}"))
    }

    /// The expression as it is compiled.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the compiled expression; nothing if it can't be read.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| Regex::new(&self.text).ok())
            .as_ref()
    }

    /// Returns the matches in a text, from left to right.
    pub(crate) fn matches_in<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        self.regex().into_iter().flat_map(|it| it.find_iter(text))
    }

    /// Returns the matches in a text with their groups, from left to right.
    pub(crate) fn captured_in<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.regex()
            .into_iter()
            .flat_map(|it| it.captures_iter(text))
    }

    /// Returns the first match from a place on, with its groups.
    pub(crate) fn captured_at<'t>(&self, text: &'t str, from: usize) -> Option<Captures<'t>> {
        self.regex().and_then(|it| it.captures_at(text, from))
    }

    /// Returns whether a text matches. An expression that can't be read matches everything: a guard
    /// with a broken expression refuses.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.regex().is_none_or(|it| it.is_match(text))
    }

    /// Returns whether a text matches, as an exception from what is refused. An expression that
    /// can't be read makes no exception.
    pub(crate) fn matches_exception(&self, text: &str) -> bool {
        self.regex().is_some_and(|it| it.is_match(text))
    }
}

/// Compiles an expression over ASCII that is compared with every text.
pub(crate) fn compile(text: &str) -> Result<Regex, regex::Error> {
    Regex::new(&ascii(text))
}

/// Compiles expressions to one set.
pub(crate) fn compile_set<'e>(
    all: impl Iterator<Item = &'e Expression>,
) -> Result<RegexSet, String> {
    RegexSetBuilder::new(all.map(Expression::text))
        .size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|error| error.to_string())
}

/// Writes out the classes of an expression for ASCII, which compiles to a fraction of the size.
fn ascii(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            written.push(character);
            continue;
        }
        match characters.next() {
            Some('w') => written.push_str("[0-9A-Za-z_]"),
            Some('d') => written.push_str("[0-9]"),
            Some('s') => written.push_str("[ \\t\\n\\r\\x0b\\x0c]"),
            Some('b') => written.push_str("(?-u:\\b)"),
            Some(other) => written.extend(['\\', other]),
            None => written.push('\\'),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::{Expression, ascii};

    /// HT-40: an expression that can't be read never lets something through.
    #[test]
    fn a_broken_expression_refuses() {
        let broken = Expression::new("(");
        assert!(broken.matches("x") && !broken.matches_exception("x"));
    }

    /// HT-40: classes are written out, also inside others.
    #[test]
    fn classes_are_written_out() {
        assert_eq!(ascii(r"[\w.]\\w\b"), r"[[0-9A-Za-z_].]\\w(?-u:\b)");
        assert!(Expression::case_insensitive(r"^a[\d\s]$").matches("A "));
    }
}
