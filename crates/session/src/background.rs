//! Whether a terminal's background is light or dark (TU-5).

use crate::environment::Environment;

/// What a terminal's background is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Background {
    /// Text on it has to be dark.
    Light,
    /// Text on it has to be light.
    Dark,
    /// The terminal doesn't say.
    Unknown,
}

impl Environment {
    /// Returns what the terminal says about its background (TU-5): the last number of `COLORFGBG`
    /// is its colour, and 7 and those above 8 are light. If it says nothing and has sixteen colours
    /// at most, it is an old one, and those are dark.
    pub(crate) fn terminal_background(&self) -> Background {
        let colours = self.text("COLORFGBG").unwrap_or_default();
        let background = colours.rsplit(';').next().map(str::parse::<u8>);
        match background {
            Some(Ok(7 | 9..=15)) => Background::Light,
            Some(Ok(0..=8)) => Background::Dark,
            _ if self.has_many_colours() => Background::Unknown,
            _ => Background::Dark,
        }
    }

    fn has_many_colours(&self) -> bool {
        let term = self.text("TERM").unwrap_or_default();
        term.contains("256color") || term.contains("direct") || self.text("COLORTERM").is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-5: the background is what the terminal says; if it says nothing, colours have to be
    /// readable on both if there are enough of them.
    #[test]
    fn the_background_is_what_the_terminal_says() {
        let cases = [
            ("0;15", "xterm-256color", Background::Light),
            ("15;default;0", "xterm-256color", Background::Dark),
            ("12;8", "linux", Background::Dark),
            ("0;7", "linux", Background::Light),
            ("0;default", "xterm-256color", Background::Unknown),
            ("", "tmux-256color", Background::Unknown),
            ("", "linux", Background::Dark),
        ];
        for (colours, term, expected) in cases {
            let variables = [("COLORFGBG", colours), ("TERM", term)];
            let environment = Environment::from_variables(&variables);
            assert_eq!(
                environment.terminal_background(),
                expected,
                "{colours:?} {term}"
            );
        }
    }
}
