//! Unified diffs as styled lines.

use crate::styled::{Line, Tone};
use hookloop_text::visible_cells;

/// Returns a diff's lines without its header, which repeats the file's name.
pub(crate) fn diff_lines(diff: &str) -> Vec<Line> {
    let diff = visible_cells(diff);
    let mut lines = diff.lines().peekable();
    if lines.peek().is_some_and(|it| it.starts_with("--- ")) {
        lines.next();
        lines.next_if(|it| it.starts_with("+++ "));
    }
    lines.map(diff_line).collect()
}

/// Colours a line of a diff.
pub(crate) fn diff_line(line: &str) -> Line {
    let tone = match line.as_bytes().first() {
        Some(b'+') => Tone::Good,
        Some(b'-') => Tone::Bad,
        Some(b'@') => Tone::Faint,
        _ => Tone::Plain,
    };
    Line::new(line, tone)
}

/// Splits a tool's display text where a diff begins in it.
pub(crate) fn split_at_diff(display: &str) -> (&str, Option<&str>) {
    let start = if display.starts_with("--- ") {
        Some(0)
    } else {
        display.find("\n--- ").map(|at| at + 1)
    };
    match start {
        Some(start) if display[start..].contains("\n@@ ") => {
            (&display[..start], Some(&display[start..]))
        }
        _ => (display, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-1: a change shows removed and added lines, without a header.
    #[test]
    fn changes_have_a_tone() {
        let display = "Changed a.txt\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new\x1b[m\n";
        let (text, diff) = split_at_diff(display);
        assert_eq!(text, "Changed a.txt\n");
        let lines = diff_lines(diff.unwrap());
        let expected = [
            ("@@ -1 +1 @@", Tone::Faint),
            ("-old", Tone::Bad),
            ("+new\\u{1b}[m", Tone::Good),
        ];
        let found: Vec<_> = lines
            .iter()
            .map(|it| (it.text(), it.0[0].style.tone))
            .collect();
        assert_eq!(found, expected.map(|(text, tone)| (text.to_owned(), tone)));
    }

    /// TU-1: a list of dashes isn't a diff.
    #[test]
    fn dashes_are_no_diff() {
        assert_eq!(split_at_diff("a\n--- b\nc"), ("a\n--- b\nc", None));
    }
}
