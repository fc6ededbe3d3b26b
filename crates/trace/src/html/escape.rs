//! Text from anywhere becomes text in a page, and nothing else.

use std::fmt::{self, Display, Write};

/// Shows text in HTML, as content or inside a quoted attribute.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                '\'' => formatter.write_str("&#39;")?,
                '\n' | '\t' => formatter.write_char(character)?,
                _ if is_deceptive(character) => {
                    write!(formatter, "\\u{{{:x}}}", u32::from(character))?;
                }
                _ => formatter.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// Tells whether a character would be invisible, or change how its neighbours are shown.
fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}
