//! What `sed` scripts write and run.

use crate::understood::{Command, Word};

/// What a `sed` script does besides printing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SedScript {
    /// Files that it writes to.
    pub writes: Vec<String>,
    /// Files that it puts into its output.
    pub reads: Vec<String>,
    /// Commands that it runs.
    pub runs: Vec<String>,
    /// Whether it runs the text that it edits.
    pub runs_text: bool,
}

/// Reads a `sed` script. Any part that isn't understood gets the widest reading.
pub fn script(text: &str) -> SedScript {
    let mut found = SedScript::default();
    let mut rest = text;
    while !rest.is_empty() {
        rest = after_address(rest);
        let Some(command) = rest.chars().next() else {
            break;
        };
        let behind = &rest[command.len_utf8()..];
        rest = match command {
            's' | 'y' => substitution(command, behind, &mut found),
            'w' | 'W' => {
                let (file, rest) = line(behind);
                found.writes.push(file.to_owned());
                rest
            }
            'e' => {
                let (run, rest) = line(behind);
                // Alone, it runs the text itself.
                let ends = run.is_empty() || run.starts_with([';', '}']);
                if ends {
                    found.runs_text = true;
                } else {
                    found.runs.push(run.to_owned());
                }
                rest
            }
            'r' | 'R' => {
                let (file, rest) = line(behind);
                found.reads.push(file.to_owned());
                rest
            }
            // Text, a label or a comment, up to the end of the line.
            'a' | 'i' | 'c' | '#' => {
                let mut rest = behind;
                loop {
                    let (text, next) = line(rest);
                    rest = next;
                    if !text.ends_with('\\') || rest.is_empty() {
                        break rest;
                    }
                }
            }
            ':' | 'b' | 't' | 'T' => {
                let end = behind.find([';', '\n', '}']).unwrap_or(behind.len());
                &behind[end..]
            }
            _ => behind,
        };
    }
    found.writes.retain(|it| !it.is_empty());
    found.reads.retain(|it| !it.is_empty());
    found
}

/// Returns the scripts in the arguments of a command, as words.
pub(crate) fn scripts(command: &Command) -> Vec<Word> {
    let given = command.values_of(&["-e", "--expression"]);
    if !given.is_empty() || command.has_option(&["-f", "--file"]) {
        return given;
    }
    command.operands().next().cloned().into_iter().collect()
}

/// Skips blanks, separators, and the address of a command.
fn after_address(text: &str) -> &str {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start_matches(|it: char| {
            it.is_whitespace() || it.is_ascii_digit() || ";{}$,!~+".contains(it)
        });
        let mut signs = trimmed.chars();
        let pattern = match signs.next() {
            Some('/') => after_delimiter(&trimmed[1..], '/'),
            Some('\\') => match signs.next() {
                Some(delimiter) => after_delimiter(&trimmed[1 + delimiter.len_utf8()..], delimiter),
                None => "",
            },
            _ => return trimmed,
        };
        // `/x/I`
        rest = pattern.trim_start_matches(['I', 'M']);
    }
}

/// Returns what follows the next such character without a backslash before it.
fn after_delimiter(text: &str, delimiter: char) -> &str {
    let mut signs = text.char_indices();
    let mut in_brackets = false;
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => {
                signs.next();
            }
            '[' if delimiter != '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ if sign == delimiter && !in_brackets => return &text[at + sign.len_utf8()..],
            // An unclosed bracket is an ordinary character.
            _ if sign == delimiter && !text[at..].contains(']') => {
                return &text[at + sign.len_utf8()..];
            }
            _ => {}
        }
    }
    ""
}

fn substitution<'t>(command: char, text: &'t str, found: &mut SedScript) -> &'t str {
    let Some(delimiter) = text.chars().next() else {
        return "";
    };
    let rest = after_delimiter(&text[delimiter.len_utf8()..], delimiter);
    let mut rest = after_plain(rest, delimiter);
    if command == 'y' {
        return rest;
    }
    while let Some(flag) = rest.chars().next() {
        match flag {
            'w' => {
                let (file, rest) = line(&rest[1..]);
                found.writes.push(file.to_owned());
                return rest;
            }
            'e' => found.runs_text = true,
            'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
            _ => return rest,
        }
        rest = &rest[flag.len_utf8()..];
    }
    rest
}

/// Like [`after_delimiter`], but brackets have no meaning.
fn after_plain(text: &str, delimiter: char) -> &str {
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        if sign == '\\' {
            signs.next();
        } else if sign == delimiter {
            return &text[at + sign.len_utf8()..];
        }
    }
    ""
}

/// Returns a line without the blanks around it, and what follows it.
fn line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-30: the files that a `sed` script writes, and what it runs, are found wherever they are.
    #[test]
    fn scripts_of_sed_are_read() {
        for (text, file) in [
            ("w x", "x"),
            ("wx", "x"),
            ("s/a/b/w x", "x"),
            ("s|a|[b|gw x", "x"),
            ("/a/{p;w x\n}", "x"),
            ("1,5!W x", "x"),
            ("a\\\nw y\nw x", "x"),
            ("s/[/]/b/;/w/I w x", "x"),
            ("\\,a,wx", "x"),
        ] {
            assert_eq!(script(text).writes, [file], "{text}");
        }
        for text in [
            "p",
            "s/w x/w y/",
            "/w x/d",
            "y/w/e/",
            "a w x",
            ":w",
            "s/e/w/g",
        ] {
            assert_eq!(script(text), SedScript::default(), "{text}");
        }
        assert_eq!(script("1r x").reads, ["x"]);
        assert_eq!(script("1e rm x").runs, ["rm x"]);
        assert!(script("s/a/b/e").runs_text);
        assert!(script("1e").runs_text);
    }
}
