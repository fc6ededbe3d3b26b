//! Makes the project's variables single words of a command, whatever they hold (ENV-2).
//!
//! The child has these variables in its environment too, so their text never enters the command:
//! an unquoted `$GEMINI_CWD` becomes `"${GEMINI_CWD}"`, and the shell does the rest. That is safe
//! where pasting the value would not be: a path with quotes or `$` in it stays a path.

use std::borrow::Cow;

mod powershell;
mod scanner;

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

/// Rewrites a command for `bash` or `sh`.
///
/// A command that can't be followed with certainty stays as it is: the shell then expands the
/// variables in its own way, or says what is wrong with the command.
pub(crate) fn for_posix(command: &str) -> Cow<'_, str> {
    if !VARIABLES.iter().any(|name| command.contains(name)) {
        return Cow::Borrowed(command);
    }
    scanner::Scanner::new(command)
        .rewrite()
        .map_or(Cow::Borrowed(command), Cow::Owned)
}

/// Finds one of our variables at the start of a text: `$NAME` or `${NAME}`.
///
/// Returns its name and how long the reference is. `$NAME_MORE` is another variable.
pub(crate) fn reference(text: &str) -> Option<(&'static str, usize)> {
    let rest = text.strip_prefix('$')?;
    let (rest, closed) = match rest.strip_prefix('{') {
        Some(inner) => (inner, true),
        None => (rest, false),
    };
    let length = rest
        .find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .unwrap_or(rest.len());
    let name = VARIABLES
        .into_iter()
        .find(|name| *name == &rest[..length])?;
    if !closed {
        return Some((name, 1 + length));
    }
    rest[length..]
        .starts_with('}')
        .then_some((name, 3 + length))
}

#[cfg(test)]
mod tests;
