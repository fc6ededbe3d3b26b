//! Wraps text to a width.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Returns the number of columns of an escaped text.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Wraps a text into lines of at most `width` columns, at spaces if possible. Only spaces at line breaks are
/// dropped.
///
/// ```
/// use hookloop_text::wrap;
///
/// assert_eq!(wrap("a guard that holds", 10), ["a guard", "that holds"]);
/// // Wide characters take two columns.
/// assert_eq!(wrap("日本語", 4), ["日本", "語"]);
/// ```
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_widths(text, width, width)
}

/// Breaks a text into lines; the first has a width of its own.
fn wrap_widths(text: &str, first: usize, others: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut rest, mut width) = (text, first.max(1));
    while columns(rest) > width {
        let end = fitting(rest, width);
        // A break in the middle of a word is better than a line that is nearly empty.
        let space = rest[..end].rfind(' ').filter(|space| *space > end / 2);
        let (line, behind) = match space {
            Some(space) => (&rest[..space], rest[space..].trim_start_matches(' ')),
            None => (&rest[..end], &rest[end..]),
        };
        lines.push(line.to_owned());
        rest = behind;
        width = others.max(1);
    }
    lines.push(rest.to_owned());
    lines
}

/// Returns the longest part from the start that fits; at least one character with its marks.
fn fitting(text: &str, width: usize) -> usize {
    let mut taken = 0;
    for (index, piece) in text.grapheme_indices(true) {
        taken += columns(piece);
        if taken > width && index > 0 {
            return index;
        }
    }
    text.len()
}

/// The prefixes of the lines of a paragraph.
#[derive(Debug, Clone, Copy)]
pub struct Indents<'a> {
    first: &'a str,
    others: &'a str,
}

impl<'a> Indents<'a> {
    /// Creates a prefix for the first line and another one for the lines after it.
    pub const fn new(first: &'a str, others: &'a str) -> Self {
        Self { first, others }
    }

    /// Creates the same prefix for all lines.
    pub const fn all(indent: &'a str) -> Self {
        Self::new(indent, indent)
    }
}

/// Formats a paragraph: a text wrapped to a width, with prefixes. Without a width, nothing is wrapped.
///
/// ```
/// use hookloop_text::{Indents, paragraph};
///
/// let indents = Indents::new("help: ", "      ");
/// let text = paragraph("give it the bit to run", indents, Some(20));
/// assert_eq!(text, "help: give it the\n      bit to run\n");
/// ```
pub fn paragraph(text: &str, indents: Indents<'_>, width: Option<usize>) -> String {
    let lines = match width {
        Some(width) => {
            let beside = |indent: &str| width.saturating_sub(columns(indent));
            wrap_widths(text, beside(indents.first), beside(indents.others))
        }
        None => vec![text.to_owned()],
    };
    let mut paragraph = String::new();
    for (index, line) in lines.iter().enumerate() {
        let indent = if index == 0 {
            indents.first
        } else {
            indents.others
        };
        paragraph.push_str(format!("{indent}{line}").trim_end());
        paragraph.push('\n');
    }
    paragraph
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-4: lines fit, whatever the text, and all of it is there.
    #[test]
    fn lines_fit_and_nothing_is_lost() {
        let text = "a hook 日本語日本語 with-a-very-long-word-that-fits-nowhere 👩‍💻👩‍💻 end";
        for width in 2..40 {
            let lines = wrap(text, width);
            assert!(
                lines.iter().all(|line| columns(line) <= width),
                "{width}: {lines:?}"
            );
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        }
    }

    /// CM-1: wide characters take two columns.
    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(columns("日本a"), 5);
    }
}
