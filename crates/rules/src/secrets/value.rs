//! The value after a name, as programs and settings write it.

/// How much of a value is judged, in bytes: whether it looks random is clear long before that.
const MAX_LENGTH: usize = 256;

/// Fewest letters of a value that may be a secret.
const MIN_LENGTH: usize = 6;

/// What separates words that aren't quoted.
const PARTS: &str = "\"'`,;<>(){}[]&|";

/// A value, without its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value<'t> {
    pub(super) text: &'t str,
    pub(super) quoted: bool,
    /// Whether a parenthesis follows at once: an unquoted value is a call.
    pub(super) is_called: bool,
}

/// Returns the value that begins at a place, the first part of a very long one; nothing if a quote
/// isn't closed in its line, or the value is too short.
pub(super) fn at(text: &str, place: usize) -> Option<Value<'_>> {
    let text = &text[place..];
    // In Python, parentheses let a string stand in the next line.
    let text = text
        .strip_prefix('(')
        .map(str::trim_start)
        .filter(|it| it.starts_with(['"', '\'']))
        .unwrap_or(text);
    // `b"…"` of Python, `L"…"` of C, `N'…'` of SQL.
    let bare = text.strip_prefix(|it: char| "bBrRuUlLN@".contains(it));
    let begins = |it: &&str| it.starts_with(['"', '\'', '`']);
    let quoted = Some(text).filter(begins).or_else(|| bare.filter(begins));
    let value = if let Some(text) = inside_escaped_quotes(text) {
        Value {
            text,
            quoted: true,
            is_called: false,
        }
    } else if let Some(text) = quoted {
        Value {
            text: inside_quotes(text)?,
            quoted: true,
            is_called: false,
        }
    } else {
        let (text, behind) = unquoted(text);
        Value {
            text,
            quoted: false,
            is_called: behind.starts_with('('),
        }
    };
    let is_long_enough = value.text.chars().nth(MIN_LENGTH - 1).is_some();
    is_long_enough.then_some(value)
}

/// Splits a text behind an unquoted value. A password may contain `&`; in an address, the next
/// name follows it: `?token=…&page=2`.
fn unquoted(text: &str) -> (&str, &str) {
    let ends = |it: char| it.is_ascii_whitespace() || PARTS.contains(it);
    let (mut value, mut behind) = head(text, ends);
    while let Some(rest) = behind.strip_prefix('&') {
        let (more, next) = head(rest, ends);
        let is_name = ["amp", "lt", "gt", "quot"].contains(&more);
        let continues = more.starts_with(|it: char| it.is_ascii_alphanumeric());
        // A constant that a program combines with a value: `token&MASK`.
        let is_constant = more.starts_with(|it: char| it.is_ascii_uppercase())
            && more.bytes().all(|it| !it.is_ascii_lowercase());
        if !continues || is_name || is_constant || more.contains('=') || next.starts_with('(') {
            break;
        }
        let end = value.len() + 1 + more.len();
        if end > MAX_LENGTH {
            break;
        }
        (value, behind) = text.split_at(end);
    }
    (value, behind)
}

/// Returns what is in the quotes with which a text begins; nothing if they aren't closed.
fn inside_quotes(text: &str) -> Option<&str> {
    let quote = text.chars().next()?;
    let (inner, behind) = head(&text[1..], |it| it == quote || it == '\n');
    let is_whole = behind.starts_with(quote);
    (is_whole || inner.len() >= MAX_LENGTH - char::MAX_LEN_UTF8).then_some(inner)
}

/// Returns what is in quotes that are part of a quoted text: `"login(password: \"…\")"`; nothing if
/// there are none.
fn inside_escaped_quotes(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("\\\"")?;
    let (value, behind) = head(inner, |it| it.is_ascii_whitespace() || "\\\"'".contains(it));
    behind.starts_with("\\\"").then_some(value)
}

/// Splits a text at the first match, or where it becomes too long.
fn head(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text
        .char_indices()
        .find(|(at, letter)| ends(*letter) || at + letter.len_utf8() > MAX_LENGTH)
        .map_or(text.len(), |(at, _)| at);
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::{at, unquoted};

    /// HT-40: quotes that are part of a quoted text enclose a value too.
    #[test]
    fn values_are_in_escaped_quotes() {
        let value = |text| at(text, 0).map(|it| (it.text, it.quoted));
        assert_eq!(value("\\\"Falcon!42sky\\\")"), Some(("Falcon!42sky", true)));
        assert_eq!(value("N'Falcon!42sky';"), Some(("Falcon!42sky", true)));
        assert_eq!(value("\\\" + password"), None);
    }

    /// HT-40: a password may contain the sign that separates names in addresses.
    #[test]
    fn values_contain_signs() {
        for (text, value) in [
            ("Falcon&42sky;", "Falcon&42sky"),
            ("a&b&c d", "a&b&c"),
            ("x1&page=2", "x1"),
            ("x1&page=2&y", "x1"),
            ("x1&&y", "x1"),
            ("x1&amp;y", "x1"),
            ("f1&g(x)", "f1"),
            ("x1&", "x1"),
            ("x1&MASK_2;", "x1"),
        ] {
            assert_eq!(unquoted(text).0, value, "{text}");
        }
    }
}
