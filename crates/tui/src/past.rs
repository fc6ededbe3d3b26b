//! The input history of earlier sessions, and its search.

use crate::styled::{Line, Tone};
use hookloop_text::visible_row;

/// Stores the input history beyond the session. Called while the user types, so it must be quick.
pub trait InputHistory: Send + Sync {
    /// Returns earlier input, oldest first.
    fn entries(&self) -> Vec<String>;

    /// Keeps what was just submitted.
    fn add(&self, text: &str);
}

/// A search through earlier input, from the newest to the oldest (Ctrl+R).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PastSearch {
    query: String,
    /// How many matching entries are skipped.
    skipped: usize,
    /// What was in the input line before.
    pub(crate) draft: String,
}

impl PastSearch {
    pub(crate) const fn new(draft: String) -> Self {
        Self {
            query: String::new(),
            skipped: 0,
            draft,
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.query.push_str(text);
        self.skipped = 0;
    }

    pub(crate) fn pop(&mut self) {
        self.query.pop();
        self.skipped = 0;
    }

    /// Continues to an older entry.
    pub(crate) fn go_back(&mut self, entries: &[String]) {
        self.skipped += 1;
        if self.current_match(entries).is_none() {
            self.skipped -= 1;
        }
    }

    /// Returns the entry that is found.
    pub(crate) fn current_match<'e>(&self, entries: &'e [String]) -> Option<&'e str> {
        if self.query.is_empty() {
            return None;
        }
        let wanted = self.query.to_lowercase();
        let matching = entries
            .iter()
            .rev()
            .filter(|it| it.to_lowercase().contains(&wanted));
        matching.map(String::as_str).nth(self.skipped)
    }

    /// Draws the search text.
    pub(crate) fn line(&self, entries: &[String]) -> Line {
        let none = !self.query.is_empty() && self.current_match(entries).is_none();
        let hint = if none {
            "  (nothing)"
        } else {
            "  (Ctrl+R older, Esc back)"
        };
        Line::new("search: ", Tone::Accent)
            .with(visible_row(&self.query), Tone::Plain)
            .with(hint, Tone::Faint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-1: the search finds the newest first, then older ones, and stays at the oldest.
    #[test]
    fn the_search_goes_back() {
        let entries = ["fix a", "other", "Fix b"].map(str::to_owned);
        let mut search = PastSearch::new(String::new());
        assert_eq!(search.current_match(&entries), None);
        search.push("fix");
        assert_eq!(search.current_match(&entries), Some("Fix b"));
        search.go_back(&entries);
        assert_eq!(search.current_match(&entries), Some("fix a"));
        search.go_back(&entries);
        assert_eq!(search.current_match(&entries), Some("fix a"));
        search.push("es");
        assert_eq!(search.current_match(&entries), None);
    }
}
