//! A simple command, its words expanded.

use crate::understood::{Assignment, Redirect, Word};

/// A simple command, expanded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub(crate) env: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
}

impl Simple {
    /// Creates a command from other words, with the same assignments before it.
    pub(crate) fn with_words(&self, words: Vec<Word>) -> Self {
        Self {
            env: self.env.clone(),
            words,
            redirects: Vec::new(),
        }
    }
}

/// Returns the name after the last slash.
pub(crate) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

/// Joins fields again if the shell doesn't split.
pub(crate) fn join_fields(fields: Vec<Word>) -> Word {
    let mut fields = fields.into_iter();
    let Some(mut whole) = fields.next() else {
        return Word::plain(String::new());
    };
    for field in fields {
        whole.text.push(' ');
        whole.text.push_str(&field.text);
        whole.known &= field.known;
        whole.pattern |= field.pattern;
        whole.quoted |= field.quoted;
    }
    whole
}
