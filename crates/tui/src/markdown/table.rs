//! Tables: columns below each other where they fit.

use crate::styled::{Line, Span, Tone};

/// What keeps two cells apart.
const GAP: &str = "  ";

/// A table while it is read.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Line>>,
    row: Vec<Line>,
}

impl Table {
    pub(crate) fn cell(&mut self, cell: Line) {
        self.row.push(cell);
    }

    pub(crate) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Lays the rows out; where the columns don't fit, cells only follow each other.
    pub(crate) fn rows(self, room: usize) -> Vec<Line> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(Line::width).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(widest).collect();
        let total = widths.iter().sum::<usize>() + GAP.len() * count.saturating_sub(1);
        let fits = total <= room;
        let mut rows = Vec::with_capacity(self.rows.len() + 1);
        for (index, cells) in self.rows.into_iter().enumerate() {
            rows.push(lay_out(cells, &widths, fits));
            if index == 0 {
                let rule = "─".repeat(total.min(room));
                rows.push(Line::new(rule, Tone::Faint));
            }
        }
        rows
    }
}

fn lay_out(cells: Vec<Line>, widths: &[usize], fits: bool) -> Line {
    let mut spans = Vec::new();
    let last = cells.len().saturating_sub(1);
    for (column, cell) in cells.into_iter().enumerate() {
        let missing = widths.get(column).map_or(0, |width| width - cell.width());
        spans.extend(cell.0);
        if column < last {
            let gap = if fits {
                " ".repeat(missing) + GAP
            } else {
                " │ ".to_owned()
            };
            spans.push(Span::new(gap, Tone::Faint));
        }
    }
    Line(spans)
}
