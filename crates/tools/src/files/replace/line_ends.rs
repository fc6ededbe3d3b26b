//! Replaces text in files with either kind of line endings.
//!
//! The model sees and writes line feeds. Texts are compared without the carriage returns of line
//! endings, and everything outside the replaced text stays byte for byte.

use std::borrow::Cow;

/// Replaces every occurrence of `old` in `content`, and returns the result and their number.
///
/// In a file with mostly CRLF line ends, `new` gets such line ends too.
pub(crate) fn replace_all(content: &str, old: &str, new: &str) -> (String, usize) {
    let compared = Normalized::from(content);
    let wanted = to_line_feeds(old);
    let new = if is_mostly_crlf(content) {
        Cow::Owned(to_line_feeds(new).replace('\n', "\r\n"))
    } else if old.contains("\r\n") {
        to_line_feeds(new)
    } else {
        Cow::Borrowed(new)
    };
    let mut result = String::with_capacity(content.len());
    let mut copied = 0;
    let mut found = 0;
    for (start, part) in compared.text.match_indices(wanted.as_ref()) {
        result.push_str(&content[copied..compared.original_offset(start)]);
        result.push_str(&new);
        copied = compared.original_offset(start + part.len());
        found += 1;
    }
    result.push_str(&content[copied..]);
    (result, found)
}

/// Returns new content for a file with the line ends of the old content.
pub(in crate::files) fn with_line_ends_of<'new>(old: &str, new: &'new str) -> Cow<'new, str> {
    if is_mostly_crlf(old) {
        Cow::Owned(to_line_feeds(new).replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(new)
    }
}

fn to_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

fn is_mostly_crlf(content: &str) -> bool {
    let crlf = content.matches("\r\n").count();
    crlf * 2 > content.matches('\n').count()
}

/// A text without the carriage returns of its line ends, and how to restore them.
struct Normalized<'a> {
    text: Cow<'a, str>,
    /// The positions, in `text`, of the line feeds that lost a carriage return.
    losses: Vec<usize>,
}

impl<'a> Normalized<'a> {
    fn from(content: &'a str) -> Self {
        let losses = content
            .match_indices("\r\n")
            .enumerate()
            .map(|(before, (place, _))| place - before)
            .collect();
        Self {
            text: to_line_feeds(content),
            losses,
        }
    }

    /// Returns where a position of `text` is in the original.
    fn original_offset(&self, place: usize) -> usize {
        place + self.losses.partition_point(|&loss| loss < place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// TO-1: line ends of a CRLF file are kept, in the replaced text and around it.
    #[test]
    fn crlf_is_kept() {
        let (text, found) = replace_all("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz");
        assert_eq!((text.as_str(), found), ("x\r\ny\r\nz\r\nc\r\n", 1));
        let (text, found) = replace_all("a\r\nb\nc\r\n", "b\nc", "b");
        assert_eq!((text.as_str(), found), ("a\r\nb\r\n", 1));
        let (text, found) = replace_all("a\nb\n", "a\r\nb", "x\r\ny");
        assert_eq!((text.as_str(), found), ("x\ny\n", 1));
    }

    proptest! {
        /// TO-1: replacing a text by itself changes nothing if all line ends are the same.
        #[test]
        fn replacing_by_itself_is_nothing(
            first in "[ab ]{1,3}",
            others in prop::collection::vec("[ab ]{0,3}", 0..8),
            start in any::<prop::sample::Index>(),
            length in 1usize..9,
            end in prop_oneof![Just("\n"), Just("\r\n")],
        ) {
            let lines = [vec![first], others].concat();
            let content = lines.join(end);
            let plain = lines.join("\n");
            let start = start.index(plain.len());
            let seen = &plain[start..plain.len().min(start + length)];
            let (text, found) = replace_all(&content, seen, seen);
            prop_assert_eq!(text, content);
            prop_assert!(found >= 1);
        }

        /// TO-1: without carriage returns it is a plain replacement.
        #[test]
        fn without_crlf_it_is_plain(content in "[ab\n]{0,30}", old in "[ab\n]{1,3}", new in "[xy\n]{0,3}") {
            let (text, found) = replace_all(&content, &old, &new);
            prop_assert_eq!(text, content.replace(&old, &new));
            prop_assert_eq!(found, content.matches(&old).count());
        }
    }
}
