//! Patterns that guards write in the wrong pattern language (CM-3): they never match.

use hookloop_shell::Command;
use hookloop_text::shorten::excerpt;

use super::uncalled::Language;
use crate::alone::understand_alone;

/// What is wrong, and what to write.
pub(super) type Found = (String, String);

/// Looks for a pattern that never matches what it is meant for.
pub(super) fn find(text: &str, language: Language) -> Option<Found> {
    let mut lines = text.lines().filter(|line| !language.is_comment(line));
    match language {
        Language::Shell => {
            let understood = understand_alone(text);
            let commands = &understood.commands;
            let of_grep = commands.iter().find_map(check_grep);
            of_grep.or_else(|| {
                let mut is_in_case = false;
                lines.find_map(|line| {
                    let words = || line.split(|it: char| it.is_whitespace() || it == ';');
                    is_in_case |= words().any(|it| it == "case");
                    let found = check_branch(line).filter(|_| is_in_case);
                    is_in_case &= !words().any(|it| it == "esac");
                    found
                })
            })
        }
        Language::Python | Language::JavaScript => lines.find_map(check_text),
    }
}

/// The languages of grep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Basic,
    Extended,
    Plain,
}

fn check_grep(command: &Command) -> Option<Found> {
    let has = |flags: &[&str]| flags.iter().any(|it| command.has_flag(it));
    let kind = match command.program.as_str() {
        _ if has(&["-P", "--perl-regexp", "-e", "--regexp", "-f", "--file"]) => return None,
        "grep" if has(&["-F", "--fixed-strings"]) => Kind::Plain,
        "fgrep" => Kind::Plain,
        "grep" if has(&["-E", "--extended-regexp"]) => Kind::Extended,
        "egrep" => Kind::Extended,
        "grep" => Kind::Basic,
        _ => return None,
    };
    let pattern = command
        .operands()
        .next()
        .filter(|it| it.known && it.quoted)?;
    let pattern = pattern.text.as_str();
    let (why, help) = check_part(pattern, kind)?;
    let shown = excerpt(pattern);
    Some((
        format!("grep is given \"{shown}\", and {why}"),
        help.to_owned(),
    ))
}

/// Returns what a part of a pattern means to grep, if something else was intended.
fn check_part(pattern: &str, kind: Kind) -> Option<(&'static str, &'static str)> {
    let repeats = ["]+", ".+", "\\s+", "\\w+", " +-"]
        .iter()
        .any(|it| pattern.contains(it));
    match kind {
        Kind::Basic if joins_words(pattern, "|") => Some((
            "without -E, \"|\" is an ordinary character",
            "write grep -E",
        )),
        Kind::Basic if repeats && !pattern.contains("\\+") => Some((
            "without -E, \"+\" is an ordinary character",
            "write grep -E",
        )),
        Kind::Basic if begins_as_of_files(pattern) => Some((
            "a \"*\" at the beginning is an ordinary character",
            "write a regular expression: grep '[.]txt$'; to search anywhere, no \"*\" is needed in \
             front",
        )),
        Kind::Extended if joins_words(pattern, "\\|") => Some((
            "with -E, \"\\|\" is an ordinary character",
            "write \"|\" without the backslash",
        )),
        Kind::Basic | Kind::Extended if has_digit_class(pattern) => {
            Some(("it doesn't support \"\\d\"", "write [0-9], or grep -P"))
        }
        Kind::Plain if pattern.contains(".*") => Some((
            "with -F, nothing in it is a pattern",
            "write grep -E, or grep without -F",
        )),
        _ => None,
    }
}

/// Returns whether a pattern begins as one of names of files does: `*.env`, `*secret*`. A list in
/// Markdown has a blank there.
fn begins_as_of_files(pattern: &str) -> bool {
    let behind = pattern.strip_prefix('*');
    behind.is_some_and(|it| it.starts_with(|it: char| it.is_alphanumeric() || "./_-".contains(it)))
}

/// Returns whether a character is between two words: a pattern for a pipe has blanks or other
/// characters there.
fn joins_words(pattern: &str, sign: &str) -> bool {
    pattern.match_indices(sign).any(|(at, _)| {
        let before = pattern[..at].chars().next_back();
        let behind = pattern[at + sign.len()..].chars().next();
        let is_letter = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric());
        is_letter(before) && is_letter(behind)
    })
}

/// Returns whether a pattern contains `\d`.
pub(super) fn has_digit_class(pattern: &str) -> bool {
    let mut places = pattern.match_indices("\\d");
    places.any(|(at, _)| !pattern[..at].ends_with('\\'))
}

/// Looks for a branch of `case` whose pattern is quoted: `"*.txt")`.
fn check_branch(line: &str) -> Option<Found> {
    let head = line.trim().split(')').next()?.trim_start_matches('(');
    let head = head.rsplit(" in ").next().unwrap_or(head);
    let is_branch = line.contains(')');
    let found = head.split('|').map(str::trim).find(|word| {
        let inner = ['"', '\''].into_iter().find_map(|sign| {
            let inner = word.strip_prefix(sign)?.strip_suffix(sign)?;
            (!inner.contains(sign)).then_some(inner)
        });
        inner.is_some_and(|it| {
            let is_sign = it.trim_matches(['/', '*']).is_empty();
            let is_end = it.ends_with('*') && line.trim_start().starts_with(['"', '\'']);
            let is_pattern = it.contains('*') && !is_sign && !it.contains('$');
            is_pattern && !is_command_itself(it) && (is_end || !it.contains(' '))
        })
    });
    let found = found.filter(|_| is_branch)?;
    let plain = found.trim_matches(['"', '\'']);
    let message = format!(
        "in quotes the pattern of the branch {}) is a text",
        excerpt(found)
    );
    Some((message, format!("{})", without_quotes(plain))))
}

/// Returns whether a text is a command as a person types it, with a wildcard for files: `rm -rf *`.
pub(super) fn is_command_itself(text: &str) -> bool {
    let last = text.rsplit_once(' ').map(|(_, it)| it);
    last.is_some_and(|it| matches!(it, "*" | ".*" | "/*" | "./*" | "~/*" | "$HOME/*"))
}

/// Returns how to write a text so that a shell expands its wildcards, but not its blanks.
pub(super) fn without_quotes(text: &str) -> String {
    let right = as_pattern(text);
    if right == text {
        format!("leave the quotes out: {right}")
    } else {
        format!("leave the \"*\" out of the quotes: {right}")
    }
}

/// Writes a pattern so that a shell expands its wildcards, but not its blanks.
pub(super) fn as_pattern(text: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_./-:,@%+[]?".contains(it);
    let parts = text.split('*').map(|part| {
        if part.chars().all(is_plain) {
            part.to_owned()
        } else {
            format!("\"{part}\"")
        }
    });
    parts.collect::<Vec<_>>().join("*")
}

/// Looks for a path that is compared with a wildcard as it is.
fn check_text(line: &str) -> Option<Found> {
    const COMPARE: [&str; 6] = [
        "== ",
        "=== ",
        ".endswith(",
        ".endsWith(",
        ".startswith(",
        ".startsWith(",
    ];
    const NAMES: [&str; 3] = ["path", "file_name", "filename"];
    COMPARE.iter().find_map(|compare| {
        let (left, right) = line.split_once(compare)?;
        let left = left.rsplit([' ', '!']).find(|it| !it.is_empty())?;
        if !NAMES.iter().any(|it| left.contains(it)) {
            return None;
        }
        let sign = right.chars().next().filter(|it| matches!(it, '"' | '\''))?;
        let (text, _) = right[1..].split_once(sign)?;
        let is_wildcard = text.starts_with("*.") || text.ends_with("/*") && text.len() > 2;
        is_wildcard.then(|| {
            (
                format!("a path is compared with \"{}\" literally", excerpt(text)),
                "compare its end, or with a pattern: fnmatch, a regular expression".to_owned(),
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: patterns in another language are found, and others aren't.
    #[test]
    fn patterns_that_never_fit_are_found() {
        use Language::{JavaScript, Python, Shell};
        for (language, text) in [
            (Shell, "grep -q 'out|in' && exit 2"),
            (Shell, "if grep -q '^(rm|mv) '; then exit 2; fi"),
            (Shell, "grep -q 'out[a-z]+' && exit 2"),
            (Shell, "jq -r .x | grep -qE 'out\\|in' && exit 2"),
            (Shell, "grep -q '*.txt' && exit 2"),
            (Shell, "if grep -q '*secret*'; then exit 2; fi"),
            (Shell, "if grep -q '*/.env'; then exit 2; fi"),
            (Shell, "grep -q 'rm +-rf' && exit 2"),
            (Shell, "case \"$c\" in\n  \"rm -rf*\") exit 2;;\nesac"),
            (Shell, "grep -qE 'out\\d' && exit 2"),
            (Shell, "grep -qF '.*txt' && exit 2"),
            (Shell, "case \"$f\" in\n  \"*.txt\") exit 2;;\nesac"),
            (Shell, "case \"$f\" in '.env'|'.env.*') exit 2;; esac"),
            (Python, "if event['tool_input']['file_path'] == '*.txt':"),
            (Python, "if path.endswith('*.env'):"),
            (JavaScript, "if (d.tool_input.file_path === 'src/*') {"),
        ] {
            assert!(find(text, language).is_some(), "{text}");
        }
        for (language, text) in [
            (Shell, "grep -qE 'out|in' && exit 2"),
            (Shell, "grep -q 'curl .*| *sh' && exit 2"),
            (Shell, "grep -qE 'curl .*\\| *sh' && exit 2"),
            (Shell, "grep -q 'out\\|in' && exit 2"),
            (Shell, "grep -q 'C++' && exit 2"),
            (Shell, "grep -q 'a + b' && exit 2"),
            (Shell, "case \"$c\" in\n  \"rm -rf\"*) exit 2;;\nesac"),
            (Shell, "grep -qP 'out\\d+' && exit 2"),
            (Shell, "grep -q '[.]txt$' && exit 2"),
            (Shell, "grep -qF 'a|b c' && exit 2"),
            (Shell, "grep -qF '*' && exit 2"),
            (Shell, "grep -q \"$pattern\" && exit 2"),
            (
                Shell,
                "case \"$f\" in\n  *.txt) exit 2;;\n  '*') exit 0;;\nesac",
            ),
            (Shell, "case \"$f\" in *\"secret\"*) exit 2;; esac"),
            (Shell, "echo \"a * b\") # not a branch"),
            (Python, "if fnmatch(path, '*.txt'):"),
            (Python, "if pattern == '*.txt':"),
            (Python, "if path.endswith('.txt'):"),
            (JavaScript, "if (path === 'src/x') {"),
        ] {
            assert_eq!(find(text, language), None, "{text}");
        }
    }
}
