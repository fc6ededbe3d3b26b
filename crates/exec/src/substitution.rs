//! Makes each of the project's variables a single word of a command, whatever it contains (ENV-2).

use std::borrow::Cow;

use hookloop_hook::COMMAND_VARIABLES;

mod powershell;

pub(crate) use powershell::for_powershell;

/// Rewrites a command for `bash` or `sh`, as the shell's own reader does.
pub(crate) fn for_posix(command: &str) -> Cow<'_, str> {
    hookloop_shell::quote_references(command, &COMMAND_VARIABLES)
}

/// Finds one of our variables at the start of a text: `$NAME` or `${NAME}`.
pub(crate) fn reference(text: &str) -> Option<(&'static str, usize)> {
    hookloop_shell::reference(text, &COMMAND_VARIABLES)
}

#[cfg(test)]
mod tests;
