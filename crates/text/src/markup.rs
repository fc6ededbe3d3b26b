//! Escapes text for a page or an XML document.

use std::fmt::{self, Display, Write};

use crate::escape::is_dangerous;

/// Shows text in HTML, as content or inside a quoted attribute.
#[derive(Debug, Clone, Copy)]
pub struct Html<'a>(pub &'a str);

/// Shows text in XML 1.0, as content or inside a quoted attribute. Characters that XML can't
/// contain are written as `\u{…}`.
#[derive(Debug, Clone, Copy)]
pub struct Xml<'a>(pub &'a str);

impl Display for Html<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(formatter, self.0, &['\n', '\t'])
    }
}

impl Display for Xml<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(formatter, self.0, &['\n'])
    }
}

fn write_escaped(formatter: &mut fmt::Formatter<'_>, text: &str, blanks: &[char]) -> fmt::Result {
    for character in text.chars() {
        match character {
            '&' => formatter.write_str("&amp;")?,
            '<' => formatter.write_str("&lt;")?,
            '>' => formatter.write_str("&gt;")?,
            '"' => formatter.write_str("&quot;")?,
            '\'' => formatter.write_str("&#39;")?,
            _ if blanks.contains(&character) => formatter.write_char(character)?,
            '\u{FFFE}' | '\u{FFFF}' => write!(formatter, "{}", character.escape_unicode())?,
            _ if is_dangerous(character) => write!(formatter, "{}", character.escape_unicode())?,
            _ => formatter.write_char(character)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-6: nothing that a hook wrote becomes a tag, an attribute or an invisible character.
    #[test]
    fn text_stays_text() {
        assert_eq!(
            Html("<b a='\"'>&\u{202e}\x1b\n\t").to_string(),
            "&lt;b a=&#39;&quot;&#39;&gt;&amp;\\u{202e}\\u{1b}\n\t"
        );
        assert_eq!(
            Xml("a\u{ffff}\u{0}]]>\n").to_string(),
            "a\\u{ffff}\\u{0}]]&gt;\n"
        );
    }
}
