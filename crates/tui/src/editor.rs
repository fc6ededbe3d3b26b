//! The text editor of the prompt: several lines, a cursor, and the input history.

mod folds;
mod history;
mod layout;
mod undo;

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use folds::Folds;
use hookloop_text::harmless;
pub(crate) use layout::Layout;
use undo::{Change, Snapshot, Undo};

/// A text with a cursor, which is between two characters as people see them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Editor {
    text: String,
    /// Bytes before the cursor.
    cursor: usize,
    /// Long pastes, which are represented by a label.
    folds: Folds,
    history: history::History,
    undo: Box<Undo>,
    /// The last deleted text of more than one character.
    deleted: String,
}

/// Whether a paste is represented by a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pasted {
    Shown,
    Folded,
}

/// Where to move, or how far to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The previous character.
    Back,
    /// The next character.
    Forward,
    /// The beginning of the word.
    WordBack,
    /// The end of the word.
    WordForward,
    /// The beginning of the line.
    LineStart,
    /// The end of the line.
    LineEnd,
}

/// Up or down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
}

impl Editor {
    pub(crate) fn with_text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            cursor: text.len(),
            text,
            ..Self::default()
        }
    }

    /// Starts with earlier input, oldest first.
    pub(crate) fn with_history(entries: Vec<String>) -> Self {
        Self {
            history: history::History::new(entries),
            ..Self::default()
        }
    }

    /// Returns earlier input, oldest first.
    pub(crate) fn entries(&self) -> &[String] {
        self.history.entries()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns how many bytes are before the cursor.
    pub(crate) const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Replaces the text and puts the cursor after it. Known pastes in it are represented by their
    /// labels.
    pub(crate) fn set(&mut self, text: impl Into<String>) {
        self.note(Change::Whole);
        self.text = text.into();
        self.cursor = self.text.len();
        self.folds.refold(&self.text);
    }

    /// Takes the text out and remembers it.
    pub(crate) fn submit(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        self.cursor = 0;
        self.folds.clear();
        self.undo.clear();
        self.history.remember(&text);
        text
    }

    /// Inserts what was typed or pasted: line ends are normalised, and terminal control sequences
    /// are removed.
    pub(crate) fn insert(&mut self, text: &str) {
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        self.splice(self.cursor..self.cursor, &harmless(&lines));
    }

    /// Inserts what was pasted; if it is long, a label represents it (TU-5).
    pub(crate) fn paste(&mut self, text: &str) -> Pasted {
        let start = self.cursor;
        self.insert(text);
        let range = start..self.cursor;
        let kept = &self.text[range.clone()];
        if !Folds::is_long(kept) {
            return Pasted::Shown;
        }
        self.folds.fold(range, kept);
        Pasted::Folded
    }

    /// Replaces the text between a position and the cursor.
    pub(crate) fn replace_before_cursor(&mut self, start: usize, text: &str) {
        self.splice(start..self.cursor, text);
    }

    /// Replaces a part of the text, and puts the cursor after the new part.
    fn splice(&mut self, range: Range<usize>, text: &str) {
        if range.is_empty() && text.is_empty() {
            return;
        }
        let is_one = |text: &str| text.graphemes(true).nth(1).is_none();
        // A word is undone at once, without the whole text.
        self.note(if range.is_empty() && is_one(text) && text.trim() == text {
            Change::Letter
        } else if text.is_empty() && is_one(&self.text[range.clone()]) {
            Change::Character
        } else {
            Change::Alone
        });
        self.folds.follow(&range, text.len());
        self.cursor = range.start + text.len();
        self.text.replace_range(range, text);
    }

    /// Turns the key that usually submits into a new line, if a backslash precedes it.
    pub(crate) fn take_line_break(&mut self) -> bool {
        let asked = self.text[..self.cursor].ends_with('\\');
        if asked {
            self.replace_before_cursor(self.cursor - 1, "\n");
        }
        asked
    }

    fn note(&mut self, change: Change) {
        self.undo.note(change, || Snapshot {
            text: self.text.clone(),
            cursor: self.cursor,
            folds: self.folds.clone(),
        });
    }

    /// Undoes the latest change.
    pub(crate) fn undo(&mut self) {
        if let Some(Snapshot {
            text,
            cursor,
            folds,
        }) = self.undo.take()
        {
            self.text = text;
            self.cursor = cursor;
            self.folds = folds;
        }
    }

    /// Inserts the last deleted text, except single characters.
    pub(crate) fn insert_deleted(&mut self) {
        let deleted = self.deleted.clone();
        self.paste(&deleted);
    }

    pub(crate) fn go(&mut self, reach: Reach) {
        self.undo.pause();
        self.cursor = self.target(reach);
    }

    pub(crate) fn delete(&mut self, reach: Reach) {
        let target = self.target(reach);
        let range = self.cursor.min(target)..self.cursor.max(target);
        if !matches!(reach, Reach::Back | Reach::Forward) && !range.is_empty() {
            self.text[range.clone()].clone_into(&mut self.deleted);
        }
        self.splice(range, "");
    }

    /// Returns where a move ends: not inside a fold, which is skipped as a whole.
    fn target(&self, reach: Reach) -> usize {
        let place = self.target_offset(reach);
        match self.folds.around(place) {
            Some(fold) if place < self.cursor => fold.start,
            Some(fold) => fold.end,
            None => place,
        }
    }

    fn target_offset(&self, reach: Reach) -> usize {
        let (before, after) = self.text.split_at(self.cursor);
        let is_shown = |at: &usize| !self.folds.hides(*at);
        match reach {
            Reach::Back => before
                .grapheme_indices(true)
                .next_back()
                .map_or(0, |(at, _)| at),
            Reach::Forward => {
                let next = after.graphemes(true).next().map_or(0, str::len);
                self.cursor + next
            }
            Reach::WordBack => {
                let mut words = before.unicode_word_indices();
                words.next_back().map_or(0, |(at, _)| at)
            }
            Reach::WordForward => {
                let word = after.unicode_word_indices().next();
                word.map_or(self.text.len(), |(at, word)| self.cursor + at + word.len())
            }
            Reach::LineStart => {
                let mut ends = before.rmatch_indices('\n').map(|(at, _)| at);
                ends.find(is_shown).map_or(0, |at| at + 1)
            }
            Reach::LineEnd => {
                let mut ends = after.match_indices('\n').map(|(at, _)| self.cursor + at);
                ends.find(is_shown).unwrap_or(self.text.len())
            }
        }
    }

    /// Moves a row up or down; at the first or last row, goes through earlier input.
    pub(crate) fn go_row(&mut self, direction: Direction, columns: usize) {
        let layout = self.layout(columns);
        if let Some(target) = layout.vertical_neighbour(&self.text, direction) {
            self.undo.pause();
            self.cursor = target;
        } else if let Some(text) = self.history.step(direction, &self.text) {
            self.set(text);
        }
    }

    /// Goes through earlier input.
    pub(crate) fn go_history(&mut self, direction: Direction) {
        if let Some(text) = self.history.step(direction, &self.text) {
            self.set(text);
        }
    }

    /// Lays the text out in rows of this many columns.
    pub(crate) fn layout(&self, columns: usize) -> Layout {
        Layout::new(&self.text, &self.folds, self.cursor, columns)
    }
}

#[cfg(test)]
mod tests;
