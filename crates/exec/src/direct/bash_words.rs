//! What bash doesn't look up as a program, and what makes it behave differently.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// Builtins and keywords of bash.
const BASH_WORDS: &[&str] = &[
    "!",
    ".",
    ":",
    "[",
    "[[",
    "]]",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "enable",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "for",
    "function",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "select",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "until",
    "wait",
    "while",
    "{",
    "}",
];

/// Variables that bash reads, replaces or removes when it starts.
const BASH_VARIABLES: &[&str] = &[
    "COLUMNS",
    "COMP_WORDBREAKS",
    "DIRSTACK",
    "ENV",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "EXECIGNORE",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "IFS",
    "LINENO",
    "LINES",
    "MAILCHECK",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "PIPESTATUS",
    "POSIXLY_CORRECT",
    "POSIX_PEDANTIC",
    "PPID",
    "PS1",
    "PS2",
    "RANDOM",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "TMOUT",
    "UID",
];

/// Returns whether bash itself does something when it meets this command.
pub(crate) fn is_bash_word(word: &str) -> bool {
    BASH_WORDS.binary_search(&word).is_ok()
}

/// Returns whether a variable changes what bash does, or wouldn't pass through bash unchanged;
/// exported functions (`BASH_FUNC_…`) are among them.
pub(crate) fn changes_bash(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes.starts_with(b"BASH")
        || BASH_VARIABLES
            .binary_search_by(|known| known.as_bytes().cmp(bytes))
            .is_ok()
}

#[cfg(test)]
mod tests {
    use super::{BASH_VARIABLES, BASH_WORDS, is_bash_word};
    use std::process::Command;

    /// IO-35: the lists are sorted, as looking words up demands.
    #[test]
    fn lists_are_sorted() {
        assert!(BASH_WORDS.is_sorted());
        assert!(BASH_VARIABLES.is_sorted());
    }

    /// IO-35: no builtin or keyword of the bash at hand is missing.
    #[test]
    fn all_words_of_bash_are_known() {
        let output = Command::new("bash")
            .args(["-c", "compgen -b; compgen -k"])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.lines().count() > 50, "{text}");
        for word in text.lines() {
            assert!(is_bash_word(word), "{word}");
        }
    }
}
