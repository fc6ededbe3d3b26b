//! Numbers that names can contain: `f'out/{i}.json'` in a counting loop (TR-8).

use std::collections::BTreeSet;

use super::super::tokens::{Language, Token};
use super::{Effects, Reader};

/// A placeholder in a value for a number.
pub(super) const NUMBER: char = '\u{2}';

/// Returns the values of a number.
pub(super) fn number() -> BTreeSet<String> {
    BTreeSet::from([NUMBER.to_string()])
}

/// Writes numbers in file names as patterns; elsewhere, values with numbers aren't known.
pub(in crate::clearance) fn with_number_patterns(mut found: Effects) -> Effects {
    let spell = |it: &String| it.replace(NUMBER, "*");
    found.named = found.named.iter().map(spell).collect();
    found.starts = found.starts.iter().map(spell).collect();
    let others = found.folders.iter().chain(&found.evaluates);
    let is_computed = others.clone().any(|it| it.contains(NUMBER));
    if is_computed {
        found
            .unclear
            .get_or_insert_with(|| "a text in it".to_owned());
    }
    found
}

impl Reader<'_> {
    /// Returns whether a loop counts: `for i in range(3)`.
    pub(super) fn counts(&self, of: usize) -> bool {
        self.language == Language::Python
            && self.name(of + 1) == Some("range")
            && self.is_sign(of + 2, '(')
            && self.is_own("range")
    }

    /// Returns whether a number is assigned: `i = 0`.
    pub(in crate::clearance) fn is_number(&self, at: usize) -> bool {
        let is_digits = |it: &str| it.chars().all(|it| it.is_ascii_digit());
        let ends = match self.tokens.get(at + 1) {
            None | Some(Token::Line | Token::Sign(';' | ',' | ')')) => true,
            Some(_) => false,
        };
        self.name(at).is_some_and(is_digits) && ends
    }

    /// Returns whether a name has its built-in meaning in the whole text.
    fn is_own(&self, name: &str) -> bool {
        let is_text = |it: &Token| matches!(it, Token::Text(Some(text)) if text.contains(name));
        let is_other = |at: usize| {
            let before = at.checked_sub(1);
            let is_member = before.is_some_and(|it| self.is_sign(it, '.'));
            let is_bound = before.and_then(|it| self.name(it)).is_some_and(|it| {
                [
                    "def", "class", "import", "as", "for", "global", "nonlocal", "del",
                ]
                .contains(&it)
            });
            is_member || is_bound || !self.is_sign(at + 1, '(')
        };
        let mut places = (0..self.tokens.len()).filter(|at| self.name(*at) == Some(name));
        !places.any(is_other) && !self.tokens.iter().any(is_text)
    }
}
