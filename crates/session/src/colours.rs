//! Which colours a terminal shows so that they can be read (TU-5).

use crate::environment::Environment;

/// How light the ground of the terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// Text on it has to be dark.
    Light,
    /// Text on it has to be light.
    Dark,
    /// The terminal doesn't say.
    Unknown,
}

impl Environment {
    /// Returns what the terminal says of its ground (TU-5): the last number of `COLORFGBG` is its colour, and
    /// 7 and those above 8 are light. Where it says nothing and has sixteen colours at most, it is an old one,
    /// and those are dark.
    pub(crate) fn ground(&self) -> Ground {
        let colours = self.text("COLORFGBG").unwrap_or_default();
        let ground = colours.rsplit(';').next().map(str::parse::<u8>);
        match ground {
            Some(Ok(7 | 9..=15)) => Ground::Light,
            Some(Ok(0..=8)) => Ground::Dark,
            _ if self.has_many_colours() => Ground::Unknown,
            _ => Ground::Dark,
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

    /// TU-5: the ground is what the terminal says; where it says nothing, colours have to be readable on both
    /// if there are enough of them.
    #[test]
    fn the_ground_is_what_the_terminal_says() {
        let cases = [
            ("0;15", "xterm-256color", Ground::Light),
            ("15;default;0", "xterm-256color", Ground::Dark),
            ("12;8", "linux", Ground::Dark),
            ("0;7", "linux", Ground::Light),
            ("0;default", "xterm-256color", Ground::Unknown),
            ("", "tmux-256color", Ground::Unknown),
            ("", "linux", Ground::Dark),
        ];
        for (colours, term, expected) in cases {
            let variables = [("COLORFGBG", colours), ("TERM", term)];
            let environment = Environment::of_variables(&variables);
            assert_eq!(environment.ground(), expected, "{colours:?} {term}");
        }
    }
}
