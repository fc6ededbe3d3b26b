//! Draws the live area.

use std::time::Instant;

use hookloop_agent::Consent;

use crate::attention::KeyHandling;
use crate::painter::{Live, Size};
use crate::scrollback::seconds;
use crate::styled::{Line, Tone};
use crate::view::open::Open;
use crate::view::{Phase, Status, View};
use crate::window::{self, InputRows};
use crate::wrap::{wrap, wrap_all};
use hookloop_text::visible_row;

/// The fraction of the screen's rows that the input may take.
const INPUT_SHARE: usize = 2;

impl View {
    /// Draws what changes: it is always lower than the screen.
    pub(crate) fn live(&self, now: Instant) -> Live {
        let lower = match self.dialogs.front() {
            Some(dialog) if self.is_writing(now) => self.held_dialog(dialog),
            Some(dialog) => self.dialog(dialog, self.attention_for(dialog, now)),
            None => self.input_area(now),
        };
        let room = self.size.rows.saturating_sub(1);
        let lower = cut_top(lower, room);
        let mut lines = self.upper(now);
        let upper_room = room - lower.lines.len();
        if lines.len() > upper_room {
            lines.drain(..lines.len() - upper_room);
        }
        let above = lines.len();
        lines.extend(lower.lines);
        Live {
            lines,
            cursor: lower.cursor.map(|(row, column)| (above + row, column)),
        }
    }

    /// Draws a dialog, and below it what was sent meanwhile: it isn't an answer, and waits.
    fn dialog(&self, dialog: &Open, heed: KeyHandling) -> Live {
        let columns = self.size.columns;
        let hint = self.hint.map(|hint| Line::new(hint, Tone::Warning));
        let mut below = wrap_all(hint.as_slice(), columns, 0);
        below.extend(self.waiting_lines());
        let rows = self.size.rows.saturating_sub(below.len());
        let mut live = dialog.live(Size { columns, rows }, heed);
        live.lines.extend(below);
        live
    }

    /// Draws what was sent and waits for its turn.
    fn waiting_lines(&self) -> Vec<Line> {
        let columns = self.size.columns;
        let worded = |text: &String| {
            let text = format!("  next: {}", visible_row(text));
            Line::new(text, Tone::Faint).cut(columns)
        };
        self.waiting.iter().map(worded).collect()
    }

    /// Draws a dialog that doesn't accept keys yet, and below it what is being typed.
    fn held_dialog(&self, dialog: &Open) -> Live {
        let columns = self.size.columns;
        let InputRows { lines, cursor } = self.input.rows(columns, 1);
        let search = self.input.search_line(columns);
        let hint = match self.typed_consent() {
            Some(Consent::Given) => "Enter allows the call, once.",
            Some(_) => "Enter refuses the call.",
            None if self.word().is_some() => {
                "Not an answer: it wasn't typed while the question was readable. Enter removes it."
            }
            None => "Keys go into your draft; the question accepts them once it is sent.",
        };
        let hint = wrap(&Line::new(hint, Tone::Warning), columns, 0);
        let below = lines.len() + hint.len() + search.iter().len();
        let rows = self.size.rows.saturating_sub(below);
        let mut live = dialog.live(Size { columns, rows }, KeyHandling::NotYet);
        live.lines.extend(hint);
        live.cursor = Some((live.lines.len() + cursor.0, cursor.1));
        live.lines.extend(lines);
        live.lines.extend(search);
        live
    }

    /// Draws what is in progress: text of the model and running tools.
    fn upper(&self, now: Instant) -> Vec<Line> {
        let columns = self.size.columns;
        let mut lines = Vec::new();
        let text = self.stream.tail(self.size, self.palette);
        // During a question, nothing else may move on the screen.
        let tools = if self.dialogs.is_empty() {
            self.activity.tool_lines(columns, now)
        } else {
            Vec::new()
        };
        for part in [text, tools] {
            if !part.is_empty() {
                lines.push(Line::default());
                lines.extend(part);
            }
        }
        lines.push(Line::default());
        lines
    }

    fn input_area(&self, now: Instant) -> Live {
        let columns = self.size.columns;
        let mut lines = Vec::new();
        let state = match self.phase {
            Phase::Idle => None,
            Phase::Busy { since } if self.activity.has_tools() => Some(("Working…", since)),
            Phase::Busy { since } => Some(("Thinking…", since)),
            Phase::Cancelling { since } => Some(("Cancelling…", since)),
        };
        if let Some((state, since)) = state {
            let elapsed = now.duration_since(since);
            lines.push(self.activity.busy_line(state, elapsed, columns));
        }
        lines.extend(self.waiting_lines());
        lines.push(window::rule(columns));
        let most = (self.size.rows / INPUT_SHARE).max(1);
        let InputRows {
            lines: input,
            cursor: (row, column),
        } = self.input.rows(columns, most);
        let cursor = Some((lines.len() + row, column));
        lines.extend(input);
        let popup = self.input.popup(columns);
        if popup.is_empty() {
            lines.extend(self.footer(columns));
        } else {
            lines.extend(popup);
        }
        Live { lines, cursor }
    }

    /// Returns what is running, and for how long, in one line.
    pub(crate) fn busy_text(&self, now: Instant) -> String {
        let since = match self.phase {
            Phase::Idle => now,
            Phase::Busy { since } | Phase::Cancelling { since } => since,
        };
        let line = self.activity.busy_text();
        let took = seconds(now.duration_since(since));
        format!("{line} ({took}, Ctrl+C cancels)")
    }

    /// Draws what is below the input line: what the next key may do is never cut.
    fn footer(&self, columns: usize) -> Vec<Line> {
        if let Some(hint) = self.hint {
            return wrap(&Line::new(hint, Tone::Warning), columns, 0);
        }
        let status = status_text(&self.status, columns);
        vec![Line::new(status, Tone::Faint).cut(columns)]
    }
}

/// Formats the status; if it is too long, the folder is shortened first.
fn status_text(status: &Status, columns: usize) -> String {
    let hooks = match status.hooks {
        0 => "no hooks".to_owned(),
        1 => "1 hook".to_owned(),
        count => format!("{count} hooks"),
    };
    let rest = format!(
        "{} · {} · {hooks}",
        visible_row(&status.model),
        visible_row(&status.approval_mode)
    );
    let folder = visible_row(&status.folder);
    let name = folder.rsplit('/').next().unwrap_or_default();
    let fits = |text: &String| crate::styled::width(text) <= columns;
    [format!("{folder} · {rest}"), format!("{name} · {rest}")]
        .into_iter()
        .find(fits)
        .unwrap_or(rest)
}

/// Removes the first lines if there are too many.
fn cut_top(live: Live, rows: usize) -> Live {
    let too_many = live.lines.len().saturating_sub(rows);
    if too_many == 0 {
        return live;
    }
    Live {
        lines: live.lines.into_iter().skip(too_many).collect(),
        cursor: live
            .cursor
            .map(|(row, column)| (row.saturating_sub(too_many), column)),
    }
}
