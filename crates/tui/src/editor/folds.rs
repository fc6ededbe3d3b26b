//! Long pastes in the editor: the text is kept in full, and a label represents each paste on screen
//! (TU-5).

use std::collections::VecDeque;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// The maximum number of lines of a paste that is shown as it is.
const MAX_LINES: usize = 8;

/// How many pastes are remembered.
const MAX_PASTES: usize = 16;

/// The maximum number of characters of a paste that is shown as it is.
const MAX_CHARACTERS: usize = 1000;

/// A part of a text that a label represents.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fold {
    range: Range<usize>,
    label: String,
}

/// The parts of a text that labels represent. The cursor is never inside one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Folds {
    /// In the order of the text.
    shown: Vec<Fold>,
    /// What was pasted, oldest first: it is folded whenever it comes back complete, from an editor,
    /// the history or the queue.
    pasted: VecDeque<String>,
}

/// What a row shows of a text: a character as people see it, or the label of a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    /// Where it begins in the text.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// What is shown.
    pub(super) shown: &'t str,
}

impl Folds {
    /// Returns whether a paste is too long to be shown as it is.
    pub(super) fn is_long(text: &str) -> bool {
        text.lines().nth(MAX_LINES).is_some() || text.chars().nth(MAX_CHARACTERS).is_some()
    }

    /// Replaces a part that was just pasted by a label.
    pub(super) fn fold(&mut self, range: Range<usize>, text: &str) {
        self.label(range, text);
        // Editors leave out line ends at the end of a text.
        let kept = text.trim_end();
        if !self.pasted.iter().any(|it| it == kept) {
            if self.pasted.len() == MAX_PASTES {
                self.pasted.pop_front();
            }
            self.pasted.push_back(kept.to_owned());
        }
    }

    /// Replaces earlier pastes that are complete in another text by labels.
    pub(super) fn refold(&mut self, text: &str) {
        self.clear();
        let pasted = std::mem::take(&mut self.pasted);
        for paste in pasted.iter().rev() {
            for (start, _) in text.match_indices(paste.as_str()) {
                let range = start..start + paste.len();
                let overlaps = |it: &Fold| it.range.start < range.end && range.start < it.range.end;
                if !self.shown.iter().any(overlaps) {
                    self.label(range, paste);
                }
            }
        }
        self.pasted = pasted;
    }

    fn label(&mut self, range: Range<usize>, text: &str) {
        let lines = text.lines().count();
        let label = if lines > 1 {
            format!("[Pasted text: {lines} lines]")
        } else {
            format!("[Pasted text: {} characters]", text.chars().count())
        };
        let at = self
            .shown
            .partition_point(|it| it.range.start < range.start);
        self.shown.insert(at, Fold { range, label });
    }

    /// Shows everything as it is.
    pub(super) fn clear(&mut self) {
        self.shown.clear();
    }

    /// Follows a change: a range was replaced by this many bytes.
    pub(super) fn follow(&mut self, range: &Range<usize>, length: usize) {
        self.shown
            .retain(|it| it.range.end <= range.start || it.range.start >= range.end);
        for fold in &mut self.shown {
            if fold.range.start >= range.end {
                let moved = |at: usize| at - range.len() + length;
                fold.range = moved(fold.range.start)..moved(fold.range.end);
            }
        }
    }

    /// Returns the fold that contains a position, except its beginning and its end.
    pub(super) fn around(&self, place: usize) -> Option<Range<usize>> {
        let mut folds = self.shown.iter().map(|it| it.range.clone());
        folds.find(|it| it.start < place && place < it.end)
    }

    /// Returns whether a byte is in a part that a label represents.
    pub(super) fn hides(&self, at: usize) -> bool {
        self.shown.iter().any(|it| it.range.contains(&at))
    }

    /// Returns what is shown of a part of a text, piece by piece.
    pub(super) fn pieces<'t>(
        &'t self,
        text: &'t str,
        part: Range<usize>,
    ) -> impl Iterator<Item = Piece<'t>> {
        let folds = self.shown.iter();
        let within = part.clone();
        let folds =
            folds.filter(move |it| it.range.start >= within.start && it.range.end <= within.end);
        let mut open = part.start;
        let end = part.end;
        let labels = folds.map(move |fold| {
            let before = open..fold.range.start;
            open = fold.range.end;
            (before, Some(fold))
        });
        let labels: Vec<_> = labels.collect();
        let last = labels
            .last()
            .and_then(|(_, fold)| fold.map(|it| it.range.end));
        let rest = last.unwrap_or(part.start)..end;
        labels
            .into_iter()
            .chain([(rest, None)])
            .flat_map(move |(plain, fold)| {
                let offset = plain.start;
                let characters = text[plain].grapheme_indices(true);
                let characters = characters.map(move |(at, shown)| Piece {
                    start: offset + at,
                    end: offset + at + shown.len(),
                    shown,
                });
                characters.chain(fold.map(|fold| Piece {
                    start: fold.range.start,
                    end: fold.range.end,
                    shown: fold.label.as_str(),
                }))
            })
    }
}
