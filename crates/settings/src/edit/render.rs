//! Formats new values in the style of the file around them.

use serde_json::Value;

/// How a file is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// What ends a line.
    pub(super) line_end: &'static str,
    /// One step of indentation.
    pub(super) step: String,
}

/// Where a new value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// On one line with its neighbours.
    Inline,
    /// On lines of its own, after this indentation.
    Lines { indent: String },
}

/// What a list or an object is between.
struct Brackets {
    open: char,
    close: char,
}

impl Brackets {
    const ARRAY: Self = Self {
        open: '[',
        close: ']',
    };
    const OBJECT: Self = Self {
        open: '{',
        close: '}',
    };
}

impl Style {
    /// Reads the style of a text; two spaces and `\n` if there is none to see.
    pub(super) fn of(text: &str) -> Self {
        let line_end = match text.find(['\n', '\r']) {
            Some(at) if text[at..].starts_with("\r\n") => "\r\n",
            // The file uses lone carriage returns; a single one among line feeds doesn't count.
            Some(at) if text[at..].starts_with('\r') && !text.contains('\n') => "\r",
            _ => "\n",
        };
        let step = text
            .split(['\n', '\r'])
            .find(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with('"'))
            .map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
        Self {
            line_end,
            step: step.to_owned(),
        }
    }

    /// Renders a value; the first line goes where the caller is.
    pub(super) fn render(&self, value: &Value, layout: &Layout) -> String {
        let mut text = String::new();
        self.write(&mut text, value, layout);
        text
    }

    fn write(&self, text: &mut String, value: &Value, layout: &Layout) {
        match value {
            Value::Array(list) => {
                let items = list.iter().map(|item| (None, item));
                self.write_all(text, &Brackets::ARRAY, items, layout);
            }
            Value::Object(object) => {
                let items = object.iter().map(|(key, item)| (Some(key.as_str()), item));
                self.write_all(text, &Brackets::OBJECT, items, layout);
            }
            scalar => text.push_str(&scalar.to_string()),
        }
    }

    fn write_all<'v>(
        &self,
        text: &mut String,
        brackets: &Brackets,
        items: impl Iterator<Item = (Option<&'v str>, &'v Value)>,
        layout: &Layout,
    ) {
        let inner = self.indented(layout);
        text.push(brackets.open);
        let mut count = 0;
        for (key, item) in items {
            match &inner {
                Layout::Lines { indent } => {
                    let comma = if count > 0 { "," } else { "" };
                    text.extend([comma, self.line_end, indent]);
                }
                Layout::Inline if count > 0 => text.push_str(", "),
                Layout::Inline => {}
            }
            if let Some(key) = key {
                text.extend([quote(key).as_str(), ": "]);
            }
            self.write(text, item, &inner);
            count += 1;
        }
        if let (Layout::Lines { indent }, true) = (layout, count > 0) {
            text.extend([self.line_end, indent]);
        }
        text.push(brackets.close);
    }

    /// Returns the layout of what is inside a value.
    pub(super) fn indented(&self, layout: &Layout) -> Layout {
        match layout {
            Layout::Inline => Layout::Inline,
            Layout::Lines { indent } => Layout::Lines {
                indent: format!("{indent}{}", self.step),
            },
        }
    }
}

/// Writes a text as a JSON string.
pub(super) fn quote(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
