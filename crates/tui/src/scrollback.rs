//! What is finished and goes to the terminal's scrollback.

use std::time::Duration;

use crate::diff::{diff_lines, split_at_diff};
use crate::markdown;
use crate::message::FinishedTool;
use crate::styled::{Line, Palette, Style, Tone};
use crate::welcome::Welcome;
use crate::wrap::{wrap, wrap_all};
use hookloop_text::{Notice, NoticeKind, visible_cells, visible_row};

/// How many rows of a tool's output are shown.
const OUTPUT_ROWS: usize = 10;
/// How many lines of what the user wrote are shown; a long paste goes to the model whole.
const PROMPT_LINES: usize = 12;
/// How many rows of a diff are shown.
const DIFF_ROWS: usize = 40;

/// What was added last: it decides whether a blank line follows.
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
    lines: Vec<Line>,
    last: Last,
    columns: usize,
    palette: Palette,
}

impl Scrollback {
    pub(crate) const fn new(columns: usize, palette: Palette) -> Self {
        Self {
            lines: Vec::new(),
            last: Last::Nothing,
            columns,
            palette,
        }
    }

    pub(crate) const fn resize(&mut self, columns: usize) {
        self.columns = columns;
    }

    pub(crate) fn take(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.lines)
    }

    /// Forgets what stands above: the screen was cleared.
    pub(crate) const fn begin_anew(&mut self) {
        self.last = Last::Nothing;
    }

    /// Adds lines that belong together, apart from what stands above.
    pub(crate) fn block(&mut self, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        if self.last != Last::Nothing {
            self.lines.push(Line::default());
        }
        self.lines.extend(lines);
        self.last = Last::Block;
    }

    /// Adds what the user wrote.
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
        let lines = markdown::render(text, self.columns, self.palette);
        self.block(lines);
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
        let lines = text.lines().flat_map(|line| {
            // What is indented stays so where it is broken.
            let indent = line.len() - line.trim_start_matches(' ').len();
            wrap(&Line::new(line, tone), self.columns, indent + 2)
        });
        let lines: Vec<Line> = lines.collect();
        if notice.kind == NoticeKind::Answer {
            self.block(lines);
            return;
        }
        if self.last == Last::Block {
            self.lines.push(Line::default());
        }
        self.lines.extend(lines);
        self.last = Last::Notice;
    }

    /// Adds the card of a tool call that is over.
    pub(crate) fn tool(&mut self, tool: &FinishedTool, duration: Option<Duration>) {
        let (mark, tone) = match tool.error {
            None => ("✓ ", Tone::Good),
            Some(_) => ("✗ ", Tone::Bad),
        };
        let name = visible_row(&tool.call.tool);
        let mut head = Line::new(mark, tone).with(name, Style::default().strong());
        if !tool.call.summary.is_empty() {
            head = head.with(format!(" {}", tool.call.summary), Tone::Plain);
        }
        if let Some(duration) = duration.filter(|it| it.as_secs() > 0) {
            head = head.with(format!(" {}", seconds(duration)), Tone::Faint);
        }
        let mut lines = vec![head.cut(self.columns)];
        if let Some(error) = &tool.error {
            lines.extend(self.indented(&toned_lines(error, Tone::Bad), OUTPUT_ROWS));
        } else {
            let (text, diff) = split_at_diff(&tool.display);
            lines.extend(self.indented(&toned_lines(text, Tone::Faint), OUTPUT_ROWS));
            if let Some(diff) = diff {
                lines.extend(self.indented(&diff_lines(diff), DIFF_ROWS));
            }
        }
        self.block(lines);
    }

    /// Indents lines and leaves out what is too much, with a note.
    fn indented(&self, lines: &[Line], most: usize) -> Vec<Line> {
        let mut rows: Vec<Line> = Vec::new();
        for line in lines {
            let mut spans = Line::plain("  ").0;
            spans.extend(line.0.iter().cloned());
            rows.extend(wrap(&Line(spans), self.columns, 2));
        }
        if rows.len() > most + 1 {
            let left_out = rows.len() - most;
            rows.truncate(most);
            rows.push(Line::new(format!("  … {left_out} more lines"), Tone::Faint));
        }
        rows
    }
}

fn toned_lines(text: &str, tone: Tone) -> Vec<Line> {
    let text = visible_cells(text);
    let lines = text.trim_end().lines();
    lines.map(|line| Line::new(line, tone)).collect()
}

/// Words a duration.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        format!("{seconds}s")
    } else {
        format!("{}m {:02}s", seconds / 60, seconds % 60)
    }
}
