//! Parses what follows a break: keys and values anywhere outside a closed string (IO-24). A stray
//! quote inverts the quoting of everything after it, so here a key may lack one or both of its
//! quotes.

use super::strings::{end_of_string, unescaped};
use super::words::{UNREAD, force, squashed};
use super::{Place, Reading};

/// The rest of an output.
pub(super) struct Rest<'t, 'f> {
    text: &'t str,
    at: usize,
    found: &'f mut Reading,
    /// The quotes that have no closing quote: searching for it again and again would take quadratic
    /// time.
    unclosed: Vec<char>,
    /// How often the end of an object wasn't found.
    unbalanced: usize,
}

/// How many characters may be between a key, its colon and its value.
const MAX_GAP: usize = 256;

/// How often the end of an object is searched for without success; then the whole rest is read.
const MAX_UNBALANCED: usize = 8;

impl<'t, 'f> Rest<'t, 'f> {
    pub(super) const fn new(text: &'t str, at: usize, found: &'f mut Reading) -> Self {
        Self {
            text,
            at,
            found,
            unclosed: Vec::new(),
            unbalanced: 0,
        }
    }

    pub(super) fn read(mut self) {
        let mut opened_before = None;
        while let Some(sign) = self.text[self.at..].chars().next() {
            match sign {
                '"' => self.string('"'),
                '\'' if opened_before.is_none_or(|before| "{[(,:".contains(before)) => {
                    self.string('\'');
                }
                _ if is_of_word(sign) => {
                    let end = self.end_of_word(self.at);
                    self.key(self.at, end, end);
                }
                _ => self.at += sign.len_utf8(),
            }
            if !sign.is_whitespace() {
                opened_before = Some(sign);
            }
        }
    }

    /// Reads a string as key, or skips it. A quote without a closing quote is an ordinary
    /// character.
    fn string(&mut self, quote: char) {
        let end = if self.unclosed.contains(&quote) {
            None
        } else {
            end_of_string(self.text, self.at, quote)
        };
        if let Some(end) = end {
            self.key(self.at + 1, end, end + 1);
            return;
        }
        if !self.unclosed.contains(&quote) {
            self.unclosed.push(quote);
        }
        self.at += 1;
    }

    /// Reads what is between two positions as key, with the value after it, and continues there.
    fn key(&mut self, start: usize, end: usize, behind: usize) {
        let key = &self.text[start..end];
        self.at = behind;
        let Some(value) = self.after_colon(behind) else {
            return;
        };
        let unescaped_key = unescaped(key);
        let name = squashed(&unescaped_key);
        if UNREAD.contains(&name.as_str()) {
            if let Some(text) = self.closed_string(behind) {
                self.found.note(Place::Anywhere, key, &unescaped(text.1));
                self.at = text.0;
            } else if let Some(start) = self.opening(behind) {
                match self.end_of_nested(start) {
                    Some(end) => self.at = end,
                    None => self.unbalanced += 1,
                }
            }
            return;
        }
        if let Some(word) = self.word(value)
            && force(&name, word).is_some()
        {
            self.found.note(Place::Anywhere, &unescaped_key, word);
        } else if name == "permissiondecisionreason"
            || name == "stopreason"
            || name == "suppressoutput"
        {
            let text = self.closed_string(behind).map(|(_, text)| unescaped(text));
            let word = || self.word(value).map(str::to_owned);
            if let Some(text) = text.or_else(word) {
                self.found.note(Place::Anywhere, &unescaped_key, &text);
            }
        }
    }

    /// Returns where the value of a key may begin: after a colon, with quotes around it.
    fn after_colon(&self, at: usize) -> Option<usize> {
        let colon = self.skip_while(at, is_loose);
        self.text[colon..]
            .starts_with(':')
            .then(|| self.skip_while(colon + 1, is_loose))
    }

    /// Returns the word at a position, if it is the whole value.
    fn word(&self, at: usize) -> Option<&'t str> {
        let end = self.end_of_word(at);
        let begins = self.skip_while(end, is_loose);
        let (blank, behind) = (&self.text[end..begins], &self.text[begins..]);
        let ends = behind.is_empty()
            || behind.starts_with([',', '}', ']', ')', ';'])
            || blank.contains(['\n', '"', '\'']);
        (ends && end > at).then(|| &self.text[at..end])
    }

    /// Returns the string that is the value after a key, and where it ends.
    fn closed_string(&self, at: usize) -> Option<(usize, &'t str)> {
        let start = self.value_start(at)?;
        let quote = self.text[start..]
            .chars()
            .next()
            .filter(|it| matches!(it, '"' | '\''))?;
        let end = end_of_string(self.text, start, quote)?;
        Some((end + 1, &self.text[start + 1..end]))
    }

    /// Returns where the object or list that is the value after a key begins.
    fn opening(&self, at: usize) -> Option<usize> {
        let start = self.value_start(at)?;
        let opens = self.text[start..].starts_with(['{', '[']);
        (opens && self.unbalanced < MAX_UNBALANCED).then_some(start)
    }

    /// Returns where an object or list ends, if it does.
    fn end_of_nested(&self, start: usize) -> Option<usize> {
        let mut open = Vec::new();
        let mut place = start;
        while let Some(sign) = self.text[place..].chars().next() {
            match sign {
                '"' => place = end_of_string(self.text, place, '"')?,
                '{' => open.push('}'),
                '[' => open.push(']'),
                '}' | ']' if open.pop() != Some(sign) => return None,
                _ => {}
            }
            place += sign.len_utf8();
            if open.is_empty() {
                return Some(place);
            }
        }
        None
    }

    /// Returns where the value of a correctly written key begins.
    fn value_start(&self, at: usize) -> Option<usize> {
        let colon = self.skip_while(at, char::is_whitespace);
        let is_colon = self.text[colon..].starts_with(':');
        is_colon.then(|| self.skip_while(colon + 1, char::is_whitespace))
    }

    /// Skips characters, but not a flood of them: each is examined for several keys.
    fn skip_while(&self, at: usize, skips: fn(char) -> bool) -> usize {
        let skipped = self.text[at..]
            .chars()
            .take(MAX_GAP)
            .take_while(|sign| skips(*sign));
        at + skipped.map(char::len_utf8).sum::<usize>()
    }

    fn end_of_word(&self, at: usize) -> usize {
        self.text.len() - self.text[at..].trim_start_matches(is_of_word).len()
    }
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '-')
}

/// Recognises what may be between a key, its colon and its value if quotes are out of step.
fn is_loose(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, '"' | '\'' | '\\')
}
