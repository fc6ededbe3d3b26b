//! The search text of a list.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::styled::{Line, Tone, width};
use hookloop_text::harmless;

/// The search words, and who gets the letters that are typed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    words: String,
    typing: Typing,
}

/// Who gets the letters that are typed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Typing {
    #[default]
    Commands,
    Search,
}

impl Search {
    /// Begins to take letters.
    pub(crate) const fn begin(&mut self) {
        self.typing = Typing::Search;
    }

    /// Leaves letters to others; the search text stays.
    pub(crate) const fn end(&mut self) {
        self.typing = Typing::Commands;
    }

    /// Forgets the search text.
    pub(crate) fn clear(&mut self) {
        self.end();
        self.words.clear();
    }

    /// Returns the search text.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    /// Returns whether letters are taken.
    pub(crate) fn is_typing(&self) -> bool {
        self.typing == Typing::Search
    }

    /// Returns whether there is a search text, or about to be one.
    pub(crate) fn is_on(&self) -> bool {
        self.is_typing() || !self.words.is_empty()
    }

    /// Takes a key if it is typed into the search, and returns whether it did.
    pub(crate) fn takes(&mut self, key: KeyCode) -> bool {
        match key {
            _ if !self.is_typing() => false,
            KeyCode::Backspace => {
                self.words.pop();
                true
            }
            KeyCode::Char(letter) => self.paste(letter.encode_utf8(&mut [0; 4])),
            _ => false,
        }
    }

    /// Takes what was pasted, if letters are taken, and returns whether it did.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        if self.is_typing() {
            self.words
                .push_str(&harmless(text).replace(['\n', '\t'], ""));
        }
        self.is_typing()
    }

    /// Returns whether one of these texts contains the words, ignoring case.
    pub(crate) fn finds(&self, texts: &[&str]) -> bool {
        let wanted = self.words.to_lowercase();
        texts
            .iter()
            .any(|text| text.to_lowercase().contains(&wanted))
    }

    /// Returns its row.
    pub(crate) fn line(&self) -> Line {
        Line::new("/", Tone::Accent).with(self.words.clone(), Tone::Plain)
    }

    /// Returns the position of the cursor if that is the second row and letters are taken.
    pub(crate) fn cursor(&self, columns: usize) -> Option<(usize, usize)> {
        let typed = 1 + width(&self.words);
        self.is_typing()
            .then(|| (1, typed.min(columns.saturating_sub(1))))
    }
}

/// Returns whether a key with Ctrl or Alt closes a list; `None` for other keys.
pub(crate) fn closes(key: KeyEvent) -> Option<bool> {
    let is_held = key
        .modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_leaving = is_control && matches!(key.code, KeyCode::Char('c' | 'd'));
    is_held.then_some(is_leaving)
}
