//! Tables with aligned columns. If they don't fit, cells are wrapped.

use pulldown_cmark::Alignment;

use crate::styled::{Line, Span, Tone};
use crate::wrap::wrap;

/// What keeps two cells apart.
const GAP: &str = "  ";

/// The least that a column is narrowed to.
const MIN_WIDTH: usize = 4;

/// A table while it is read.
#[derive(Default)]
pub(crate) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Line>>,
    row: Vec<Line>,
}

impl Table {
    pub(crate) fn new(alignments: Vec<Alignment>) -> Self {
        Self {
            alignments,
            ..Self::default()
        }
    }

    pub(crate) fn cell(&mut self, cell: Line) {
        self.row.push(cell);
    }

    pub(crate) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Lays the rows out; where even narrow columns don't fit, cells only follow each other.
    pub(crate) fn rows(self, room: usize) -> Vec<Line> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(Line::width).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(widest).collect();
        let gaps = GAP.len() * count.saturating_sub(1);
        let widths = narrow_columns(widths, room.saturating_sub(gaps));
        let total = widths
            .as_ref()
            .map_or(room, |it| it.iter().sum::<usize>() + gaps);
        let mut rows = Vec::with_capacity(self.rows.len() + 1);
        for (index, cells) in self.rows.into_iter().enumerate() {
            match &widths {
                Some(widths) => rows.extend(lay_out(&cells, widths, &self.alignments)),
                None => rows.push(join_cells(cells)),
            }
            if index == 0 {
                let rule = "─".repeat(total.min(room));
                rows.push(Line::new(rule, Tone::Faint));
            }
        }
        rows
    }
}

/// Narrows the widest columns until all fit; nothing if they can't.
fn narrow_columns(mut widths: Vec<usize>, room: usize) -> Option<Vec<usize>> {
    while widths.iter().sum::<usize>() > room {
        let widest = widths.iter_mut().max_by_key(|it| **it)?;
        if *widest <= MIN_WIDTH {
            return None;
        }
        *widest -= 1;
    }
    Some(widths)
}

/// Lays out a row, in as many lines as its highest cell takes.
fn lay_out(cells: &[Line], widths: &[usize], alignments: &[Alignment]) -> Vec<Line> {
    let wrapped: Vec<Vec<Line>> = cells
        .iter()
        .zip(widths)
        .map(|(cell, width)| wrap(cell, (*width).max(1), 0))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let last = cells.len().saturating_sub(1);
    (0..height)
        .map(|row| {
            let mut spans = Vec::new();
            for (column, lines) in wrapped.iter().enumerate() {
                let line = lines.get(row).cloned().unwrap_or_default();
                let missing = widths[column].saturating_sub(line.width());
                let before = match alignments.get(column) {
                    Some(Alignment::Right) => missing,
                    Some(Alignment::Center) => missing / 2,
                    _ => 0,
                };
                let gap = if column < last { GAP } else { "" };
                // No padding at the end of a line.
                let after = if column < last { missing - before } else { 0 };
                spans.push(Span::new(" ".repeat(before), Tone::Faint));
                spans.extend(line.0);
                spans.push(Span::new(" ".repeat(after) + gap, Tone::Faint));
            }
            while spans.last().is_some_and(|span| span.text.trim().is_empty()) {
                spans.pop();
            }
            spans.retain(|span| !span.text.is_empty());
            Line(spans)
        })
        .collect()
}

/// Lets the cells of a row follow each other.
fn join_cells(cells: Vec<Line>) -> Line {
    let mut spans = Vec::new();
    for (column, cell) in cells.into_iter().enumerate() {
        if column > 0 {
            spans.push(Span::new(" │ ", Tone::Faint));
        }
        spans.extend(cell.0);
    }
    Line(spans)
}
