//! Text with a look: what the painter writes.

use unicode_segmentation::UnicodeSegmentation;

/// Says how text is coloured (`NO_COLOR`, TU-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// Text is plain: no colour and no other look.
    Plain,
    /// Colours that can be read on a dark ground.
    Dark,
    /// Colours that can be read on a light ground.
    Light,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    #[default]
    Plain,
    Faint,
    Accent,
    Good,
    Warning,
    Bad,
    Code,
    Link,
    /// A word that a programming language keeps for itself.
    Keyword,
    /// A text in code.
    Literal,
    /// A number in code.
    Number,
    /// What is called, or a name for a type, in code.
    Named,
}

/// How heavy a piece of text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Weight {
    #[default]
    Normal,
    Strong,
}

/// Whether a piece of text leans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Slant {
    #[default]
    Upright,
    Italic,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) tone: Tone,
    pub(crate) weight: Weight,
    pub(crate) slant: Slant,
}

impl From<Tone> for Style {
    fn from(tone: Tone) -> Self {
        Self {
            tone,
            ..Self::default()
        }
    }
}

impl Style {
    pub(crate) const fn strong(self) -> Self {
        Self {
            weight: Weight::Strong,
            ..self
        }
    }

    pub(crate) const fn italic(self) -> Self {
        Self {
            slant: Slant::Italic,
            ..self
        }
    }

    /// Returns the sequence that gives text this look, or nothing if it has none.
    pub(crate) fn sequence(self, palette: Palette) -> Option<String> {
        if palette == Palette::Plain {
            return None;
        }
        let is_light = palette == Palette::Light;
        let tone = match self.tone {
            Tone::Plain => None,
            Tone::Faint => Some("2"),
            // Cyan and yellow can't be read on white.
            Tone::Accent | Tone::Code | Tone::Named if is_light => Some("34"),
            Tone::Warning | Tone::Keyword | Tone::Number if is_light => Some("35"),
            // Nor can most terminals' own green; this one has a contrast of 4.7 there.
            Tone::Good | Tone::Literal if is_light => Some("38;5;28"),
            Tone::Accent | Tone::Code | Tone::Named => Some("36"),
            Tone::Good | Tone::Literal => Some("32"),
            Tone::Warning | Tone::Number => Some("33"),
            Tone::Keyword => Some("35"),
            Tone::Bad => Some("31"),
            Tone::Link => Some("4"),
        };
        let weight = (self.weight == Weight::Strong).then_some("1");
        let slant = (self.slant == Slant::Italic).then_some("3");
        let codes: Vec<&str> = [weight, slant, tone].into_iter().flatten().collect();
        (!codes.is_empty()).then(|| format!("\x1b[{}m", codes.join(";")))
    }
}

/// A piece of text with one look; it holds nothing that a terminal would obey.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
}

impl Span {
    pub(crate) fn new(text: impl Into<String>, style: impl Into<Style>) -> Self {
        Self {
            text: text.into(),
            style: style.into(),
        }
    }
}

/// A line of styled text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line(pub(crate) Vec<Span>);

impl Line {
    pub(crate) fn new(text: impl Into<String>, style: impl Into<Style>) -> Self {
        Self(vec![Span::new(text, style)])
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Style::default())
    }

    pub(crate) fn with(mut self, text: impl Into<String>, style: impl Into<Style>) -> Self {
        self.0.push(Span::new(text, style));
        self
    }

    /// Returns how many columns it takes.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|span| width(&span.text)).sum()
    }

    /// Returns its text without its look.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

    /// Cuts it to so many columns, with a mark where something is missing.
    pub(crate) fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns.saturating_sub(1);
        let mut spans = Vec::new();
        for span in self.0 {
            let mut text = String::new();
            for piece in span.text.graphemes(true) {
                let columns = width(piece);
                if columns > left {
                    text.push('…');
                    spans.push(Span::new(text, span.style));
                    return Self(spans);
                }
                left -= columns;
                text.push_str(piece);
            }
            spans.push(Span::new(text, span.style));
        }
        Self(spans)
    }
}

pub(crate) use hookloop_text::columns as width;
