//! Markdown blocks, with the prefix of their lines.

use crate::styled::{Line, Span, Tone};
use crate::wrap::wrap;

/// The prefix of the lines of an item or a quotation.
struct Prefix {
    /// The prefix of the next line, if it is the first one.
    first: Option<String>,
    rest: String,
}

/// The lines of a text so far.
pub(crate) struct Blocks {
    columns: usize,
    lines: Vec<Line>,
    prefixes: Vec<Prefix>,
}

impl Blocks {
    pub(crate) const fn new(columns: usize) -> Self {
        Self {
            columns,
            lines: Vec::new(),
            prefixes: Vec::new(),
        }
    }

    /// Begins a block, separated from the previous one by a blank line.
    pub(crate) fn begin(&mut self) {
        let begins_item = self.prefixes.iter().any(|prefix| prefix.first.is_some());
        if self.lines.is_empty() || begins_item {
            return;
        }
        let rest: String = self.prefixes.iter().map(|it| it.rest.as_str()).collect();
        self.lines.push(Line::new(rest.trim_end(), Tone::Faint));
    }

    /// Enters an item or a quotation.
    pub(crate) fn enter(&mut self, first: &str, rest: &str) {
        self.prefixes.push(Prefix {
            first: Some(first.to_owned()),
            rest: rest.to_owned(),
        });
    }

    /// Leaves it again.
    pub(crate) fn leave(&mut self) {
        let left = self.prefixes.pop();
        // An item without any text still shows its mark.
        if let Some(Prefix {
            first: Some(mark), ..
        }) = left
            && !mark.trim().is_empty()
        {
            let line = Line::new(mark.trim_end(), Tone::Faint);
            self.line(&line);
        }
    }

    /// Returns how many columns a line has.
    pub(crate) fn room(&self) -> usize {
        let used: usize = self.prefixes.iter().map(|it| it.rest.chars().count()).sum();
        self.columns.saturating_sub(used).max(8)
    }

    /// Adds a line, wrapped if necessary.
    pub(crate) fn line(&mut self, line: &Line) {
        for row in wrap(line, self.room(), 0) {
            let prefix: String = self
                .prefixes
                .iter_mut()
                .map(|it| it.first.take().unwrap_or_else(|| it.rest.clone()))
                .collect();
            let mut spans = Vec::with_capacity(row.0.len() + 1);
            if !prefix.is_empty() {
                spans.push(Span::new(prefix, Tone::Faint));
            }
            spans.extend(row.0);
            self.lines.push(Line(spans));
        }
    }

    /// Adds a rule.
    pub(crate) fn rule(&mut self) {
        let rule = "─".repeat(self.room().min(40));
        self.line(&Line::new(rule, Tone::Faint));
    }

    pub(crate) fn finish(self) -> Vec<Line> {
        self.lines
    }
}
