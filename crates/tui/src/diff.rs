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
        Some(b'+') => Tone::Added,
        Some(b'-') => Tone::Removed,
        Some(b'@') => Tone::Faint,
        _ => Tone::Unchanged,
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
    use crate::wrap::wrap;

    /// TU-1: a change shows removed and added lines, without a header.
    #[test]
    fn changes_have_a_tone() {
        let display = "Changed a.txt\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+new\x1b[m\n";
        let (text, diff) = split_at_diff(display);
        assert_eq!(text, "Changed a.txt\n");
        let lines = diff_lines(diff.unwrap());
        let expected = [
            ("@@ -1 +1 @@", Tone::Faint),
            ("-old", Tone::Removed),
            ("+new\\u{1b}[m", Tone::Added),
        ];
        let found: Vec<_> = lines
            .iter()
            .map(|it| (it.text(), it.0[0].style.tone))
            .collect();
        assert_eq!(found, expected.map(|(text, tone)| (text.to_owned(), tone)));
    }

    /// TU-3, TU-4: a row that only continues a line of a diff can't be taken for one that was
    /// removed, added or left, wherever it is broken; also without colours.
    #[test]
    fn a_continued_line_is_no_line_of_its_own() {
        let diff = "-a - b - c - d\n+a + b + c + d + e\n  a b c - d e f g h\n";
        for columns in 7..20 {
            for line in diff_lines(diff) {
                let rows = wrap(&line, columns, 2);
                for row in &rows[1..] {
                    assert!(row.text().starts_with("… "), "{columns}: {:?}", row.text());
                }
                assert!(rows.iter().all(|it| it.width() <= columns));
            }
        }
        assert_eq!(wrap(&Line::plain("- a b c d"), 6, 2)[1].text(), "  c d");
    }

    /// TU-1: a list of dashes isn't a diff.
    #[test]
    fn dashes_are_no_diff() {
        assert_eq!(split_at_diff("a\n--- b\nc"), ("a\n--- b\nc", None));
    }
}
