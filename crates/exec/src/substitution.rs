//! Makes each of the project's variables a single word of a command, whatever it contains (ENV-2).

use std::borrow::Cow;

use hookloop_hook::COMMAND_VARIABLES;

/// Rewrites a command for `bash` or `sh`, as the shell's own reader does.
pub(crate) fn for_posix(command: &str) -> Cow<'_, str> {
    hookloop_shell::quote_references(command, &COMMAND_VARIABLES)
}

/// Finds one of our variables at the start of a text: `$NAME` or `${NAME}`.
pub(crate) fn reference(text: &str) -> Option<(&'static str, usize)> {
    hookloop_shell::reference(text, &COMMAND_VARIABLES)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_rewritten(command: &str, expected: &str) {
        assert_eq!(for_posix(command), expected, "{command}");
    }

    /// ENV-2: outside of quotes a reference becomes one word; both spellings, all names.
    #[test]
    fn unquoted_references_are_quoted() {
        assert_rewritten("$GEMINI_PROJECT_DIR/x", "\"${GEMINI_PROJECT_DIR}\"/x");
        assert_rewritten("cat ${GEMINI_CWD}/x", "cat \"${GEMINI_CWD}\"/x");
        assert_rewritten("a=$CLAUDE_PROJECT_DIR", "a=\"${CLAUDE_PROJECT_DIR}\"");
        assert_rewritten("x $GEMINI_SESSION_ID;", "x \"${GEMINI_SESSION_ID}\";");
        assert_rewritten("x$GEMINI_PLANS_DIR", "x\"${GEMINI_PLANS_DIR}\"");
        assert_rewritten("$GEMINI_CWDS '$GEMINI_CWD'", "$GEMINI_CWDS '$GEMINI_CWD'");
    }

    /// ENV-2: the names as PowerShell spells them.
    #[test]
    fn powershell_reads_the_environment() {
        assert_eq!(
            for_powershell(
                "& $GEMINI_CWD/x \"${GEMINI_CWD}\" '$GEMINI_CWD' `$GEMINI_CWD $GEMINI_CWDS"
            ),
            "& ${env:GEMINI_CWD}/x \"${env:GEMINI_CWD}\" '$GEMINI_CWD' `$GEMINI_CWD $GEMINI_CWDS",
        );
    }
}
