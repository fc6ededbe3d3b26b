//! Shortens long text.

use unicode_segmentation::UnicodeSegmentation;

use crate::wrap::columns;

/// The mark where text was cut off.
pub const MORE: char = '…';

/// Cuts a text to `longest` characters, with a mark at the end.
pub fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}{MORE}", &text[..end]),
        None => text.to_owned(),
    }
}

/// Cuts a text that a message quotes.
pub fn excerpt(text: &str) -> String {
    shortened(text, 80)
}

/// Returns a text on one line, with each run of white space replaced by a space, cut like
/// [`shortened`].
///
/// ```
/// use hookloop_text::shorten::one_line;
///
/// assert_eq!(one_line("git\n  commit -m x", 10), "git commit…");
/// ```
pub fn one_line(text: &str, longest: usize) -> String {
    shortened(
        &text.split_whitespace().collect::<Vec<_>>().join(" "),
        longest,
    )
}

/// Writes a number with what it counts: `1 line`, `2 lines`.
///
/// ```
/// use hookloop_text::counted;
///
/// assert_eq!(counted(1, "hook"), "1 hook");
/// assert_eq!(counted(0, "hook"), "0 hooks");
/// ```
pub fn counted(count: impl std::fmt::Display, one: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {one}{ending}")
}

/// Returns the first line that isn't blank, trimmed, and cut like [`shortened`].
pub fn first_line(text: &str, longest: usize) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(shortened(line, longest))
}

/// Returns the start of a text, with a limit in bytes and lines, and the number of bytes that were
/// left out.
pub fn truncate(text: &str, bytes: usize, lines: usize) -> (&str, usize) {
    let mut end = text.floor_char_boundary(bytes);
    let mut line_ends = text.match_indices('\n').map(|(at, _)| at + 1);
    if let Some(line_end) = lines.checked_sub(1).and_then(|it| line_ends.nth(it)) {
        end = end.min(line_end);
    }
    (&text[..end], text.len() - end)
}

/// Cuts a text to a number of columns, including the mark, without splitting a character.
pub fn to_columns(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut left = room.saturating_sub(1);
    let mut short = String::new();
    for piece in text.graphemes(true) {
        let Some(rest) = left.checked_sub(columns(piece)) else {
            break;
        };
        left = rest;
        short.push_str(piece);
    }
    short.push(MORE);
    short
}

/// Shortens the path of a file to a number of columns, including the mark: what is left out is in
/// the middle, because the end says which file it is, and the start where. The end is as long as
/// its name, if there is room.
pub fn path_to_columns(path: &str, room: usize) -> String {
    if columns(path) <= room {
        return path.to_owned();
    }
    let name = path.trim_end_matches(['/', '\\']).rfind(['/', '\\']);
    let name = name.map_or(0, |at| columns(&path[at..]));
    let room = room.saturating_sub(1);
    // A name that leaves no room for anything else is shortened, too.
    let tail = name.max(room.div_ceil(2)).min(room);
    let mut left = tail;
    let mut start = path.len();
    for (at, piece) in path.grapheme_indices(true).rev() {
        let Some(rest) = left.checked_sub(columns(piece)) else {
            break;
        };
        left = rest;
        start = at;
    }
    // The mark is that of the head.
    let head = to_columns(path, room - tail + 1);
    format!("{head}{}", &path[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-1: a cut text has a mark, and a text that fits isn't cut.
    #[test]
    fn a_cut_is_marked() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "abc…");
        assert_eq!(one_line(" a\n\tb  c ", 3), "a b…");
        assert_eq!(first_line("\n  out \nmore", 9).as_deref(), Some("out"));
        assert_eq!(first_line(" \n", 9), None);
        assert_eq!(to_columns("日本語", 5), "日本…");
        assert_eq!(to_columns("日本語", 6), "日本語");
    }

    /// TU-1: the name of a file stays, as long as there is room for it; never more is shown than
    /// fits, and what fits isn't shortened.
    #[test]
    fn a_path_keeps_its_end() {
        let path = "/home/ana/shop/src/components/basket/total.rs";
        assert_eq!(path_to_columns(path, 45), path);
        assert_eq!(path_to_columns(path, 24), "/home/ana/s…ket/total.rs");
        assert_eq!(path_to_columns(path, 12), "/h…/total.rs");
        assert_eq!(path_to_columns(path, 5), "…l.rs");
        assert_eq!(
            path_to_columns("a/日本語のファイル.rs", 14),
            "…のファイル.rs"
        );
        for path in [
            path,
            "a/日本語のファイル.rs",
            "👩‍👩‍👧/👩‍👩‍👧/x",
            "nothing_but_a_name.rs",
        ] {
            for room in 1..50 {
                let shown = path_to_columns(path, room);
                assert!(columns(&shown) <= room, "{room}: {shown}");
                let is_whole = columns(path) <= room;
                assert_eq!(shown == path, is_whole, "{room}: {shown}");
            }
        }
    }

    /// CM-5: a huge text is shown from its beginning, with the amount that is missing.
    #[test]
    fn a_huge_text_is_cut() {
        assert_eq!(truncate("a\nb", 100, 2), ("a\nb", 0));
        assert_eq!(truncate(&"x\n".repeat(1000), 1000, 7).0.lines().count(), 7);
        let wide = "ü".repeat(1 << 20);
        let (shown, left_out) = truncate(&wide, 1001, 7);
        assert_eq!((shown.len(), shown.len() + left_out), (1000, wide.len()));
    }
}
