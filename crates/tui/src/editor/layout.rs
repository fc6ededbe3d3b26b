//! A text in rows, and where its cursor stands.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::editor::Direction;
use crate::styled::width;
use hookloop_text::visible_row;

/// A text in rows of limited width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    rows: Vec<Range<usize>>,
    /// The cursor's row and column.
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl Layout {
    pub(crate) fn new(text: &str, cursor: usize, columns: usize) -> Self {
        let columns = columns.max(2);
        let mut layout = Self {
            rows: Vec::new(),
            row: 0,
            column: 0,
        };
        let (mut start, mut used) = (0, 0);
        for (at, piece) in text.grapheme_indices(true) {
            let needed = columns_of(piece);
            if piece != "\n" && used + needed > columns {
                layout.rows.push(start..at);
                (start, used) = (at, 0);
            }
            if at == cursor {
                (layout.row, layout.column) = (layout.rows.len(), used);
            }
            used += needed;
            if piece == "\n" {
                layout.rows.push(start..at);
                (start, used) = (at + piece.len(), 0);
            }
        }
        if cursor >= text.len() {
            (layout.row, layout.column) = (layout.rows.len(), used);
        }
        layout.rows.push(start..text.len());
        layout
    }

    #[cfg(test)]
    pub(crate) const fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the rows as they are shown.
    pub(crate) fn shown<'t>(&self, text: &'t str) -> impl Iterator<Item = String> + use<'_, 't> {
        self.rows.iter().map(|row| visible_row(&text[row.clone()]))
    }

    /// Returns the place above or below the cursor; nothing at the first or last row.
    pub(crate) fn beside(&self, text: &str, direction: Direction) -> Option<usize> {
        let row = match direction {
            Direction::Up => self.row.checked_sub(1)?,
            Direction::Down => self.row + 1,
        };
        let row = self.rows.get(row)?;
        let mut used = 0;
        for (at, piece) in text[row.clone()].grapheme_indices(true) {
            if used >= self.column {
                return Some(row.start + at);
            }
            used += columns_of(piece);
        }
        Some(row.end)
    }
}

fn columns_of(piece: &str) -> usize {
    if piece == "\n" {
        0
    } else {
        width(&visible_row(piece))
    }
}
