//! Makes text of models, tools, hooks and files harmless for a terminal.

/// How many columns a tab takes.
const TAB: &str = "    ";

/// Returns a text with everything escaped that a terminal would obey, or that would make it show
/// something else than the text says. Line ends stay; a tab becomes spaces.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => shown.push('\n'),
            // A line end as Windows writes it is one.
            '\r' if characters.peek() == Some(&'\n') => {}
            '\t' => shown.push_str(TAB),
            _ if is_unsafe(character) => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}

/// Returns a text on one line, harmless for a terminal.
pub(crate) fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "⏎")
}

/// Tells whether a character steers a terminal, or changes the direction of what follows.
pub(crate) fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{061C}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-1: nothing that a model, tool or hook writes steers the terminal.
    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            visible("a\x1b[2J\x07\u{9b}1m"),
            "a\\u{1b}[2J\\u{7}\\u{9b}1m"
        );
        assert_eq!(visible("\u{202e}evil"), "\\u{202e}evil");
        assert_eq!(visible("a\r\nb\rc\td"), "a\nb\\u{d}c    d");
        assert_eq!(visible("süß 日本 👩‍💻"), "süß 日本 👩‍💻");
        assert_eq!(visible_line("a\nb"), "a⏎b");
    }
}
