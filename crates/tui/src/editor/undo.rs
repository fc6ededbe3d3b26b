//! The text before each change, for undo (TU-1).

use super::folds::Folds;

/// The maximum number of texts.
const MAX_TEXTS: usize = 100;

/// The maximum number of bytes in them; the last one is kept however long it is.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A text as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) text: String,
    pub(super) cursor: usize,
    pub(super) folds: Folds,
}

/// A kind of change. Several consecutive ones of the same kind are undone at once, unless they are
/// separate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Change {
    /// A letter is typed.
    Letter,
    /// A character is deleted.
    Character,
    /// Another text replaces the whole: one from the history, or from an editor.
    Whole,
    /// Something else, such as a paste.
    #[default]
    Alone,
}

/// The texts before the latest changes, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Undo {
    past: Vec<Snapshot>,
    latest: Change,
}

impl Undo {
    /// Takes note that a change comes; `before` is asked only where it is kept.
    pub(super) fn note(&mut self, change: Change, before: impl FnOnce() -> Snapshot) {
        let goes_on = change == self.latest && change != Change::Alone;
        self.latest = change;
        if goes_on && !self.past.is_empty() {
            return;
        }
        self.past.push(before());
        let bytes = |past: &[Snapshot]| past.iter().map(|it| it.text.len()).sum::<usize>();
        let mut dropped = self.past.len().saturating_sub(MAX_TEXTS);
        while dropped + 1 < self.past.len() && bytes(&self.past[dropped..]) > MAX_BYTES {
            dropped += 1;
        }
        self.past.drain(..dropped);
    }

    /// Records that the cursor moved: what follows is a separate change.
    pub(super) const fn pause(&mut self) {
        self.latest = Change::Alone;
    }

    /// Returns the text before the latest change.
    pub(super) fn take(&mut self) -> Option<Snapshot> {
        self.pause();
        self.past.pop()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}
