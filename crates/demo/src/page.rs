//! Lays out the timeline: a narrow column with labels, and a wide one with the events.

use hookloop_text::{Palette, Style, Terminal, columns, visible, wrap};

/// The maximum width of lines, in columns: longer ones are harder to read.
const MAX_WIDTH: usize = 80;

/// How far lines are indented, in columns.
const INDENT: usize = 2;

/// The width of the narrow column.
const LABEL: usize = 14;

/// The maximum number of lines shown of one text.
const MAX_LINES: usize = 6;

/// The mark at the beginning of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(pub(crate) &'static str, pub(crate) Style);

/// Nothing.
pub(crate) const NO_MARK: Mark = Mark("", Style::Plain);
/// Success.
pub(crate) const GOOD: Mark = Mark("✓ ", Style::Good);
/// A refusal, or a claim that isn't true.
pub(crate) const BAD: Mark = Mark("✗ ", Style::Error);
/// Needs attention.
pub(crate) const ATTENTION: Mark = Mark("! ", Style::Warning);
/// A consequence.
pub(crate) const SO: Mark = Mark("→ ", Style::Plain);
/// The old text.
pub(crate) const BEFORE: Mark = Mark("- ", Style::Error);
/// The new text.
pub(crate) const AFTER: Mark = Mark("+ ", Style::Good);
/// A continuation of the line above.
pub(crate) const INSIDE: Mark = Mark("  ", Style::Plain);

/// A text that grows line by line.
#[derive(Debug)]
pub(crate) struct Page {
    text: String,
    width: usize,
    palette: Palette,
}

impl Page {
    /// Creates a page for a terminal.
    pub(crate) fn new(terminal: Terminal) -> Self {
        let width = terminal.width.unwrap_or(MAX_WIDTH).min(MAX_WIDTH);
        Self {
            text: String::new(),
            width,
            palette: terminal.palette,
        }
    }

    /// Returns the text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Adds an empty line.
    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Adds a heading, with a rule that fills the line.
    pub(crate) fn heading(&mut self, text: &str) {
        let rule = "─".repeat(self.width.saturating_sub(columns(text) + 1));
        let text = self.palette.paint(Style::Strong, text);
        let rule = self.palette.paint(Style::Faint, &rule);
        self.text.extend(["\n", &text, " ", &rule, "\n\n"]);
    }

    /// Adds a paragraph over both columns.
    pub(crate) fn paragraph(&mut self, text: &str, style: Style) {
        for line in wrap(text, self.width.saturating_sub(INDENT)) {
            self.push_line(&self.palette.paint(style, &line));
        }
    }

    /// Adds a line over both columns that must stay as it is, so that it can be copied.
    pub(crate) fn verbatim(&mut self, text: &str, style: Style) {
        self.push_line(&format!("  {}", self.palette.paint(style, text)));
    }

    /// Adds a text in the wide column, with its label beside the first line.
    pub(crate) fn entry(&mut self, label: &str, mark: Mark, text: &str, style: Style) {
        let Mark(sign, sign_style) = mark;
        let hang = columns(sign);
        let room = self.width.saturating_sub(INDENT + LABEL + hang);
        let lines: Vec<&str> = text.lines().collect();
        let mut shown: Vec<String> = Vec::new();
        for line in lines.iter().take(MAX_LINES) {
            shown.extend(wrap(&visible(line), room));
        }
        if lines.len() > MAX_LINES {
            shown.push("…".to_owned());
        }
        if columns(label) >= LABEL {
            self.push_line(&self.palette.paint(Style::Strong, label));
        }
        for (index, line) in shown.iter().enumerate() {
            let (label, sign) = match index {
                0 if columns(label) < LABEL => (label, sign),
                0 => ("", sign),
                _ => ("", ""),
            };
            let label_gap = " ".repeat(LABEL - columns(label));
            let sign_gap = " ".repeat(hang - columns(sign));
            self.push_line(&format!(
                "{}{label_gap}{}{sign_gap}{}",
                self.palette.paint(Style::Strong, label),
                self.palette.paint(sign_style, sign),
                self.palette.paint(style, line)
            ));
        }
    }

    /// Adds lines, each with a mark, as in a diff.
    pub(crate) fn diff(&mut self, mark: Mark, text: &str) {
        for line in text.lines().take(MAX_LINES) {
            self.entry("", mark, line, mark.1);
        }
    }

    fn push_line(&mut self, line: &str) {
        let line = format!("{}{line}", " ".repeat(INDENT));
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// Returns the line of a hook's run.
pub(crate) fn hook_line(label: &str, milliseconds: f64, word: &str) -> String {
    format!("{:<17}{milliseconds:>6.0} ms  {word}", visible(label))
}
