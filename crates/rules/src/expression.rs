//! Regular expressions of the tables, compiled when a text can match them.
//!
//! They are over ASCII: names of programs and keys are written in it, and such an expression
//! compiles in a fraction of the time. What isn't ASCII in a text is matched byte by byte; a match
//! that would begin or end within a character is widened to the whole of it.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{BuildError, Builder, Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Input, Span};

use crate::needs::Needs;
use crate::searched::Searched;

/// A regular expression that is compiled when a text can match it: of the many in a table, a call
/// needs few.
#[derive(Debug)]
pub(crate) struct Expression {
    text: String,
    needs: OnceLock<Needs>,
    compiled: OnceLock<Option<Regex>>,
}

impl Expression {
    /// Creates an expression over ASCII.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: ascii(text),
            needs: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    }

    /// Creates an expression that ignores case.
    pub(crate) fn case_insensitive(text: &str) -> Self {
        Self::new(&format!("(?i){text}"))
    }

    /// Returns the matches in a text, from left to right.
    pub(crate) fn matches_in<'t>(
        &self,
        searched: &Searched<'t>,
    ) -> impl Iterator<Item = Found<'t>> {
        let text = searched.text();
        let regex = self.regex_for(searched);
        let matches = regex.map(|it| it.find_iter(text));
        matches
            .into_iter()
            .flatten()
            .map(move |it| Found::of(text, it.span()))
    }

    /// Returns the matches in a text with their groups, from left to right.
    pub(crate) fn captured_in<'t>(
        &self,
        searched: &Searched<'t>,
    ) -> impl Iterator<Item = Captured<'t>> {
        let text = searched.text();
        let regex = self.regex_for(searched);
        let matches = regex.map(|it| it.captures_iter(text));
        matches
            .into_iter()
            .flatten()
            .map(move |groups| Captured { text, groups })
    }

    /// Returns the first match from a place on, with its groups.
    pub(crate) fn captured_at<'t>(
        &self,
        searched: &Searched<'t>,
        from: usize,
    ) -> Option<Captured<'t>> {
        // A text of very many matches is asked about once.
        if from == 0 && !searched.may_match(self.needs()) {
            return None;
        }
        self.captured_in_part(searched.text(), from)
    }

    /// Returns whether a text matches. An expression that can't be read matches everything: a guard
    /// with a broken expression refuses.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.may_match(text) && self.regex().is_none_or(|it| it.is_match(text))
    }

    /// Returns whether a text matches, as an exception from what is refused. An expression that
    /// can't be read makes no exception.
    pub(crate) fn matches_exception(&self, text: &str) -> bool {
        self.may_match(text) && self.regex().is_some_and(|it| it.is_match(text))
    }

    /// Returns the first match in a text from a place on, with its groups, where it is known that
    /// there may be one.
    pub(crate) fn captured_in_part<'t>(&self, text: &'t str, from: usize) -> Option<Captured<'t>> {
        let regex = self.regex()?;
        let mut groups = regex.create_captures();
        regex.captures(Input::new(text).range(from..), &mut groups);
        groups.is_match().then_some(Captured { text, groups })
    }

    /// Returns a text without what matches; nothing if nothing does.
    pub(crate) fn removed_from(&self, text: &str) -> Option<String> {
        let mut rest = 0;
        let mut kept = String::new();
        for found in self.regex()?.find_iter(text) {
            let found = Found::of(text, found.span());
            kept.push_str(&text[rest.min(found.start)..found.start]);
            rest = found.end;
        }
        (rest > 0).then(|| kept + &text[rest..])
    }

    /// Returns whether a text has what every match needs.
    pub(crate) fn may_match_in(&self, searched: &Searched<'_>) -> bool {
        searched.may_match(self.needs())
    }

    fn regex_for(&self, searched: &Searched<'_>) -> Option<&Regex> {
        self.may_match_in(searched).then(|| self.regex()).flatten()
    }

    /// Returns whether it has been compiled for an earlier text, or this one may match.
    fn may_match(&self, text: &str) -> bool {
        self.compiled.get().is_some() || crate::searched::has_one(text, self.needs())
    }

    /// Returns what every match contains.
    pub(crate) fn needs(&self) -> &Needs {
        self.needs.get_or_init(|| Needs::of(&self.text))
    }

    fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| compile(&self.text).ok())
            .as_ref()
    }

    /// The expression as it is compiled.
    #[cfg(test)]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the expression can be read.
    #[cfg(test)]
    pub(crate) fn is_readable(&self) -> bool {
        self.regex().is_some()
    }
}

/// What a group of an expression matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

impl<'t> Found<'t> {
    fn of(text: &'t str, found: Span) -> Self {
        Self {
            text,
            start: text.floor_char_boundary(found.start),
            end: text.ceil_char_boundary(found.end),
        }
    }

    pub(crate) fn as_str(&self) -> &'t str {
        &self.text[self.start..self.end]
    }

    pub(crate) const fn start(&self) -> usize {
        self.start
    }

    pub(crate) const fn end(&self) -> usize {
        self.end
    }

    pub(crate) const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// What an expression and its groups matched.
#[derive(Debug)]
pub(crate) struct Captured<'t> {
    text: &'t str,
    groups: Captures,
}

impl<'t> Captured<'t> {
    /// Returns what a group matched; the first is the whole match.
    pub(crate) fn get(&self, group: usize) -> Option<Found<'t>> {
        self.groups
            .get_group(group)
            .map(|it| Found::of(self.text, it))
    }

    /// Returns what the group of a name matched.
    pub(crate) fn name(&self, name: &str) -> Option<Found<'t>> {
        self.groups
            .get_group_by_name(name)
            .map(|it| Found::of(self.text, it))
    }

    /// Returns what each group from one on matched that did.
    pub(crate) fn groups(&self, first: usize) -> impl Iterator<Item = Found<'t>> {
        let matched = self.groups.iter().skip(first).flatten();
        matched.map(|it| Found::of(self.text, it))
    }
}

/// Compiles an expression without looking for literals in it, which takes as long as the rest: what
/// a match needs is known already.
fn compile(text: &str) -> Result<Regex, Box<BuildError>> {
    let quickly = Config::new()
        .auto_prefilter(false)
        .onepass(false)
        .dfa(false)
        .utf8_empty(false);
    Builder::new()
        .configure(quickly)
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .build(text)
        .map_err(Box::new)
}

/// Writes an expression so that it can be compiled over ASCII: what else is in it stands for
/// itself.
fn ascii(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut written = String::with_capacity(text.len() + 16);
    for sign in text.chars() {
        if sign.is_ascii() {
            written.push(sign);
        } else {
            written.extend(["(?u:", sign.encode_utf8(&mut [0; 4]), ")"]);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::{Expression, Searched};

    /// HT-40: an expression that can't be read never lets something through.
    #[test]
    fn a_broken_expression_refuses() {
        for broken in ["(", "rm(", "rm[", "rm)", "rm{2", "*rm"].map(Expression::new) {
            assert!(broken.matches("x") && !broken.matches_exception("x"));
        }
    }

    /// HT-40: what isn't ASCII is matched as a whole, whatever the expression counts.
    #[test]
    fn characters_stay_whole() {
        let searched = Searched::new("pw: ñañañ, é");
        let found = |expression: &str| -> Vec<String> {
            let expression = Expression::new(expression);
            let all = expression.captured_in(&searched);
            all.map(|it| it.get(1).unwrap().as_str().to_owned())
                .collect()
        };
        assert_eq!(found("(?i)PW: ([^,]{1,3})"), ["ña"]);
        assert_eq!(found(r"(?i)(Ñ|é)\b"), ["ñ"; 2]);
        assert_eq!(found("(?i)(Ñ)"), ["ñ"; 3]);
        assert_eq!(found(r"(\S{2})$"), ["é"]);
    }
}
