//! The question about hooks that nobody has agreed to yet (TR-2): a component without effects.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::attention::{self, Attention, KeyHandling};
use crate::diff::diff_lines;
use crate::lines;
use crate::menu::Menu;
use crate::painter::Live;
use crate::styled::{Line, Style, Tone};
use crate::window;
use crate::wrap::wrap_all;
use hookloop_text::{visible_cells, visible_row};

/// A hook of the project that is new, or was changed since it was trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustItem {
    /// The event.
    pub event: String,
    /// The hook's name, else its command.
    pub label: String,
    /// The command.
    pub command: String,
    /// What else has to be seen before agreeing, each with its name: in which agents it runs, its
    /// environment, its rights, and that not everything that it runs can be watched.
    pub details: Vec<(String, String)>,
    /// Where it is configured: file, line and column.
    pub place: String,
    /// The files of the project that the command names.
    pub files: Vec<TrustFile>,
    /// What changed since it was trusted; empty for a new hook.
    pub changes: Option<Vec<String>>,
}

/// A file that a hook's command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustFile {
    /// Its path from the project's root.
    pub path: String,
    /// A remark about it, such as "changed".
    pub note: String,
    /// How it changed since it was trusted, as a unified diff.
    pub diff: Option<String>,
    /// Its content; shown if the hook is looked at individually.
    pub text: Option<String>,
}

/// The user's answer about the hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    /// They may run, as they were shown.
    Trust,
    /// Each has to be looked at, with its files, and decided individually.
    Review,
    /// They don't run in this session.
    SkipThisTime,
    /// No session starts.
    Quit,
}

/// The question, with the selected choice.
#[derive(Debug, Clone)]
pub(crate) struct TrustPrompt {
    count: usize,
    answers: &'static [TrustAnswer],
    menu: Menu,
    attention: Attention,
}

/// How much of the hooks is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustView {
    /// All of them, to be decided at once or looked at.
    List,
    /// One with the content of its files, to be decided individually.
    Opened,
}

impl TrustPrompt {
    pub(crate) fn new(items: &[TrustItem], view: TrustView, now: Instant) -> Self {
        use TrustAnswer::{Quit, Review, SkipThisTime, Trust};
        let answers: &[TrustAnswer] = match view {
            TrustView::List => &[Trust, Review, SkipThisTime, Quit],
            TrustView::Opened => &[Trust, SkipThisTime, Quit],
        };
        let mut attention = Attention::default();
        attention.ask();
        attention.show(now);
        let skip = answers.iter().position(|it| *it == SkipThisTime);
        let choices = answers.iter().map(|it| choice(*it).to_owned()).collect();
        Self {
            count: items.len(),
            answers,
            // Enter alone must not permit programs that somebody else wrote.
            menu: Menu::new(choices).marking(skip.unwrap_or_default()),
            attention,
        }
    }

    /// Takes a key; returns the answer, if there is one. Keys that were typed ahead, or that belong
    /// to a text, answer nothing (TU-3); keys that let nothing run take effect at once.
    pub(crate) fn key(&mut self, key: KeyEvent, now: Instant) -> Option<TrustAnswer> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            let leaves = matches!(key.code, KeyCode::Char('c' | 'd'));
            return leaves.then_some(TrustAnswer::Quit);
        }
        let is_held = !self.patience(now).is_zero();
        if self.menu.is_foreign(key) || (is_held && attention::letter(key).is_some()) {
            self.attention.write(now);
            return None;
        }
        if is_held && key.code != KeyCode::Esc {
            return None;
        }
        self.answers.get(self.menu.key(key)?).copied()
    }

    /// Returns how long it doesn't accept keys yet.
    pub(crate) fn patience(&self, now: Instant) -> Duration {
        self.attention.patience(now)
    }

    /// Takes a line, if nothing is painted: the number of a choice.
    pub(crate) fn line(&mut self, text: &str) -> Option<TrustAnswer> {
        let place = lines::number(text)?.checked_sub(1)?;
        self.answers.get(place).copied()
    }

    pub(crate) fn live(&self, columns: usize, heed: KeyHandling) -> Live {
        let question = match self.count {
            1 => "May this hook run?".to_owned(),
            count => format!("May these {count} hooks run?"),
        };
        let mut lines = vec![
            Line::default(),
            window::rule(columns),
            Line::new(question, Style::default().strong()),
        ];
        lines.extend(self.menu.lines(heed));
        Live {
            lines: wrap_all(&lines, columns, 5),
            cursor: None,
        }
    }
}

const fn choice(answer: TrustAnswer) -> &'static str {
    match answer {
        TrustAnswer::Trust => "Trust",
        TrustAnswer::Review => "Review each",
        TrustAnswer::SkipThisTime => "Skip this time",
        TrustAnswer::Quit => "Quit (esc)",
    }
}

/// Lists the hooks; the list goes to the scrollback, where all of it can be read.
pub(crate) fn list(items: &[TrustItem], view: TrustView, columns: usize) -> Vec<Line> {
    let intro = "This project brings hooks that nobody has agreed to yet. They are programs \
        that run on this machine as you.";
    let mut lines = wrap_all(&[Line::new(intro, Tone::Warning)], columns, 0);
    for item in items {
        lines.push(Line::default());
        lines.extend(wrap_all(&describe(item), columns, 4));
        if view == TrustView::Opened {
            lines.extend(wrap_all(&contents(item), columns, 4));
        }
    }
    lines
}

/// The contents of a hook's files.
fn contents(item: &TrustItem) -> Vec<Line> {
    let mut lines = Vec::new();
    for file in &item.files {
        let Some(text) = &file.text else { continue };
        let head = format!("  {}:", visible_row(&file.path));
        lines.push(Line::new(head, Style::default().strong()));
        let rows = text.lines().map(|row| format!("    {}", visible_row(row)));
        lines.extend(rows.map(|row| Line::new(row, Tone::Plain)));
    }
    lines
}

fn describe(item: &TrustItem) -> Vec<Line> {
    let standing = match item.changes {
        None => "new",
        Some(_) => "modified",
    };
    let head = Line::new(visible_row(&item.event), Style::from(Tone::Accent).strong())
        .with(
            format!(" {}", visible_row(&item.label)),
            Style::default().strong(),
        )
        .with(format!(" ({standing})"), Tone::Warning);
    let mut lines = vec![head];
    let field = |name: &str, text: &str| {
        Line::new(format!("  {name} "), Tone::Faint).with(visible_row(text), Tone::Plain)
    };
    for (index, line) in visible_cells(&item.command).lines().enumerate() {
        let name = if index == 0 { "  runs  " } else { "        " };
        lines.push(Line::new(name, Tone::Faint).with(line, Tone::Plain));
    }
    for (name, text) in &item.details {
        for (index, line) in visible_cells(text).lines().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            lines.push(field(&format!("{name:<5}"), line));
        }
    }
    for file in &item.files {
        lines.push(field("file ", &format!("{} ({})", file.path, file.note)));
    }
    lines.push(field("from ", &item.place));
    for change in item.changes.iter().flatten() {
        let text = format!("  {}", visible_row(change));
        lines.push(Line::new(text, Tone::Warning));
    }
    for diff in item.files.iter().filter_map(|file| file.diff.as_deref()) {
        for line in diff_lines(diff) {
            let mut spans = Line::plain("    ").0;
            spans.extend(line.0);
            lines.push(Line(spans));
        }
    }
    lines
}

#[cfg(test)]
mod tests;
