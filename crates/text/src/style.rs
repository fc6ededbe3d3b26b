//! Colours of text.

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// It isn't.
    Plain,
    /// It is.
    Coloured,
}

/// The role of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Text as it is.
    Plain,
    /// A heading, or the most important text.
    Strong,
    /// Something good.
    Good,
    /// Something to check.
    Warning,
    /// Something wrong.
    Error,
    /// Something less important.
    Faint,
}

impl Palette {
    /// Returns a text with a style.
    pub fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Strong => "1",
            Style::Good => "32",
            Style::Warning => "33",
            Style::Error => "1;31",
            Style::Faint => "2",
            Style::Plain => return text.to_owned(),
        };
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured if text.is_empty() => String::new(),
            Self::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}
