//! Finished output that goes to the terminal's scrollback.

mod waiting;

use std::time::Duration;

use crate::diff::{diff_lines, split_at_diff};
use crate::markdown;
use crate::message::FinishedTool;
use crate::scrollback::waiting::{Waiting, Worth};
use crate::styled::{Line, Palette, Style, Tone, width};
use crate::welcome::Welcome;
use crate::wrap::{with_whole_addresses, wrap, wrap_all};
use hookloop_text::{Notice, NoticeKind, visible_cells, visible_row};

/// How many rows of a tool's output are shown, of its beginning and its end: how a command ended
/// is in its last lines.
const OUTPUT_ROWS: Rows = Rows { head: 3, tail: 7 };
/// How many lines of the user's input are shown; a long paste is sent to the model completely.
const PROMPT_LINES: usize = 12;
/// How many rows of a diff are shown.
const DIFF_ROWS: Rows = Rows { head: 40, tail: 0 };

/// The tool's own note that it left something out.
const LEFT_OUT: &str = " bytes left out …";

/// How many rows are shown of something: of its beginning, and of its end.
#[derive(Clone, Copy)]
struct Rows {
    head: usize,
    tail: usize,
}

/// How much of a tool's output is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A few rows.
    Folded,
    /// All that the tool kept: the user requested it.
    Whole,
}

/// What was added last: it determines whether a blank line follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Nothing,
    Notice,
    Block,
}

/// Lines on their way to the scrollback.
#[derive(Debug)]
pub(crate) struct Scrollback {
    waiting: Waiting,
    last: Last,
    columns: usize,
    palette: Palette,
}

impl Scrollback {
    pub(crate) fn new(columns: usize, palette: Palette) -> Self {
        Self {
            waiting: Waiting::default(),
            last: Last::Nothing,
            columns,
            palette,
        }
    }

    pub(crate) const fn resize(&mut self, columns: usize) {
        self.columns = columns;
    }

    pub(crate) const fn set_palette(&mut self, palette: Palette) {
        self.palette = palette;
    }

    /// Takes all lines out.
    pub(crate) fn take(&mut self) -> Vec<Line> {
        self.take_some(usize::MAX)
    }

    /// Takes lines with a total of this many bytes, and at least one if there is one.
    pub(crate) fn take_some(&mut self, bytes: usize) -> Vec<Line> {
        self.waiting.take(bytes)
    }

    /// Returns approximately how many bytes it takes to show what waits.
    pub(crate) const fn bytes(&self) -> usize {
        self.waiting.bytes()
    }

    /// Drops the oldest lines that nobody has to see, if more than this many bytes wait (TU-5).
    pub(crate) fn give_way(&mut self, room: usize) {
        self.waiting.give_way(room);
    }

    /// Forgets what is above: the screen was cleared.
    pub(crate) const fn begin_anew(&mut self) {
        self.last = Last::Nothing;
    }

    /// Adds lines that belong together, separate from what is above.
    pub(crate) fn block(&mut self, lines: Vec<Line>) {
        self.block_of(lines, Worth::Told);
    }

    /// Adds lines to those that were added last.
    pub(crate) fn below(&mut self, lines: Vec<Line>) {
        self.add(lines, Worth::Told);
    }

    fn block_of(&mut self, lines: Vec<Line>, worth: Worth) {
        if lines.is_empty() {
            return;
        }
        if self.last != Last::Nothing {
            self.add(vec![Line::default()], Worth::Shown);
        }
        self.add(lines, worth);
        self.last = Last::Block;
    }

    fn add(&mut self, lines: Vec<Line>, worth: Worth) {
        for line in with_whole_addresses(lines) {
            self.waiting.add(line, worth);
        }
    }

    /// Adds the user's input.
    pub(crate) fn prompt(&mut self, text: &str) {
        let text = visible_cells(text);
        let lines = text.lines().enumerate().map(|(index, line)| {
            let mark = if index == 0 { "> " } else { "  " };
            Line::new(mark, Tone::Accent).with(line, Style::default().strong())
        });
        let mut lines: Vec<Line> = lines.collect();
        let left_out = lines.len().saturating_sub(PROMPT_LINES);
        if left_out > 1 {
            lines.truncate(PROMPT_LINES);
            let text = format!("  … {left_out} more lines");
            lines.push(Line::new(text, Tone::Faint));
        }
        let lines = wrap_all(&lines, self.columns, 2);
        self.block(lines);
    }

    /// Adds what a session begins with.
    pub(crate) fn welcome(&mut self, welcome: &Welcome) {
        let lines = wrap_all(&welcome.lines(), self.columns, 2);
        self.block(lines);
    }

    /// Adds text of the model.
    pub(crate) fn markdown(&mut self, text: &str) {
        for block in markdown::blocks(text) {
            self.markdown_block(block);
        }
    }

    /// Adds one block of the model's text.
    pub(crate) fn markdown_block(&mut self, block: &str) {
        let lines = markdown::render_block(block, self.columns, self.palette);
        self.block_of(lines, Worth::Shown);
    }

    /// Adds a notice; several of them follow each other without a gap.
    pub(crate) fn notice(&mut self, notice: &Notice) {
        let tone = match notice.kind {
            NoticeKind::Info => Tone::Faint,
            NoticeKind::Answer => Tone::Plain,
            NoticeKind::Hook => Tone::Accent,
            NoticeKind::Warning => Tone::Warning,
            NoticeKind::Error => Tone::Bad,
        };
        let text = visible_cells(&notice.text);
        let mut lines: Vec<Line> = Vec::new();
        for line in text.lines() {
            // Wrapped lines keep their indentation.
            let indent = line.len() - line.trim_start_matches(' ').len() + 2;
            let (before, address, behind) =
                split_at_long_address(line, self.columns.saturating_sub(indent));
            let mut add = |text: &str| {
                if !text.is_empty() {
                    lines.extend(wrap(&Line::new(text, tone), self.columns, indent));
                }
            };
            add(before);
            add(behind);
            if let Some(address) = address {
                // Only if the terminal itself wraps an address can it be copied as a whole.
                lines.push(Line::new(address, tone));
            } else if line.is_empty() {
                lines.push(Line::default());
            }
        }
        if notice.kind == NoticeKind::Answer {
            self.block(lines);
            return;
        }
        if self.last == Last::Block {
            self.add(vec![Line::default()], Worth::Shown);
        }
        self.below(lines);
        self.last = Last::Notice;
    }

    /// Adds the card of a finished tool call, with its output before it failed.
    pub(crate) fn tool(
        &mut self,
        tool: &FinishedTool,
        shown: &str,
        duration: Option<Duration>,
        extent: Extent,
    ) {
        let (mark, tone) = match tool.error {
            None => ("✓ ", Tone::Good),
            Some(_) => ("✗ ", Tone::Bad),
        };
        let name = visible_row(&tool.call.tool);
        let head = Line::new(mark, tone).with(name, Style::default().strong());
        let duration = duration.filter(|it| it.as_secs() > 0);
        let spent = duration.map_or_else(String::new, |it| format!(" {}", seconds(it)));
        let room = self.columns.saturating_sub(spent.len());
        let summary = tool.call.summary.within(room.saturating_sub(head.width()));
        let head = head.with(summary, Tone::Plain).cut(room);
        self.block(vec![head.with(spent, Tone::Faint)]);
        let output_rows = match extent {
            Extent::Folded => OUTPUT_ROWS,
            Extent::Whole => Rows {
                head: usize::MAX,
                tail: 0,
            },
        };
        if let Some(error) = &tool.error {
            let shown = self.indented(&toned_lines(shown, Tone::Faint), output_rows);
            self.add(shown, Worth::Shown);
            let error = self.indented(&toned_lines(error, Tone::Bad), OUTPUT_ROWS);
            self.add(error, Worth::Told);
            return;
        }
        let (text, diff) = split_at_diff(&tool.display);
        let text = self.indented(&toned_lines(text, Tone::Faint), output_rows);
        self.add(text, Worth::Shown);
        if let Some(diff) = diff {
            let diff = self.indented(&diff_lines(diff), DIFF_ROWS);
            self.add(diff, Worth::Shown);
        }
    }

    /// Indents lines and leaves out the excess, with a note.
    fn indented(&self, lines: &[Line], shown: Rows) -> Vec<Line> {
        let Rows { head, tail } = shown;
        let mut rows: Vec<Line> = Vec::new();
        for line in lines {
            let mut spans = Line::plain("  ").0;
            spans.extend(line.0.iter().cloned());
            let hang = if line.is_of_diff() { 4 } else { 2 };
            rows.extend(wrap(&Line(spans), self.columns, hang));
        }
        let most = head.saturating_add(tail);
        if rows.len() > most.saturating_add(1) {
            let end = rows.len() - tail;
            let mut left_out = rows.drain(head..end);
            let count = left_out.len();
            // The tool itself kept only a part of them.
            let more = if left_out.any(|row| row.text().ends_with(LEFT_OUT)) {
                "more than "
            } else {
                ""
            };
            drop(left_out);
            let note = match tail {
                0 => format!("  … {count} more lines"),
                _ => format!("  … {more}{count} lines left out …"),
            };
            rows.insert(head, Line::new(note, Tone::Faint));
        }
        rows
    }
}

fn toned_lines(text: &str, tone: Tone) -> Vec<Line> {
    let text = visible_cells(text);
    let lines = text.trim_end().lines();
    lines.map(|line| Line::new(line, tone)).collect()
}

/// Splits a line at the first address that doesn't fit into this many columns: what precedes it,
/// the address, and what follows it.
fn split_at_long_address(line: &str, columns: usize) -> (&str, Option<&str>, &str) {
    let is_address = |word: &str| {
        ["http://", "https://"]
            .iter()
            .any(|it| word.starts_with(it))
            && width(word) > columns
    };
    let Some(address) = line.split(' ').find(|word| is_address(word)) else {
        return (line, None, "");
    };
    match line.split_once(address) {
        Some((before, behind)) => (before.trim_end(), Some(address), behind.trim_start()),
        None => (line, None, ""),
    }
}

/// Formats a duration.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        format!("{seconds}s")
    } else {
        format!("{}m {:02}s", seconds / 60, seconds % 60)
    }
}
