//! Finds `@path` in a prompt.

use std::path::Path;

/// Characters that often follow a path in a sentence and seldom belong to it.
const PUNCTUATION: &[char] = &[
    '.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '`', '>',
];

/// What may precede an `@` that begins a path, besides a space.
const OPENING: &[char] = &['(', '[', '{', '"', '\'', '`', '<'];

/// An `@` with what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    /// The possible paths: the whole word, and the word without the punctuation after it.
    pub(super) readings: Vec<String>,
}

impl Mention {
    /// Returns whether a name that no file has was still meant as a path.
    pub(super) fn looks_like_path(&self) -> bool {
        self.readings
            .last()
            .is_some_and(|path| path.contains('/') || Path::new(path).extension().is_some())
    }
}

/// Returns what a prompt mentions, each once, in order.
pub(super) fn mentions(prompt: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for word in words(prompt) {
        let Some(path) = word.trim_start_matches(OPENING).strip_prefix('@') else {
            continue;
        };
        let mention = Mention {
            readings: readings(path),
        };
        if !mention.readings.is_empty() && !found.contains(&mention) {
            found.push(mention);
        }
    }
    found
}

/// Splits a text at spaces; one after a backslash belongs to its word.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            words.push(String::new());
            continue;
        }
        let escaped = if letter == '\\' {
            letters.next_if(|next| matches!(next, ' ' | '\\'))
        } else {
            None
        };
        if let Some(word) = words.last_mut() {
            word.push(escaped.unwrap_or(letter));
        }
    }
    words
}

fn readings(word: &str) -> Vec<String> {
    let mut readings = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        readings.push(rest.to_owned());
        let Some(shorter) = rest.strip_suffix(PUNCTUATION) else {
            break;
        };
        rest = shorter;
    }
    readings
}
