//! Words of a command line, quoted so that they can be copied into a shell as they are shown.

use std::borrow::Cow;

use crate::escape::is_dangerous;

/// Quotes a word for a POSIX shell if necessary, so that the shell interprets nothing in it, not
/// even an assignment.
pub fn quote(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

/// Quotes a word for a POSIX shell; a plain word stays as it is. A word with dangerous characters
/// is written with their codes (`$'…'`), so it is safe to display and still the same word.
///
/// ```
/// use hookloop_text::shell_word;
///
/// assert_eq!(shell_word("guards/check.sh"), "guards/check.sh");
/// assert_eq!(shell_word("it's"), r"'it'\''s'");
/// // Harmless to look at, and still the same word.
/// assert_eq!(shell_word("a\u{1b}b"), r"$'a\033b'");
/// ```
pub fn shell_word(word: &str) -> String {
    if is_plain_argument(word) {
        return word.to_owned();
    }
    if word.chars().any(is_dangerous) {
        return by_codes(word);
    }
    quote(word).into_owned()
}

/// Quotes a word for a POSIX shell, which replaces references to some variables in it (`$NAME`,
/// `${NAME}`) and reads everything else as it is. A plain word stays as it is.
///
/// ```
/// use hookloop_text::shell_word_expanding;
///
/// let word = shell_word_expanding("$ROOT/it costs $5", &["ROOT"]);
/// assert_eq!(word, r#""$ROOT/it costs \$5""#);
/// ```
pub fn shell_word_expanding(word: &str, variables: &[&str]) -> String {
    if is_plain_argument(word) {
        return word.to_owned();
    }
    let mut text = String::from("\"");
    let mut rest = word;
    while let Some(character) = rest.chars().next() {
        let length = reference_length(rest, variables);
        let (head, behind) = rest.split_at(length.unwrap_or(character.len_utf8()));
        if length.is_none() && matches!(character, '"' | '\\' | '$' | '`') {
            text.push('\\');
        }
        text.push_str(head);
        rest = behind;
    }
    text + "\""
}

/// Returns the length of a reference to one of these variables at the beginning of a text.
fn reference_length(text: &str, variables: &[&str]) -> Option<usize> {
    let rest = text.strip_prefix('$')?;
    let of = |name: &str| {
        if let Some(inner) = rest.strip_prefix('{') {
            let behind = inner.strip_prefix(name)?.strip_prefix('}')?;
            return Some(text.len() - behind.len());
        }
        let behind = rest.strip_prefix(name)?;
        let is_longer = behind.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
        (!is_longer).then(|| text.len() - behind.len())
    };
    variables.iter().find_map(|name| of(name))
}

/// Quotes a word that isn't an option for a shell command. A word that begins with `-` or needs
/// quotes is preceded by `--`.
///
/// ```
/// use hookloop_text::shell_argument;
///
/// assert_eq!(shell_argument("guard"), "guard");
/// assert_eq!(shell_argument("--all"), "-- '--all'");
/// ```
pub fn shell_argument(word: &str) -> String {
    let quoted = shell_word(word);
    if quoted == word && !word.starts_with('-') {
        quoted
    } else if quoted == word {
        format!("-- '{word}'")
    } else {
        format!("-- {quoted}")
    }
}

/// Quotes a word for PowerShell; a plain word stays as it is.
pub fn powershell_word(word: &str) -> String {
    if is_plain_argument(word) {
        return word.to_owned();
    }
    powershell_string(word)
}

/// Writes a text as a string of PowerShell, in single quotes, so that PowerShell interprets nothing
/// in it. Typographic quotes are doubled as well, because PowerShell ends such a string at any of
/// them.
///
/// ```
/// use hookloop_text::powershell_string;
///
/// assert_eq!(powershell_string("work"), "'work'");
/// assert_eq!(powershell_string("it's"), "'it''s'");
/// assert_eq!(powershell_string("it\u{2019}s"), "'it\u{2019}\u{2019}s'");
/// ```
pub fn powershell_string(text: &str) -> String {
    let is_quote = |it: char| matches!(it, '\'' | '\u{2018}'..='\u{201b}');
    let mut string = String::with_capacity(text.len() + 2);
    string.push('\'');
    for character in text.chars() {
        string.push(character);
        if is_quote(character) {
            string.push(character);
        }
    }
    string.push('\'');
    string
}

fn is_plain_argument(word: &str) -> bool {
    // After a program, `NAME=value` is a word like any other.
    !word.is_empty() && word.chars().all(|it| is_plain(it) || it == '=')
}

const fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(
            character,
            '_' | '-' | '.' | '/' | ':' | '@' | '%' | '+' | ','
        )
}

fn by_codes(word: &str) -> String {
    use std::fmt::Write;
    let mut text = String::from("$'");
    for character in word.chars() {
        match character {
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\'' | '\\' => text.extend(['\\', character]),
            _ if is_dangerous(character) => {
                for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing to a string can't fail. Octal digits end after three.
                    let _ = write!(text, "\\{byte:03o}");
                }
            }
            _ => text.push(character),
        }
    }
    text + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-8: commands in messages can be copied, whatever is in them.
    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(shell_word("a-b/c.json"), "a-b/c.json");
        assert_eq!(shell_word("it's $me"), "'it'\\''s $me'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("ü"), "'ü'");
        assert_eq!(powershell_word("it's"), "'it''s'");
    }

    /// CM-7: no quote ends a string of PowerShell early, whichever of those that PowerShell knows
    /// it is.
    #[test]
    fn every_single_quote_of_powershell_is_doubled() {
        for quote in ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'] {
            let word = format!("a{quote}; calc; {quote}b");
            let expected = format!("'a{quote}{quote}; calc; {quote}{quote}b'");
            assert_eq!(powershell_word(&word), expected);
            assert_eq!(powershell_string(&word), expected);
        }
    }

    /// CM-7: the shell replaces the named variables and nothing else.
    #[cfg(unix)]
    #[test]
    fn only_named_variables_are_expanded() {
        for (word, expected) in [
            ("$ROOT/a b", "/r/a b"),
            ("${ROOT}/a b", "/r/a b"),
            ("$ROOTS $HOME `id` $(id)", "$ROOTS $HOME `id` $(id)"),
            ("${ROOT:-x} \"q\" \\", "${ROOT:-x} \"q\" \\"),
            ("it's ü", "it's ü"),
            ("", ""),
        ] {
            let quoted = shell_word_expanding(word, &["ROOT"]);
            let output = std::process::Command::new("sh")
                .arg("-c")
                .arg(format!("printf %s {quoted}"))
                .env("ROOT", "/r")
                .output()
                .unwrap();
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                expected,
                "{quoted}"
            );
        }
    }

    /// TR-2: the command that trusts a hook can be copied, whatever its name is.
    #[test]
    fn arguments_are_never_options() {
        assert_eq!(shell_argument("format.sh"), "format.sh");
        assert_eq!(shell_argument("it's $me"), "-- 'it'\\''s $me'");
        assert_eq!(shell_argument("-x"), "-- '-x'");
    }

    /// OUT-9: a quoted word with an escape sequence is safe to display and the same word for a
    /// shell.
    #[cfg(unix)]
    #[test]
    fn dangerous_words_are_written_by_codes() {
        for word in ["a\x1b[2J'\\1", "\u{202e}7\n\tüx", "\x07"] {
            let quoted = shell_word(word);
            assert!(!quoted.chars().any(is_dangerous), "{quoted:?}");
            let script = format!("printf %s {quoted}");
            let Ok(output) = std::process::Command::new("bash")
                .arg("-c")
                .arg(script)
                .output()
            else {
                return;
            };
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
    }
}
