//! Makes text that comes from a file harmless for a terminal.

use unicode_width::UnicodeWidthChar;

/// Returns a text with everything escaped that a terminal would obey, or that would make it
/// show something else than the text says.
pub(crate) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => visible.push_str("\\n"),
            '\r' => visible.push_str("\\r"),
            '\t' => visible.push_str("\\t"),
            _ if is_unsafe(character) => visible.extend(character.escape_unicode()),
            _ => visible.push(character),
        }
    }
    visible
}

/// Tells whether a character steers a terminal, or changes the direction of what follows.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            | '\u{061C}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

/// Returns how many columns a text takes that is visible already.
pub(crate) fn columns(text: &str) -> usize {
    text.chars()
        .map(|character| character.width().unwrap_or(0))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-1: control characters of every kind are escaped, and nothing else is.
    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(visible("a\x1b[31m\r\n\tb"), "a\\u{1b}[31m\\r\\n\\tb");
        assert_eq!(
            visible("\u{9b}2J\x7f\u{202e}x\0"),
            "\\u{9b}2J\\u{7f}\\u{202e}x\\u{0}"
        );
        assert_eq!(visible("süß 日本 |\"'"), "süß 日本 |\"'");
    }

    /// CM-1: wide characters take two columns.
    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(columns("日本a"), 5);
    }
}
