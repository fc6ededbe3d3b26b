//! Tables that fit a width: cells are wrapped, never cut.

use crate::style::{Palette, Style};
use crate::wrap::columns;
use crate::wrap::wrap;

/// What is between two columns.
const GAP: usize = 2;

/// The minimum width of a column: a status fits into it.
const MIN_WIDTH: usize = 9;

/// The layout of a table.
///
/// ```
/// use hookloop_text::{Cell, Palette, Style, Table};
///
/// let row = |event: &str, hook: &str| vec![Cell::new(event, Style::Strong), Cell::plain(hook)];
/// let rows = [row("BeforeTool", "guard"), row("AfterAgent", "say-done")];
/// let table = Table::new(&rows, 0, Some(80));
/// assert_eq!(table.row(&rows[0], Palette::Plain), "BeforeTool  guard\n");
/// ```
#[derive(Debug)]
pub struct Table {
    indent: usize,
    widths: Vec<usize>,
}

/// A cell of a table: its text, already escaped, and its style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// The style.
    pub style: Style,
}

impl Cell {
    /// Creates a cell with a style.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        let text = text.into();
        Self { text, style }
    }

    /// Creates a cell without a style.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Style::Plain)
    }
}

impl Table {
    /// Computes column widths for rows of escaped cells. The table starts at an indent.
    pub fn new(rows: &[Vec<Cell>], indent: usize, width: Option<usize>) -> Self {
        let count = rows.iter().map(Vec::len).max().unwrap_or_default();
        let mut widths: Vec<usize> = (0..count)
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                cells.map(|it| columns(&it.text)).max().unwrap_or_default()
            })
            .collect();
        if let Some(width) = width {
            shrink(
                &mut widths,
                width.saturating_sub(indent + GAP * count.saturating_sub(1)),
            );
        }
        Self { indent, widths }
    }

    /// Returns whether rows fit into a width without being broken.
    fn fits(rows: &[Vec<Cell>], indent: usize, width: Option<usize>) -> bool {
        let natural = Self::new(rows, indent, None);
        let gaps = GAP * natural.widths.len().saturating_sub(1);
        width.is_none_or(|width| natural.widths.iter().sum::<usize>() + gaps + indent <= width)
    }

    /// Lays out rows, of which the first is the heading. If they don't fit into the width, the
    /// cells from a certain column on are removed from each row, and returned by row, to be listed
    /// below it. Of the possible columns, the first that lets the others fit is used, or else the
    /// last.
    pub fn folding(
        rows: &mut [Vec<Cell>],
        first_below: &[usize],
        indent: usize,
        width: Option<usize>,
    ) -> (Self, Vec<Vec<Cell>>) {
        let mut below = vec![Vec::new(); rows.len()];
        for first in first_below {
            if Self::fits(rows, indent, width) {
                break;
            }
            for (row, below) in rows.iter_mut().zip(&mut below) {
                let mut cells = row.split_off((*first).min(row.len()));
                cells.append(below);
                *below = cells;
            }
        }
        (Self::new(rows, indent, width), below)
    }

    /// Formats a row as lines of text.
    pub fn row(&self, cells: &[Cell], palette: Palette) -> String {
        let broken: Vec<(Vec<String>, Style)> = cells
            .iter()
            .zip(&self.widths)
            .map(|(cell, width)| (wrap(&cell.text, *width), cell.style))
            .collect();
        let height = broken
            .iter()
            .map(|(lines, _)| lines.len())
            .max()
            .unwrap_or_default();
        let mut row = String::new();
        for index in 0..height {
            let mut line = " ".repeat(self.indent);
            for ((lines, style), width) in broken.iter().zip(&self.widths) {
                let text = lines.get(index).map_or("", String::as_str);
                line.push_str(&palette.paint(*style, text));
                line.push_str(&" ".repeat(width.saturating_sub(columns(text)) + GAP));
            }
            row.push_str(line.trim_end());
            row.push('\n');
        }
        row
    }
}

/// Makes the widest columns narrower until all fit.
fn shrink(widths: &mut [usize], available: usize) {
    while widths.iter().sum::<usize>() > available {
        match widths.iter_mut().max() {
            Some(widest) if *widest > MIN_WIDTH => *widest -= 1,
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: Option<usize>) -> String {
        let cell = |text: &str| Cell::plain(text);
        let rows = [
            vec![
                cell("format"),
                cell("enabled"),
                cell("/a/very/long/path/to/settings.json:7:11"),
            ],
            vec![cell("x"), cell("disabled"), cell("y")],
        ];
        let table = Table::new(&rows, 2, width);
        rows.iter()
            .map(|row| table.row(row, Palette::Plain))
            .collect()
    }

    /// CM-1: a table fits the width it is given, and none of its text is lost.
    #[test]
    fn a_table_fits_its_width() {
        let text = table(Some(40));
        assert!(text.lines().all(|line| columns(line) <= 40), "{text}");
        assert!(text.contains("json:7:11") && text.contains("disabled"));
    }

    /// CM-1: a cell that doesn't fit into its row is returned, to be listed below it.
    #[test]
    fn what_does_not_fit_is_told_below() {
        let row = |cells: [&str; 3]| cells.map(Cell::plain).to_vec();
        let rows = vec![
            row(["NAME", "STATUS", "SOURCE"]),
            row(["a", "enabled", "/srv/shop/hooks.json"]),
        ];
        let folded = |width| {
            let mut rows = rows.clone();
            let (_, below) = Table::folding(&mut rows, &[2], 0, width);
            (rows.iter().map(Vec::len).max(), below[1].clone())
        };
        assert_eq!(folded(None), (Some(3), Vec::new()));
        assert_eq!(folded(Some(80)), (Some(3), Vec::new()));
        assert_eq!(folded(Some(20)), (Some(2), rows[1][2..].to_vec()));
    }

    /// CM-1: without a terminal every row is a line.
    #[test]
    fn without_a_width_every_row_is_a_line() {
        assert_eq!(table(None).lines().count(), 2);
    }
}
