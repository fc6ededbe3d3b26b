//! Draws the panel, which is always smaller than the screen.

use crate::painter::{Live, Size};
use crate::panel::{Page, Panel, PanelItem, PanelMark};
use crate::styled::{Line, Style, Tone, width};
use crate::window;
use crate::wrap::wrap_all;
use hookloop_text::{visible_cells, visible_row};

const HEADINGS: [&str; 4] = ["HOOK", "LAYER", "LAST", "p50/p95"];
/// Columns of the mark of the selected hook, and of its status.
const MARKS: usize = 4;
/// The minimum width of a name.
const NAME: usize = 8;
/// A narrower screen gets the short hints, and short names of layers.
const WIDE: usize = 75;
/// A narrower screen has no layers: the name counts more, and the details show the rest.
const NARROW: usize = 50;
/// A lower screen has no legend.
const HIGH: usize = 12;
/// The share of the screen that notes may take.
const NOTES_SHARE: usize = 4;

impl Panel {
    /// Draws the panel.
    pub(crate) fn live(&self, size: Size) -> Live {
        match (self.page, self.marked_item()) {
            (Page::Details(first), Some(item)) => {
                let first = first.min(self.last_first_row(size));
                let rows = details(item, size).into_iter().skip(first);
                let mut lines = vec![window::rule(size.columns), title(item).cut(size.columns)];
                lines.extend(rows.take(self.page_rows(size)));
                let hint = match size.columns {
                    WIDE.. => {
                        "↑↓ · Space on/off · r review · t trust · f fire · Esc back to the list"
                    }
                    _ => "Space on/off · r review · t trust · Esc",
                };
                lines.push(Line::new(hint, Tone::Faint).cut(size.columns));
                Live {
                    lines,
                    cursor: None,
                }
            }
            _ => self.list(size),
        }
    }

    /// Returns how many rows of the list or the details are visible at once.
    pub(super) fn page_rows(&self, size: Size) -> usize {
        let frame = match self.page {
            Page::List => self.above(size).len() + below(size).len(),
            Page::Details(_) => 3,
        };
        size.rows.saturating_sub(1 + frame).max(1)
    }

    /// Returns the first visible row of the details when the last one is visible.
    pub(super) fn last_first_row(&self, size: Size) -> usize {
        let rows = self.marked_item().map_or(0, |it| details(it, size).len());
        rows.saturating_sub(self.page_rows(size))
    }

    fn list(&self, size: Size) -> Live {
        let mut lines = self.above(size);
        lines.extend(self.body(size));
        lines.extend(below(size));
        let cursor = self.search.cursor(size.columns);
        Live { lines, cursor }
    }

    fn above(&self, size: Size) -> Vec<Line> {
        let shown = self.visible_items();
        let place = match shown.len() {
            0 => format!("0 of {}", self.items.len()),
            count => format!("{} of {count}", self.marked + 1),
        };
        let head = if self.search.is_on() {
            self.search.line().with(format!("  {place}"), Tone::Faint)
        } else {
            Line::new("Hooks", Style::default().strong()).with(format!(" · {place}"), Tone::Faint)
        };
        let mut lines = vec![window::rule(size.columns), head.cut(size.columns)];
        let notes: Vec<Line> = self
            .notes
            .iter()
            .map(|note| Line::new(visible_row(note), Tone::Warning))
            .collect();
        let notes = wrap_all(&notes, size.columns, 2);
        let most = (size.rows / NOTES_SHARE).max(1);
        let is_cut = notes.len() > most;
        lines.extend(notes.into_iter().take(if is_cut { most - 1 } else { most }));
        if is_cut {
            let more = "… more: /hooks check";
            lines.push(Line::new(more, Tone::Warning).cut(size.columns));
        }
        let headings = HEADINGS.map(str::to_owned);
        let text = row_text(&headings, widths(&shown, size));
        lines.push(Line::new(format!("    {text}"), Tone::Faint).cut(size.columns));
        lines
    }

    /// Draws the hooks around the selected one, by event.
    fn body(&self, size: Size) -> Vec<Line> {
        let shown = self.visible_items();
        if shown.is_empty() {
            let text = if self.items.is_empty() {
                "No hooks are configured."
            } else {
                "No hook matches."
            };
            return vec![Line::plain(text).cut(size.columns)];
        }
        let widths = widths(&shown, size);
        let mut rows: Vec<(&PanelItem, Line)> = Vec::new();
        let mut marked = 0;
        for (index, item) in shown.iter().enumerate() {
            if index == 0 || shown[index - 1].event != item.event {
                rows.push((item, heading(item)));
            }
            let (pointer, style) = if index == self.marked {
                marked = rows.len();
                ("❯ ", Style::from(Tone::Accent).strong())
            } else {
                ("  ", Style::default())
            };
            rows.push((item, row(item, pointer, style, widths)));
        }
        let room = self.page_rows(size);
        let last = rows.len().saturating_sub(room);
        let first = marked.saturating_sub(room / 2).min(last);
        let mut rows: Vec<(&PanelItem, Line)> = rows.into_iter().skip(first).take(room).collect();
        // The event of the uppermost hook stays in sight.
        if let Some((item, line)) = rows.first_mut()
            && first < marked
        {
            *line = heading(item);
        }
        let lines = rows.into_iter().map(|(_, line)| line.cut(size.columns));
        lines.collect()
    }
}

fn below(size: Size) -> Vec<Line> {
    let hint = match size.columns {
        WIDE.. => "Enter details · Space on/off · r review · t trust · f fire · / search · Esc",
        _ => "Space on/off · r t f · Enter · / · Esc",
    };
    let legend = "● runs  ○ off  ? untrusted  ≡ shadowed";
    let lines = [(size.rows >= HIGH).then_some(legend), Some(hint)];
    let lines = lines.into_iter().flatten();
    lines
        .map(|text| Line::new(text, Tone::Faint).cut(size.columns))
        .collect()
}

fn heading(item: &PanelItem) -> Line {
    Line::new(visible_row(&item.event), Style::from(Tone::Accent).strong())
}

fn title(item: &PanelItem) -> Line {
    heading(item).with(
        format!(" {}", visible_row(&item.name)),
        Style::default().strong(),
    )
}

fn row(item: &PanelItem, pointer: &str, style: Style, widths: [usize; 4]) -> Line {
    let (mark, tone) = match item.mark {
        PanelMark::Enabled => ("● ", Tone::Good),
        PanelMark::Disabled => ("○ ", Tone::Faint),
        PanelMark::Untrusted => ("? ", Tone::Warning),
        PanelMark::Shadowed => ("≡ ", Tone::Faint),
    };
    Line::new(pointer, Tone::Accent)
        .with(mark, tone)
        .with(row_text(&cells(item), widths), style)
}

fn cells(item: &PanelItem) -> [String; 4] {
    let text = |text: &Option<String>| visible_row(text.as_deref().unwrap_or("–"));
    [
        visible_row(&item.name),
        visible_row(&item.layer),
        text(&item.last_result),
        text(&item.times),
    ]
}

fn row_text(cells: &[String; 4], widths: [usize; 4]) -> String {
    let mut text = String::new();
    for (cell, columns) in cells.iter().zip(widths) {
        if columns == 0 {
            continue;
        }
        let cell = Line::plain(cell.clone()).cut(columns).text();
        let space = columns.saturating_sub(width(&cell)) + 1;
        text.push_str(&cell);
        text.push_str(&" ".repeat(space));
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns the width of each column; the name is shortened if there isn't enough room.
fn widths(shown: &[&PanelItem], size: Size) -> [usize; 4] {
    let mut widths = HEADINGS.map(width);
    for item in shown {
        for (most, cell) in widths.iter_mut().zip(cells(item)) {
            *most = (*most).max(width(&cell));
        }
    }
    widths[1] = widths[1].min(match size.columns {
        WIDE.. => 24,
        NARROW..WIDE => 9,
        _ => 0,
    });
    let others = widths[1..].iter().filter(|it| **it > 0);
    let others: usize = others.map(|it| it + 1).sum();
    let room = size.columns.saturating_sub(MARKS + others).max(NAME);
    widths[0] = widths[0].min(room);
    widths
}

fn details(item: &PanelItem, size: Size) -> Vec<Line> {
    let mut lines = Vec::new();
    for (name, value) in &item.details {
        let text = visible_cells(value);
        let mut rows = text.lines();
        let first = rows.next().unwrap_or_default();
        lines.push(Line::new(format!("{name}: "), Tone::Faint).with(first, Tone::Plain));
        lines.extend(rows.map(|row| Line::plain(format!("  {row}"))));
    }
    wrap_all(&lines, size.columns, 2)
}
