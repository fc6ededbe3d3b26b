//! Styled text, as the painter writes it.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

/// Whether the terminal is told which address a row is a part of (OSC 8), so that one that is
/// broken can be opened and copied whole (TU-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hyperlinks {
    /// It knows what that means.
    Written,
    /// It may not.
    Plain,
}

/// How text is coloured (`NO_COLOR`, TU-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// No colours and no styles.
    Plain,
    /// Colours for a dark background.
    Dark,
    /// Colours for a light background.
    Light,
    /// Colours for both, because the background isn't known.
    Either,
}

/// The role of a piece of text.
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
    /// A keyword of a programming language.
    Keyword,
    /// A string in code.
    Literal,
    /// A number in code.
    Number,
    /// A function or a type in code.
    Named,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
    /// Another line of a diff.
    Unchanged,
}

impl Tone {
    /// Returns whether it is that of a diff's line.
    pub(crate) const fn is_of_diff(self) -> bool {
        matches!(self, Self::Added | Self::Removed | Self::Unchanged)
    }

    /// Red and magenta are too dark on black in most terminals: their bright ones aren't.
    const fn on_dark(self) -> Option<&'static str> {
        match self {
            Self::Plain | Self::Unchanged => None,
            Self::Faint => Some("2"),
            Self::Accent | Self::Code | Self::Named => Some("36"),
            Self::Good | Self::Literal | Self::Added => Some("32"),
            Self::Warning | Self::Number => Some("33"),
            Self::Keyword => Some("95"),
            Self::Bad | Self::Removed => Some("91"),
            Self::Link => Some("4"),
        }
    }

    /// Cyan and yellow can't be read on white, nor can most terminals' own green, nor what they use
    /// for faint black text: this green has a contrast of 4.7 there, and this grey one of 5.2.
    const fn on_light(self) -> Option<&'static str> {
        match self {
            Self::Plain | Self::Unchanged => None,
            Self::Faint => Some("38;5;242"),
            Self::Accent | Self::Code | Self::Named => Some("34"),
            Self::Warning | Self::Keyword | Self::Number => Some("35"),
            Self::Good | Self::Literal | Self::Added => Some("38;5;28"),
            Self::Bad | Self::Removed => Some("31"),
            Self::Link => Some("4"),
        }
    }

    /// Colours of fixed value with a contrast of at least 3.9, on black and on white.
    const fn on_either(self) -> Option<&'static str> {
        match self {
            Self::Plain | Self::Unchanged => None,
            Self::Faint => Some("38;5;244"),
            Self::Accent | Self::Code | Self::Named => Some("38;5;31"),
            Self::Good | Self::Literal | Self::Added => Some("38;5;28"),
            Self::Warning | Self::Number => Some("38;5;130"),
            Self::Keyword => Some("38;5;133"),
            Self::Bad | Self::Removed => Some("38;5;160"),
            Self::Link => Some("4"),
        }
    }
}

/// The weight of a piece of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Weight {
    #[default]
    Normal,
    Strong,
}

/// Whether a piece of text is italic.
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
        let tone = match palette {
            Palette::Plain => return None,
            Palette::Dark => self.tone.on_dark(),
            Palette::Light => self.tone.on_light(),
            Palette::Either => self.tone.on_either(),
        };
        let weight = (self.weight == Weight::Strong).then_some("1");
        let slant = (self.slant == Slant::Italic).then_some("3");
        let codes: Vec<&str> = [weight, slant, tone].into_iter().flatten().collect();
        (!codes.is_empty()).then(|| format!("\x1b[{}m", codes.join(";")))
    }
}

/// A piece of text with one look; it contains nothing that a terminal would obey.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
    /// The address that it is a part of, where the address is broken.
    pub(crate) address: Option<Arc<str>>,
}

impl Span {
    pub(crate) fn new(text: impl Into<String>, style: impl Into<Style>) -> Self {
        Self {
            text: text.into(),
            style: style.into(),
            address: None,
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

    /// Returns its width on a terminal that shows the parts of an emoji side by side.
    pub(crate) fn widest(&self) -> usize {
        let pieces = self.0.iter().flat_map(|span| span.text.graphemes(true));
        let widest = |piece: &str| {
            let mut letter = [0; 4];
            let apart = piece.chars().map(|it| width(it.encode_utf8(&mut letter)));
            width(piece).max(apart.sum())
        };
        pieces.map(widest).sum()
    }

    /// Returns whether it is a line of a diff.
    pub(crate) fn is_of_diff(&self) -> bool {
        self.0.iter().any(|it| it.style.tone.is_of_diff())
    }

    /// Returns its text without its look.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|span| span.text.as_str()).collect()
    }

    /// Cuts it to this many columns, with a mark where something is missing.
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

#[cfg(test)]
mod tests {
    use super::*;

    const TONES: [Tone; 13] = [
        Tone::Faint,
        Tone::Accent,
        Tone::Good,
        Tone::Warning,
        Tone::Bad,
        Tone::Code,
        Tone::Link,
        Tone::Keyword,
        Tone::Literal,
        Tone::Number,
        Tone::Named,
        Tone::Added,
        Tone::Removed,
    ];

    /// Returns the relative luminance of a colour of the fixed palette, or of one of the first
    /// eight as most terminals show them.
    fn luminance(code: &str) -> f64 {
        let step = |level: u8| if level == 0 { 0 } else { 55 + 40 * level };
        let [red, green, blue] = match code.strip_prefix("38;5;").map(str::parse::<u8>) {
            Some(Ok(grey @ 232..)) => [8 + 10 * (grey - 232); 3],
            Some(Ok(cube @ 16..)) => {
                let cube = cube - 16;
                [step(cube / 36), step(cube / 6 % 6), step(cube % 6)]
            }
            _ => match code {
                "31" => [205, 0, 0],
                "34" => [0, 0, 238],
                "35" => [205, 0, 205],
                other => panic!("{other} isn't a colour of a known value"),
            },
        };
        let linear = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// TU-5: every tone can be read on a light background, and on both if the background isn't
    /// known.
    #[test]
    fn colours_can_be_read_on_their_ground() {
        for tone in TONES {
            let on = |palette| Style::from(tone).sequence(palette).unwrap();
            for palette in [Palette::Light, Palette::Either] {
                let sequence = on(palette);
                let code = sequence.trim_start_matches("\x1b[").trim_end_matches('m');
                if code == "4" {
                    continue;
                }
                let luminance = luminance(code);
                let on_white = 1.05 / (luminance + 0.05);
                assert!(on_white > 3.9, "{tone:?} {palette:?}: {on_white}");
                let on_black = (luminance + 0.05) / 0.05;
                assert!(
                    palette == Palette::Light || on_black > 3.8,
                    "{tone:?}: {on_black}"
                );
            }
        }
    }
}
