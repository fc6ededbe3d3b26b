//! Finds the line of a stream that explains to people what went wrong (IO-14, IO-25).

use std::borrow::Cow;

use hookloop_text::shorten::shortened;

/// How much of a stream is looked at, at its beginning and at its end, in bytes.
const LOOKED_AT: usize = 64 * 1024;

/// How long a line may be that people are told, in characters.
const LONGEST: usize = 500;

/// What a failed step writes to standard error, in lower case.
const FAILED_STEPS: [&str; 29] = [
    "command not found",
    ": not found",
    "no such file or directory",
    "permission denied",
    "syntax error",
    "syntaxerror",
    "cannot find module",
    "is not recognized as",
    "too many arguments",
    "unary operator expected",
    "binary operator expected",
    "integer expression expected",
    "integer expected",
    "unmatched [",
    "invalid regular expression",
    "-e expression",
    "awk: ",
    ": can only ",
    "jq: error",
    "jq: parse error",
    "parse error",
    "curl: (",
    "fatal: ",
    "can't locate ",
    "bad substitution",
    "[: missing ",
    "unbound variable",
    "invalid option",
    "unrecognized option",
];

/// Returns the line that says what went wrong: the last one of a traceback, else the first one that
/// isn't blank (IO-14, IO-25).
pub(crate) fn explaining_line(text: &str) -> Option<String> {
    let text = &*ends_of(text);
    let line = error_of_traceback(text).or_else(|| first_line(text));
    line.map(|line| shortened(&line, LONGEST))
}

/// Returns what is looked at of a text: all of it, or where a hook flooded a stream its beginning
/// and its end, since a warning of megabytes would hide all the others.
fn ends_of(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * LOOKED_AT {
        return Cow::Borrowed(text);
    }
    let head = &text[..text.floor_char_boundary(LOOKED_AT)];
    let tail = &text[text.ceil_char_boundary(text.len() - LOOKED_AT)..];
    Cow::Owned(format!("{head}\n{tail}"))
}

/// What a hook that ended successfully and answered nothing wrote to standard error (IO-25).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StderrNote {
    /// The most informative line.
    pub(crate) line: String,
    /// Whether it reads as a step that failed.
    pub(crate) is_failed_step: bool,
    /// What wrote it.
    pub(crate) language: Language,
}

impl StderrNote {
    /// Returns what to do about it: a text that a shell can't read has to be fixed, because a
    /// script that ends there would refuse everything.
    pub(crate) fn remedy(&self) -> &'static str {
        const UNREAD: [&str; 4] = [
            "syntax error",
            "[: missing ",
            "bad substitution",
            "unmatched [",
        ];
        let line = self.line.to_ascii_lowercase();
        let is_of_shell = !matches!(self.language, Language::Python | Language::JavaScript);
        if is_of_shell && UNREAD.iter().any(|it| line.contains(it)) {
            return "fix that line: the shell can't parse it, and continues as if it weren't there";
        }
        self.language.remedy()
    }
}

/// What a hook is written in, judging by its command and its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Bash,
    /// A shell that knows no `pipefail`.
    PlainShell,
    /// A shell, and it isn't known which.
    Shell,
    Python,
    JavaScript,
}

impl Language {
    fn of(command: &str, text: &str) -> Self {
        let words = || {
            command.split_whitespace().map(|word| {
                let word = word.trim_matches(['"', '\'', ';']);
                word.rsplit(['/', '\\']).next().unwrap_or(word)
            })
        };
        let has = |names: &[&str]| words().any(|word| names.contains(&word));
        let ends =
            |endings: &[&str]| words().any(|word| endings.iter().any(|it| word.ends_with(it)));
        if text.contains("Traceback (most recent call last)")
            || text.lines().any(is_place_of_python)
            || has(&["python", "python3", "uv"])
            || ends(&[".py"])
        {
            Self::Python
        } else if text.lines().any(is_frame)
            || has(&["node", "bun", "deno", "tsx"])
            || ends(&[".js", ".mjs", ".cjs", ".ts"])
        {
            Self::JavaScript
        } else if has(&["bash"]) || ends(&[".bash"]) || text.lines().any(is_of_bash) {
            Self::Bash
        } else if has(&["sh", "dash"]) || text.lines().any(is_of_plain_shell) {
            Self::PlainShell
        } else {
            Self::Shell
        }
    }

    /// Returns how a script of the language ends with its first failed step.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Self::Bash => {
                "begin the script with `set -euo pipefail`, and if a step is in an `if`, make it \
                 exit with 2 if it can't check"
            }
            Self::PlainShell => {
                "begin the script with `set -eu`, and where a step is in an `if` or a pipe make it \
                 exit with 2 if it can't check"
            }
            Self::Shell => {
                "begin the script with `set -eu` (in bash `set -euo pipefail`), and where a step \
                 is in an `if` make it exit with 2 if it can't check"
            }
            Self::Python => "let it end with `sys.exit(2)` where it can't check",
            Self::JavaScript => "let it end with `process.exit(2)` where it can't check",
        }
    }
}

/// Returns whether a line has the form in which bash says what is wrong: `g.sh: line 2: …`.
fn is_of_bash(line: &str) -> bool {
    line.split_once(": line ")
        .is_some_and(|(_, rest)| rest.starts_with(|it: char| it.is_ascii_digit()))
}

/// Returns whether a line has the form of other shells: `g.sh: 2: …`.
fn is_of_plain_shell(line: &str) -> bool {
    let mut parts = line.split(": ").skip(1);
    parts
        .next()
        .is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
        && parts.next().is_some()
}

/// Returns what a hook that ended successfully and answered nothing wrote to standard error
/// (IO-25).
pub(crate) fn stderr_note(command: &str, text: &str) -> Option<StderrNote> {
    let text = &*ends_of(text);
    let failed = failed_step(text);
    let is_failed_step = failed.is_some();
    Some(StderrNote {
        line: shortened(&failed.or_else(|| first_line(text))?, LONGEST),
        is_failed_step,
        language: Language::of(command, text),
    })
}

/// Returns the line that reports a failed step, if there is one (IO-25).
fn failed_step(text: &str) -> Option<String> {
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
    // For a syntax error, Python prints no traceback, but the place, the line, then the error.
    let is_error = |line: &str| line.starts_with("SyntaxError") || is_of_syntax(line);
    if text.lines().any(is_place_of_python) {
        return last_unindented(text.lines().filter(|line| is_error(line)));
    }
    if !text.lines().any(is_frame) {
        return None;
    }
    // The stack follows the error, and Node's version follows the stack.
    last_unindented(text.lines().filter(|line| {
        let name = line.split(':').next().unwrap_or_default();
        name.split_whitespace()
            .next()
            .is_some_and(|word| word.ends_with("Error") || word.ends_with("Exception"))
    }))
}

/// Returns whether a line is a place in a script of Python.
fn is_place_of_python(line: &str) -> bool {
    line.starts_with("  File \"") && line.contains(", line ")
}

/// Returns whether a line belongs to a stack of Node.
fn is_frame(line: &str) -> bool {
    line.trim_start().starts_with("at ") && line.starts_with(' ')
}

/// Returns whether a line names one of Python's errors of syntax that have names of their own.
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

/// Returns the first line that isn't blank.
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

    /// IO-14, IO-25: a hook that floods standard error is told in one line that people can read;
    /// what it says at the end is found.
    #[test]
    fn a_flood_is_told_in_a_line() {
        let flood = "\0".repeat(8 * 1024 * 1024);
        let line = explaining_line(&flood).expect("a line");
        assert_eq!(line.chars().count(), LONGEST + 1);
        assert!(stderr_note("x", &flood).is_some_and(|it| it.line == line));
        let text = format!("{}\n{PYTHON}", "é\n".repeat(1024 * 1024));
        let note = stderr_note("x", &text).map(|it| it.line);
        let expected = "ModuleNotFoundError: No module named 'yaml'";
        assert_eq!(note.as_deref(), Some(expected));
    }

    /// IO-25: the telling line of a traceback is its last one, never the first.
    #[test]
    fn a_traceback_is_told_by_its_error() {
        let python = "ModuleNotFoundError: No module named 'yaml'";
        let node = "ReferenceError: nope is not defined";
        for (text, expected) in [(PYTHON, python), (NODE, node)] {
            assert_eq!(explaining_line(text).as_deref(), Some(expected));
            assert_eq!(failed_step(text).as_deref(), Some(expected));
        }
    }

    /// IO-14, IO-25: what Python couldn't read is reported by its error, not by its place.
    #[test]
    fn an_error_of_syntax_is_told() {
        let text = "  File \"/p/guard\", line 2\n    print 'deny'\n    ^^^^^^^^^^^^\n\
                    SyntaxError: Missing parentheses in call to 'print'\n";
        let expected = "SyntaxError: Missing parentheses in call to 'print'";
        assert_eq!(explaining_line(text).as_deref(), Some(expected));
        let indented = "  File \"g.py\", line 3\n    x\nIndentationError: unexpected indent\n";
        let expected = "IndentationError: unexpected indent";
        assert_eq!(explaining_line(indented).as_deref(), Some(expected));
    }

    /// IO-25: each way to say that a step failed is recognised, and the remedy is for the script's
    /// language.
    #[test]
    fn the_remedy_is_for_the_language() {
        for (command, text, expected) in [
            ("./g", "./g: line 3: [: too many arguments", Language::Bash),
            (
                "./g",
                "./g: 3: [: ==: unary operator expected",
                Language::PlainShell,
            ),
            ("./g", "./g: 4: Bad substitution", Language::PlainShell),
            (
                "sh ./g.sh",
                "grep: Unmatched [, [^, [:, [., or [=",
                Language::PlainShell,
            ),
            (
                "./g.sh",
                "sed: -e expression #1, char 3: unterminated `s' command",
                Language::Shell,
            ),
            (
                "./g.sh",
                "jq: error (at <stdin>:0): Cannot index string",
                Language::Shell,
            ),
            (
                "bash g",
                "curl: (7) Failed to connect to localhost port 1",
                Language::Bash,
            ),
            ("./g.py", "fatal: not a git repository", Language::Python),
            (
                "node g.mjs",
                "fatal: not a git repository",
                Language::JavaScript,
            ),
            ("./g", PYTHON, Language::Python),
            ("./g", NODE, Language::JavaScript),
        ] {
            let note = stderr_note(command, text).unwrap();
            assert!(note.is_failed_step, "{text}");
            assert_eq!(note.language, expected, "{command}: {text}");
        }
        for (text, is_unread) in [
            ("g.sh: line 2: syntax error in conditional expression", true),
            ("g.sh: line 1: [: missing `]'", true),
            ("g.sh: 1: [: missing ]", true),
            ("./g: 4: Bad substitution", true),
            ("g.sh: line 3: [: too many arguments", false),
            ("g.sh: line 3: jq: command not found", false),
        ] {
            let note = stderr_note("bash g.sh", text).unwrap();
            assert!(note.is_failed_step, "{text}");
            let is_own = note.remedy() != note.language.remedy();
            assert_eq!(is_own, is_unread, "{text}");
        }
        let plain = stderr_note("./g.sh", "\nERROR:root:no rules\n").unwrap();
        assert!(!plain.is_failed_step);
        assert_eq!(plain.line, "ERROR:root:no rules");
        assert_eq!(stderr_note("./g.sh", " \n"), None);
        assert!(!Language::PlainShell.remedy().contains("pipefail"));
        assert!(!Language::Python.remedy().contains("set -e"));
    }

    /// IO-14: for other text, the first line that isn't blank represents the stream.
    #[test]
    fn the_first_line_says_something() {
        assert_eq!(
            explaining_line("\n  \n  boom \nmore").as_deref(),
            Some("boom")
        );
        assert_eq!(explaining_line(" \n"), None);
    }

    /// IO-25: what a shell says about a step that failed is found, wherever it is.
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
