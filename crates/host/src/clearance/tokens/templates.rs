//! Strings that insert values of names into a text: `f'out/{i}.json'` is `'out/' + i + '.json'`
//! (TR-8).

use super::{Cutter, Language, Token};

/// The parts of a string, as long as all of them are names.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    found: Vec<Token>,
    text: String,
    is_opaque: bool,
}

impl Pieces {
    /// Adds interpolated program text, with the text before it.
    pub(super) fn add(&mut self, before: &mut String, code: &str) {
        self.text = std::mem::take(before);
        let (name, form) = code.split_once(':').unwrap_or((code, ""));
        let name = name.trim();
        let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && name
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_');
        // The format pads with zeros and blanks.
        let is_plain = form.chars().all(|it| it.is_ascii_digit() || it == 'd');
        if !is_name || !is_plain {
            self.is_opaque = true;
        }
        let text = Token::Text(Some(std::mem::take(&mut self.text)));
        let sum = [
            text,
            Token::Sign('+'),
            Token::Name(name.to_owned()),
            Token::Sign('+'),
        ];
        self.found.extend(sum);
    }

    /// Returns the string as a sum in brackets; `None` if a part is more than a name.
    pub(super) fn sum(self, rest: &str) -> Option<Vec<Token>> {
        if self.is_opaque || self.found.is_empty() {
            return None;
        }
        let mut all = vec![Token::Sign('(')];
        all.extend(self.found);
        all.extend([Token::Text(Some(rest.to_owned())), Token::Sign(')')]);
        Some(all)
    }
}

impl Cutter {
    /// Returns whether strings of this language are sums of names and texts, and nothing is done
    /// with this one before it is used.
    pub(super) fn is_sum(&self) -> bool {
        let mut rest = self.signs.get(self.at..).unwrap_or_default().iter();
        let next = rest.find(|it| !it.is_whitespace());
        let is_meant = matches!(self.language, Language::Python | Language::JavaScript);
        is_meant && !matches!(next, Some('.' | '[' | '\'' | '"' | '`' | '%'))
    }
}
