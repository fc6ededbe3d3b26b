//! Parts of the live area that several screens share.

use crate::editor::Editor;
use crate::styled::{Line, Span, Tone};

/// How many columns of a row aren't the user's text: the mark in front, and room for the cursor.
pub(crate) const INPUT_MARGIN: usize = 3;

/// Rows of an editor, and where the cursor is in them.
pub(crate) struct InputRows {
    pub(crate) lines: Vec<Line>,
    pub(crate) cursor: (usize, usize),
}

/// The length of a rule: a terminal of 40 columns, to which a wider one may be narrowed, doesn't
/// wrap it. Some terminals wrap rows then and others cut them, and there is no way to know.
const RULE: usize = 40;

/// Returns a rule.
pub(crate) fn rule(columns: usize) -> Line {
    Line::new("─".repeat(columns.min(RULE)), Tone::Faint)
}

/// Returns the rows of an editor around its cursor, at most this many.
pub(crate) fn input_rows(editor: &Editor, columns: usize, most: usize) -> InputRows {
    let layout = editor.layout(columns);
    let first = (layout.row + 1).saturating_sub(most.max(1));
    let rows = layout.rows(editor.text()).enumerate();
    let lines = rows
        .skip(first)
        .take(most.max(1))
        .map(|(index, row)| {
            let mark = if index == 0 { "> " } else { "  " };
            Line(vec![
                Span::new(mark, Tone::Accent),
                Span::new(row, Tone::Plain),
            ])
            // Only a label that is wider than the screen would be longer.
            .cut(columns.saturating_add(2))
        })
        .collect();
    InputRows {
        lines,
        cursor: (layout.row - first, layout.column + 2),
    }
}
