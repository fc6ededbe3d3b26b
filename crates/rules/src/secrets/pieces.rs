//! Keys that are written in pieces: `'ghp_' + '…'`, `printf %s%s`, backwards for `rev`.

use std::sync::LazyLock;

use hookloop_shell::{Command, Understood};

use crate::expression::Expression;
use crate::searched::Searched;

/// Returns a text with the seams between its strings closed; nothing if it has none.
pub(super) fn join_strings(text: &str) -> Option<String> {
    static SEAM: LazyLock<Expression> = LazyLock::new(|| {
        Expression::new(
            r#"["'`]\s*(?:\+|\.\.?|,|<>|\+\+|\|\||&|\\\s*\n)?\s*["'`]|\$\{\s*["']|["']\s*\}"#,
        )
    });
    let quotes = text.matches(['"', '\'', '`']).count();
    (quotes > 1).then(|| SEAM.removed_from(text)).flatten()
}

/// Returns a text without the ends of lines that the shell ignores within a word; nothing if it
/// has none: `API_KEY=\` and the value in the next line.
pub(super) fn join_lines(text: &str) -> Option<String> {
    let is_inside = |(at, _): (usize, _)| {
        let before = text[..at].chars().next_back();
        before.is_some_and(|it| !it.is_whitespace() && it != '\\')
    };
    let joins = text.match_indices("\\\n").any(is_inside);
    joins.then(|| text.replace("\\\n", ""))
}

/// Fewest letters of a text that is written as character codes.
const MIN_ESCAPED: usize = 12;

/// Returns a text with character codes (`\x67`, `\147`, `\u0067`) replaced by their letters;
/// nothing if there are few, unless they hide how a key begins.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut count = 0;
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let (skip, most, radix) = match behind.as_bytes().first() {
            Some(b'x') => (1, 2, 16),
            Some(b'u') => (1, 4, 16),
            _ => (0, 4, 8),
        };
        let digits = behind.get(skip..).unwrap_or_default();
        let length = digits
            .chars()
            .take(most)
            .take_while(|it| it.is_digit(radix))
            .count();
        let number = u32::from_str_radix(&digits[..length], radix).ok();
        match number
            .and_then(char::from_u32)
            .filter(char::is_ascii_graphic)
        {
            Some(letter) => {
                plain.push(letter);
                count += 1;
                rest = &digits[length..];
            }
            None => rest = behind,
        }
    }
    plain.push_str(rest);
    let hides = |it: &str| plain.contains(it) && !text.contains(it);
    let is_hidden = || count > 1 && BEGINNINGS.iter().any(|it| hides(it));
    (count >= MIN_ESCAPED || is_hidden()).then_some(plain)
}

/// Beginnings of keys that are recognised by their beginning alone.
const BEGINNINGS: &[&str] = &[
    "ghp",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat",
    "glpat",
    "sk-",
    "sk_live",
    "sk_test",
    "rk_live",
    "xoxb",
    "xoxp",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "hf_",
    "pypi-",
    "dop_v1",
    "shpat",
    "gsk_",
    "SG.",
    "whsec_",
    "dapi",
    "hvs.",
];

/// The most parts of a key that are joined.
const MAX_PARTS: usize = 4;

/// Most strings of a list that is joined.
const MAX_JOINED: usize = 12;

/// Returns what strings may make together if the first one begins like a key: `a = 'ghp_…'`, and
/// `b = '…'` for `a + b`; also for character codes.
pub(super) fn assemble(searched: &Searched<'_>) -> Vec<String> {
    static STRING: LazyLock<Expression> =
        LazyLock::new(|| Expression::new(r#"["'`]([A-Za-z0-9_.+/=-]{2,200})["'`]"#));
    static NUMBERS: LazyLock<Expression> =
        LazyLock::new(|| Expression::new(r"(?:\b\d{2,3}\s*,\s*){15,}\d{2,3}\b"));
    let text = searched.text();
    let mut texts = Vec::new();
    let may_be_numbers = text.matches(',').nth(14).is_some();
    let numbers = may_be_numbers.then(|| NUMBERS.matches_in(searched));
    for numbers in numbers.into_iter().flatten() {
        let letters = numbers.as_str().split(',').map(|it| {
            let code = it.trim().parse::<u8>().ok()?;
            code.is_ascii_graphic().then_some(char::from(code))
        });
        texts.extend(letters.collect::<Option<String>>());
    }
    if text.contains("join(") {
        let strings = STRING.captured_in(searched);
        let strings: Vec<&str> = strings
            .filter_map(|it| it.get(1).map(|it| it.as_str()))
            .filter(|it| it.len() > 1)
            .take(MAX_JOINED)
            .collect();
        texts.extend(["_", "-"].map(|sign| strings.join(sign)));
    }
    if !BEGINNINGS.iter().any(|it| text.contains(it)) {
        return texts;
    }
    let strings = STRING.captured_in(searched);
    let strings: Vec<&str> = strings
        .filter_map(|it| it.get(1).map(|it| it.as_str()))
        .collect();
    let begins = |it: &str| BEGINNINGS.iter().any(|begin| it.starts_with(begin));
    for at in (0..strings.len())
        .filter(|at| begins(strings[*at]))
        .take(MAX_PARTS)
    {
        let parts = &strings[at..strings.len().min(at + MAX_PARTS)];
        texts.extend(["", "_", "-"].map(|sign| parts.join(sign)));
    }
    texts
}

/// Returns what hexadecimal digits encode, if that is a text.
pub(super) fn decode_hex(text: &str) -> Option<String> {
    let digits = text.as_bytes();
    if digits.len() % 2 == 1 || digits.len() > 8192 {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            let code = u8::from_str_radix(pair, 16).ok()?;
            let is_letter = code.is_ascii_graphic() || code.is_ascii_whitespace();
            is_letter.then_some(char::from(code))
        })
        .collect()
}

fn prints(command: &Command) -> bool {
    ["printf", "echo"].contains(&command.program.as_str())
}

/// Returns what a base32 text encodes, if it is one.
pub(super) fn decode_base32(text: &str) -> Option<String> {
    let mut bits = 0_u32;
    let mut count = 0;
    let mut plain = String::new();
    for sign in text.trim_end_matches('=').bytes() {
        let value = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'2'..=b'7' => sign - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5) | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            plain.push(char::from_u32((bits >> count) & 0x7f)?);
            bits &= (1 << count) - 1;
        }
    }
    Some(plain)
}

/// Returns what commands make of the pieces that they are given.
pub(super) fn assemble_commands(understood: &Understood) -> Vec<String> {
    let mut texts = Vec::new();
    let printed = understood.commands.iter().filter(|it| prints(it));
    let printed = printed.flat_map(Command::words_after_program);
    // What is appended to a file piece by piece.
    let whole = printed.filter(|it| !it.text.starts_with('-'));
    texts.push(whole.map(|it| it.text.as_str()).collect());
    let turns = understood.commands.iter().any(|it| it.program == "rev");
    for command in &understood.commands {
        if prints(command) {
            let pieces = command
                .words_after_program()
                .iter()
                .filter(|it| !it.text.contains('%'));
            texts.push(pieces.map(|it| it.text.as_str()).collect());
        }
        if turns {
            let words = command
                .words_after_program()
                .iter()
                .filter(|it| it.text.len() >= 16);
            texts.extend(words.map(|it| it.text.chars().rev().collect()));
        }
        texts.extend(command.code.as_deref().and_then(join_strings));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::{decode_base32, join_strings, unescaped};

    /// HT-40: base32 text is read, and nothing else.
    #[test]
    fn texts_of_32_signs_are_read() {
        assert_eq!(decode_base32("NBUQ====").as_deref(), Some("hi"));
        assert_eq!(decode_base32("nbuq"), None);
    }

    /// HT-40: letters that are written as character codes are read, in the spellings of several
    /// languages.
    #[test]
    fn numbers_of_letters_are_read() {
        let word = "correct-horse-battery";
        let written = |form: fn(u8) -> String| word.bytes().map(form).collect::<String>();
        for text in [
            written(|it| format!("\\x{it:02x}")),
            written(|it| format!("\\{it:03o}")),
            written(|it| format!("\\u{it:04x}")),
        ] {
            assert_eq!(unescaped(&text).as_deref(), Some(word), "{text}");
        }
        assert_eq!(unescaped("a\\nb\\tc\\x1b[0m"), None);
        // A few are enough to hide how a key begins.
        let hidden = "\\x67\\x68\\u0070_abc";
        assert_eq!(unescaped(hidden).as_deref(), Some("ghp_abc"));
    }

    /// HT-40: seams between strings are closed in the spellings of several languages.
    #[test]
    fn strings_are_joined() {
        for text in [
            "'ghp_' + 'abc'",
            "\"ghp_\" . \"abc\"",
            "['ghp_', 'abc']",
            "'ghp_' \\\n 'abc'",
            "`${\"ghp_\"}abc`",
        ] {
            assert!(join_strings(text).unwrap().contains("ghp_abc"), "{text}");
        }
        assert_eq!(join_strings("nothing here"), None);
    }

    /// HT-40: an end of a line within a word doesn't end it for the shell.
    #[test]
    fn lines_of_a_word_are_joined() {
        let joined = |text: &str| super::join_lines(text);
        assert_eq!(joined("A=\\\nx").as_deref(), Some("A=x"));
        assert_eq!(joined("run \\\n -a"), None);
        let secret = "API_KEY=\\\nq7Rk2Vx9LmT4bWz8NcJf";
        assert!(!super::super::in_texts([secret]).is_empty());
    }

    /// HT-40: passwords are found in the settings of a connection, and in what replaces a mark.
    #[test]
    fn values_are_found_between_others() {
        let count = |text: &str| super::super::in_texts([text]).len();
        for text in [
            "x = \"Server=s;Password=Falcon&42sky;Database=d\"",
            "db:\n  password: Falcon&42sky\n",
            "sed -i 's|__TOKEN__|q7Rk2Vx9LmT4bWz8NcJf|' a.yml",
            "cvs -d :pserver:me:Falcon!42sky@h:/r login",
            "MY_BEARER=q7Rk2Vx9LmT4bWz8NcJf",
        ] {
            assert!(count(text) > 0, "{text}");
        }
        for text in [
            "let password=myPass1;",
            "sed -i 's|TOKEN_PLACEHOLDER|replace_me_please|' a.yml",
            "curl 'https://x.io/?token=abc&page=Foo1'",
            "export PASSWORD=test&&npm run Build2",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
    }
}
