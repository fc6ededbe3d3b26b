//! Wraps text to a width.

use unicode_linebreak::linebreaks;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How many columns a wide character takes.
const WIDE: usize = 2;

/// How many bytes after a place are looked at to know whether a line may end there.
const CONTEXT: usize = 64;

/// Returns the number of columns of an escaped text.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Wraps a text into lines of at most `width` columns, at spaces if possible. Only spaces at line
/// breaks are dropped.
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
        let end = fitting_prefix(rest, width);
        let (line, behind) = rest.split_at(break_before(rest, end));
        lines.push(line.trim_end_matches(' ').to_owned());
        rest = behind.trim_start_matches(' ');
        width = others.max(1);
    }
    lines.push(rest.to_owned());
    lines
}

/// Returns where to break a text of which the first `end` bytes fit.
fn break_before(text: &str, end: usize) -> usize {
    let space = text[..end].rfind(' ');
    // What follows decides whether there is a break before it.
    let known = text.ceil_char_boundary(end + CONTEXT);
    let places = wide_breaks(&text[..known]).into_iter();
    let between = places.take_while(|place| *place <= end).last();
    // A break in the middle of a word is better than a line that is nearly empty.
    let place = space.max(between).filter(|place| *place > end / 2);
    place.unwrap_or(end)
}

/// Returns where a text may be broken beside characters that take two columns, by the rules of
/// Unicode: Chinese and Japanese are written without spaces, and punctuation stays with its word.
/// Everything else is broken at spaces only, so that words, paths and addresses stay whole.
///
/// ```
/// use hookloop_text::wide_breaks;
///
/// assert_eq!(wide_breaks("日本。a-b/c"), ["日".len(), "日本。".len()]);
/// assert!(wide_breaks("https://example.com/a-b").is_empty());
/// ```
pub fn wide_breaks(text: &str) -> Vec<usize> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut allowed = linebreaks(text).map(|(place, _)| place).peekable();
    let mut breaks = Vec::new();
    let mut before = 0;
    for (place, piece) in text.grapheme_indices(true) {
        let width = columns(piece);
        while allowed.next_if(|it| *it < place).is_some() {}
        let is_beside = before >= WIDE || width >= WIDE;
        if is_beside && place > 0 && allowed.peek() == Some(&place) {
            breaks.push(place);
        }
        before = width;
    }
    breaks
}

/// Returns the longest part from the start that fits; at least one character with its marks.
fn fitting_prefix(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (index, piece) in text.grapheme_indices(true) {
        used += columns(piece);
        if used > width && index > 0 {
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

/// Formats a paragraph: a text wrapped to a width, with prefixes. Without a width, nothing is
/// wrapped.
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

    /// TU-4: text without spaces breaks where its readers expect it: a full stop doesn't begin a
    /// line, a bracket doesn't end one, and Latin words in it stay whole.
    #[test]
    fn wide_text_keeps_its_punctuation() {
        assert_eq!(wrap("日本語日本。終", 10), ["日本語日", "本。終"]);
        assert_eq!(wrap("日本語「日本」", 8), ["日本語", "「日本」"]);
        assert_eq!(wrap("这是config文件", 8), ["这是", "config文", "件"]);
    }

    /// TU-4: all lines fit, whatever the text, and none of it is lost.
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
