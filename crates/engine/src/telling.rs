//! The line of a stream that says what went wrong, for people (IO-14, IO-25).

/// What a failed step writes to standard error, in small letters.
const FAILED_STEPS: [&str; 8] = [
    "command not found",
    ": not found",
    "no such file or directory",
    "permission denied",
    "syntax error",
    "syntaxerror",
    "cannot find module",
    "is not recognized as",
];

/// Returns the line that says what went wrong: of a traceback its last, else the first line that
/// says something (IO-14, IO-25).
pub(crate) fn telling_line(text: &str) -> Option<String> {
    error_of_traceback(text).or_else(|| first_line(text))
}

/// Returns the line that tells of a failed step, if there is one (IO-25).
pub(crate) fn failed_step(text: &str) -> Option<String> {
    if let Some(error) = error_of_traceback(text) {
        return Some(error);
    }
    let tells = |line: &&str| {
        let line = line.to_ascii_lowercase();
        FAILED_STEPS.iter().any(|sign| line.contains(sign))
    };
    text.lines().find(tells).map(|line| line.trim().to_owned())
}

/// Returns the error that ends a traceback of Python or Node.
fn error_of_traceback(text: &str) -> Option<String> {
    if text.contains("Traceback (most recent call last)") {
        return last_unindented(text.lines());
    }
    // Python has no traceback of what it could not read: the place, the line, then the error.
    let is_place = |line: &str| line.starts_with("  File \"") && line.contains(", line ");
    let is_error = |line: &str| line.starts_with("SyntaxError") || is_of_syntax(line);
    if text.lines().any(is_place) {
        return last_unindented(text.lines().filter(|line| is_error(line)));
    }
    let is_frame = |line: &str| line.trim_start().starts_with("at ") && line.starts_with(' ');
    if !text.lines().any(is_frame) {
        return None;
    }
    // The stack follows the error, and the version of the program follows the stack.
    last_unindented(text.lines().filter(|line| {
        let name = line.split(':').next().unwrap_or_default();
        name.split_whitespace()
            .next()
            .is_some_and(|word| word.ends_with("Error") || word.ends_with("Exception"))
    }))
}

/// Tells whether a line names one of Python's errors of syntax that have names of their own.
fn is_of_syntax(line: &str) -> bool {
    line.starts_with("IndentationError") || line.starts_with("TabError")
}

fn last_unindented<'t>(lines: impl DoubleEndedIterator<Item = &'t str>) -> Option<String> {
    let says = |line: &&str| !line.trim().is_empty() && !line.starts_with([' ', '\t']);
    lines
        .rev()
        .find(says)
        .map(|line| line.trim_end().to_owned())
}

/// Returns the first line that says something.
fn first_line(text: &str) -> Option<String> {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHON: &str = "warming up\nTraceback (most recent call last):\n  File \"g.py\", line 3, \
        in <module>\n    import yaml\nModuleNotFoundError: No module named 'yaml'\n";
    const NODE: &str = "/p/guard.js:3\n  nope();\n  ^\n\nReferenceError: nope is not defined\n    \
        at Object.<anonymous> (/p/guard.js:3:3)\n    at node:internal/main:1\n\nNode.js v22.1.0\n";

    /// IO-25: the telling line of a traceback is its last one, never the first.
    #[test]
    fn a_traceback_is_told_by_its_error() {
        let python = "ModuleNotFoundError: No module named 'yaml'";
        let node = "ReferenceError: nope is not defined";
        for (text, expected) in [(PYTHON, python), (NODE, node)] {
            assert_eq!(telling_line(text).as_deref(), Some(expected));
            assert_eq!(failed_step(text).as_deref(), Some(expected));
        }
    }

    /// IO-14, IO-25: what Python could not read is told by its error, not by its place.
    #[test]
    fn an_error_of_syntax_is_told() {
        let text = "  File \"/p/guard\", line 2\n    print 'deny'\n    ^^^^^^^^^^^^\n\
                    SyntaxError: Missing parentheses in call to 'print'\n";
        let expected = "SyntaxError: Missing parentheses in call to 'print'";
        assert_eq!(telling_line(text).as_deref(), Some(expected));
        let indented = "  File \"g.py\", line 3\n    x\nIndentationError: unexpected indent\n";
        let expected = "IndentationError: unexpected indent";
        assert_eq!(telling_line(indented).as_deref(), Some(expected));
    }

    /// IO-14: of other text the first line that says something stands for the stream.
    #[test]
    fn the_first_line_says_something() {
        assert_eq!(telling_line("\n  \n  boom \nmore").as_deref(), Some("boom"));
        assert_eq!(telling_line(" \n"), None);
    }

    /// IO-25: what a shell says of a step that failed is found, wherever it stands.
    #[test]
    fn a_failed_step_is_found() {
        for (text, expected) in [
            (
                "checking\ng.sh: line 2: jq: command not found\nok",
                Some("g.sh: line 2: jq: command not found"),
            ),
            ("sh: 1: jq: not found", Some("sh: 1: jq: not found")),
            (
                "cat: rules: No such file or directory",
                Some("cat: rules: No such file or directory"),
            ),
            (
                "./g.sh: Permission denied",
                Some("./g.sh: Permission denied"),
            ),
            (
                "bash: -c: line 1: syntax error near unexpected token `fi'",
                Some("bash: -c: line 1: syntax error near unexpected token `fi'"),
            ),
            ("looked at 3 files", None),
            ("", None),
        ] {
            assert_eq!(failed_step(text).as_deref(), expected, "{text}");
        }
    }
}
