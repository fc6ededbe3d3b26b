//! Whether a terminal can be told which address a row is a part of (TU-4).

use crate::environment::Environment;

/// Variables that only such terminals set.
const SET_BY: [&str; 7] = [
    "WT_SESSION",
    "KITTY_WINDOW_ID",
    "WEZTERM_PANE",
    "ALACRITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "GHOSTTY_RESOURCES_DIR",
    "DOMTERM",
];

/// Names by which such terminals call themselves in `TERM_PROGRAM`.
const PROGRAMS: [&str; 8] = [
    "iTerm.app",
    "WezTerm",
    "vscode",
    "ghostty",
    "Hyper",
    "Tabby",
    "rio",
    "zed",
];

/// Parts of their names in `TERM`.
const KINDS: [&str; 5] = ["kitty", "foot", "alacritty", "ghostty", "wezterm"];

/// The first version of VTE that knows such addresses: that of GNOME's terminal and others.
const VTE: u32 = 5_000;

impl Environment {
    /// Returns whether the terminal says that it knows hyperlinks, or is one that does. A
    /// multiplexer that runs in it may not pass them on.
    pub(crate) fn has_hyperlinks(&self) -> bool {
        let term = self.text("TERM").unwrap_or_default();
        let is_wrapped = ["screen", "tmux"].iter().any(|it| term.starts_with(it));
        match self.text("FORCE_HYPERLINK").as_deref() {
            Some("0" | "false") => return false,
            Some(_) => return true,
            None if is_wrapped => return false,
            None => {}
        }
        let program = self.text("TERM_PROGRAM").unwrap_or_default();
        let vte = self.text("VTE_VERSION").and_then(|it| it.parse().ok());
        SET_BY.iter().any(|it| self.text(it).is_some())
            || PROGRAMS.contains(&program.as_str())
            || KINDS.iter().any(|it| term.contains(it))
            || vte.is_some_and(|it: u32| it >= VTE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-4: hyperlinks are written where a terminal is known to understand them, or the user says
    /// so.
    #[test]
    fn hyperlinks_are_for_terminals_that_know_them() {
        for (variables, expected) in [
            (&[("TERM", "xterm-256color")][..], false),
            (&[("TERM", "linux")], false),
            (&[("TERM", "xterm-kitty")], true),
            (&[("TERM_PROGRAM", "WezTerm")], true),
            (&[("TERM_PROGRAM", "Apple_Terminal")], false),
            (&[("VTE_VERSION", "4602")], false),
            (&[("VTE_VERSION", "7200")], true),
            (&[("TERM", "tmux-256color"), ("VTE_VERSION", "7200")], false),
            (&[("TERM", "tmux-256color"), ("FORCE_HYPERLINK", "1")], true),
            (&[("TERM", "xterm-kitty"), ("FORCE_HYPERLINK", "0")], false),
        ] {
            let environment = Environment::from_variables(variables);
            assert_eq!(environment.has_hyperlinks(), expected, "{variables:?}");
        }
    }
}
