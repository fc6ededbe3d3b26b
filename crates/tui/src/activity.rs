//! What runs right now: tools and hooks.

use std::time::{Duration, Instant};

use crate::message::{CallLine, HookKey, HookLine};
use crate::scrollback::seconds;
use crate::styled::{Line, Style, Tone, width};
use hookloop_text::{visible_cells, visible_row};

/// How many lines of a running tool's output are shown.
const TAIL_LINES: usize = 3;
/// How many bytes of it are kept: enough for the widest terminal.
const TAIL_BYTES: usize = 4096;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// A tool call that was requested and isn't finished.
#[derive(Debug)]
struct RunningTool {
    call: CallLine,
    /// Since when it could run.
    since: Instant,
    /// The end of its output.
    tail: String,
}

/// The running tools and hooks, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    tools: Vec<RunningTool>,
    hooks: Vec<HookLine>,
}

impl Activity {
    pub(crate) fn tool_requested(&mut self, call: CallLine, now: Instant) {
        self.tools.push(RunningTool {
            call,
            since: now,
            tail: String::new(),
        });
    }

    /// Records that the user was asked about a tool until now: that time isn't the tool's.
    pub(crate) fn answered(&mut self, call_id: &str, now: Instant) {
        if let Some(tool) = self.tools.iter_mut().find(|it| it.call.id == call_id) {
            tool.since = now;
        }
    }

    pub(crate) fn tool_progress(&mut self, call_id: &str, text: &str) {
        if let Some(tool) = self.tools.iter_mut().find(|it| it.call.id == call_id) {
            tool.tail.push_str(text);
            if tool.tail.len() > TAIL_BYTES {
                let start = tool
                    .tail
                    .ceil_char_boundary(tool.tail.len() - TAIL_BYTES / 2);
                tool.tail.drain(..start);
            }
        }
    }

    /// Removes a tool, and returns since when it could run and the end of what it wrote.
    pub(crate) fn tool_finished(&mut self, call_id: &str) -> Option<(Instant, String)> {
        let place = self.tools.iter().position(|it| it.call.id == call_id)?;
        let tool = self.tools.remove(place);
        Some((tool.since, tool.tail))
    }

    pub(crate) fn hook_started(&mut self, hook: HookLine) {
        self.hooks.push(hook);
    }

    pub(crate) fn hook_finished(&mut self, key: &HookKey) {
        if let Some(place) = self.hooks.iter().position(|it| it.key == *key) {
            self.hooks.remove(place);
        }
    }

    /// Forgets everything: the work is over, however it ended.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn has_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Draws the running tools.
    pub(crate) fn tool_lines(&self, columns: usize, now: Instant) -> Vec<Line> {
        let mut lines = Vec::new();
        for tool in &self.tools {
            let name = visible_row(&tool.call.tool);
            let head = Line::new("• ", Tone::Accent).with(name, Style::default().strong());
            let took = format!(" {}", seconds(now.duration_since(tool.since)));
            let room = columns.saturating_sub(took.len());
            let summary = tool.call.summary.within(room.saturating_sub(head.width()));
            let head = head.with(summary, Tone::Plain).cut(room);
            lines.push(head.with(took, Tone::Faint));
            let tail = visible_cells(&tool.tail);
            let shown: Vec<&str> = tail.lines().rev().take(TAIL_LINES).collect();
            for line in shown.into_iter().rev() {
                lines.push(Line::new(format!("  {line}"), Tone::Faint).cut(columns));
            }
        }
        lines
    }

    /// Returns what is running, in a few words.
    pub(crate) fn busy_text(&self) -> String {
        let hooks = self.hooks.iter().map(|hook| visible_row(&hook.text));
        let tools = self.tools.iter().map(|it| visible_row(&it.call.tool));
        let running: Vec<String> = hooks.chain(tools).collect();
        if running.is_empty() {
            "Still thinking".to_owned()
        } else {
            format!("Still running: {}", running.join(", "))
        }
    }

    /// Draws the line that says what the agent is doing, with the time since it began. If it
    /// doesn't fit, the remark is shortened first, and then the activity is cut.
    pub(crate) fn busy_line(&self, state: &str, elapsed: Duration, columns: usize) -> Line {
        let turn = usize::try_from(elapsed.as_millis() / 100).unwrap_or_default();
        let spinner = SPINNER[turn % SPINNER.len()];
        let mut hooks = self.hooks.iter().map(|hook| visible_row(&hook.text));
        let what = match hooks.next() {
            None => state.to_owned(),
            Some(first) => hooks.fold(first, |text, hook| format!("{text}, {hook}")),
        };
        let doing = Line::new(format!("{spinner} "), Tone::Accent).with(what, Tone::Plain);
        let took = seconds(elapsed);
        let whole = format!(" (esc to cancel, {took})");
        if doing.width() + width(&whole) <= columns {
            return doing.with(whole, Tone::Faint);
        }
        let short = format!(" (esc, {took})");
        doing
            .cut(columns.saturating_sub(width(&short)))
            .with(short, Tone::Faint)
            .cut(columns)
    }
}
