//! Makes the project's variables single words of a command, whatever they hold (ENV-2).

use std::borrow::Cow;

mod powershell;

pub(crate) use powershell::for_powershell;

/// The variables that are set for every hook (ENV-1) and substituted in its command.
pub(crate) const VARIABLES: [&str; 6] = [
    "GEMINI_PROJECT_DIR",
    "GEMINI_CWD",
    "GEMINI_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PLANS_DIR",
    // For hooks of extensions alone (EX-2).
    hookloop_hook::EXTENSION_PATH_VARIABLE,
];

/// Rewrites a command for `bash` or `sh`, as the shell's own reader does.
pub(crate) fn for_posix(command: &str) -> Cow<'_, str> {
    hookloop_shell::quote_references(command, &VARIABLES)
}

/// Finds one of our variables at the start of a text: `$NAME` or `${NAME}`.
pub(crate) fn reference(text: &str) -> Option<(&'static str, usize)> {
    hookloop_shell::reference(text, &VARIABLES)
}

#[cfg(test)]
mod tests;
