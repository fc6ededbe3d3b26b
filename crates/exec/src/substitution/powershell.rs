//! The same for PowerShell, whose environment variables have a prefix.

use std::borrow::Cow;

use hookloop_hook::COMMAND_VARIABLES;

use super::reference;

/// Rewrites a command for PowerShell: `$NAME` becomes `${env:NAME}`, which is one word inside and
/// outside double quotes. Single quotes and the backtick keep a reference as it is.
pub(crate) fn for_powershell(command: &str) -> Cow<'_, str> {
    if !COMMAND_VARIABLES.iter().any(|name| command.contains(name)) {
        return Cow::Borrowed(command);
    }
    let mut output = String::with_capacity(command.len() + 16);
    let mut rest = command;
    let (mut single, mut double) = (false, false);
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        match character {
            '`' if !single => length += rest[length..].chars().next().map_or(0, char::len_utf8),
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' if !single => {
                if let Some((name, length)) = reference(rest) {
                    output.push_str("${env:");
                    output.push_str(name);
                    output.push('}');
                    rest = &rest[length..];
                    continue;
                }
            }
            _ => {}
        }
        output.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(output)
}
