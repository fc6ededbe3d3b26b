//! Lays a text out in rows, and locates its cursor.

use std::ops::Range;

use super::folds::Folds;
use crate::editor::Direction;
use crate::styled::width;
use hookloop_text::visible_row;

/// A text in rows of limited width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    rows: Vec<Range<usize>>,
    folds: Folds,
    /// The cursor's row and column.
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl Layout {
    pub(super) fn new(text: &str, folds: &Folds, cursor: usize, columns: usize) -> Self {
        let columns = columns.max(2);
        let mut layout = Self {
            rows: Vec::new(),
            folds: folds.clone(),
            row: 0,
            column: 0,
        };
        let (mut start, mut used) = (0, 0);
        for piece in folds.pieces(text, 0..text.len()) {
            let needed = columns_of(piece.shown).min(columns);
            if piece.shown != "\n" && used + needed > columns {
                layout.rows.push(start..piece.start);
                (start, used) = (piece.start, 0);
            }
            if piece.start == cursor {
                (layout.row, layout.column) = (layout.rows.len(), used);
            }
            used += needed;
            if piece.shown == "\n" {
                layout.rows.push(start..piece.start);
                (start, used) = (piece.end, 0);
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
    pub(crate) fn rows<'t>(&'t self, text: &'t str) -> impl Iterator<Item = String> + use<'t> {
        self.rows.iter().map(move |row| {
            let pieces = self.folds.pieces(text, row.clone());
            visible_row(&pieces.map(|it| it.shown).collect::<String>())
        })
    }

    /// Returns the place above or below the cursor; nothing at the first or last row.
    pub(crate) fn vertical_neighbour(&self, text: &str, direction: Direction) -> Option<usize> {
        let row = match direction {
            Direction::Up => self.row.checked_sub(1)?,
            Direction::Down => self.row + 1,
        };
        let row = self.rows.get(row)?;
        let mut used = 0;
        for piece in self.folds.pieces(text, row.clone()) {
            if used >= self.column {
                return Some(piece.start);
            }
            used += columns_of(piece.shown);
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
