//! Command lines, as far as lists and rules compare them (TO-6).

use hookloop_events::ToolArguments;

/// Returns the command line of a call, empty where there is none.
pub(crate) fn command(arguments: &ToolArguments) -> &str {
    arguments
        .get("command")
        .and_then(serde_json::Value::as_str)
        .unwrap_or_default()
}

/// Splits a command line at the signs after which another command may begin.
pub(crate) fn commands_of(line: &str) -> impl Iterator<Item = &str> {
    line.split([';', '|', '&', '\n', '(', ')', '`', '{', '}'])
        .map(str::trim)
}

/// Tells whether a command line as a whole is a command that begins with these words.
pub(crate) fn covers_command(line: &str, prefix: &str) -> bool {
    is_simple(line) && begins_with(line, prefix)
}

/// Tells whether a command line is one command without any sign that could start another.
pub(crate) fn is_simple(line: &str) -> bool {
    !line.contains([';', '|', '&', '\n', '(', ')', '`', '{', '}', '$', '<', '>'])
}

/// Tells whether a command begins with these words.
pub(crate) fn begins_with(command: &str, prefix: &str) -> bool {
    command
        .trim()
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}
