//! Draws the list, which is always smaller than the screen.

use super::{Chooser, ChooserItem};
use crate::painter::{Live, Size};
use crate::styled::{Line, Style, Tone};
use crate::window;
use hookloop_text::visible_row;

/// Rows besides the list: the rule, the heading, the hint.
const FRAME_ROWS: usize = 3;
/// A narrower screen gets the short hint.
const WIDE: usize = 60;

impl Chooser {
    /// Draws the list around the selected item.
    pub(crate) fn live(&self, size: Size) -> Live {
        let shown = self.visible_items();
        let place = match shown.len() {
            0 => format!("0 of {}", self.items.len()),
            count => format!("{} of {count}", self.marked + 1),
        };
        let head = if self.search.is_on() {
            self.search.line().with(format!("  {place}"), Tone::Faint)
        } else {
            Line::new(self.heading.clone(), Style::default().strong())
                .with(format!(" · {place}"), Tone::Faint)
        };
        let mut lines = vec![window::rule(size.columns), head.cut(size.columns)];
        let rows = Self::rows(size);
        let first = self
            .marked
            .saturating_sub(rows / 2)
            .min(shown.len().saturating_sub(rows));
        let listed = shown.iter().enumerate().skip(first).take(rows);
        lines.extend(listed.map(|(index, item)| self.row(index, item).cut(size.columns)));
        if shown.is_empty() {
            lines.push(Line::plain("No matches.").cut(size.columns));
        }
        let hint = match size.columns {
            WIDE.. => "↑↓ move · Enter chooses · type to search · Esc closes",
            _ => "↑↓ · Enter · type to search · Esc",
        };
        lines.push(Line::new(hint, Tone::Faint).cut(size.columns));
        let cursor = self.search.cursor(size.columns);
        Live { lines, cursor }
    }

    /// Draws the whole list with numbers, if nothing is painted.
    pub(crate) fn numbered(&self) -> Vec<Line> {
        let heading = Line::plain(format!("{}:", self.heading));
        let items = self.items.iter().enumerate().map(|(index, item)| {
            let text = format!("{} {}", item.note, item.title);
            Line::plain(format!("{}) {}", index + 1, visible_row(text.trim())))
        });
        let hint = Line::plain("Write a number; an empty line closes.");
        std::iter::once(heading)
            .chain(items)
            .chain([hint])
            .collect()
    }

    /// Returns how many items are visible at once.
    pub(super) fn rows(size: Size) -> usize {
        size.rows.saturating_sub(1 + FRAME_ROWS).max(1)
    }

    fn row(&self, index: usize, item: &ChooserItem) -> Line {
        let (pointer, style) = if index == self.marked {
            ("❯ ", Style::from(Tone::Accent).strong())
        } else {
            ("  ", Style::default())
        };
        let note = match visible_row(&item.note) {
            note if note.is_empty() => note,
            note => format!("{note}  "),
        };
        Line::new(pointer, Tone::Accent)
            .with(note, Tone::Faint)
            .with(visible_row(&item.title), style)
    }
}
