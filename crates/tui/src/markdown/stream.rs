//! Markdown that arrives piece by piece: blocks that are complete, and the one that still grows.
//!
//! A text is always drawn block by block, so that it looks the same whether it came whole or in
//! pieces, however those were cut (TU-5).

use pulldown_cmark::Event;

use crate::markdown::{parser, render};
use crate::styled::{Line, Palette};

/// The text of a response as far as it arrived.
#[derive(Debug, Default)]
pub(crate) struct MarkdownStream {
    /// What is not settled yet: at most the last block.
    tail: String,
}

impl MarkdownStream {
    /// Takes a piece, and returns the text of the blocks that it completes.
    pub(crate) fn push(&mut self, piece: &str) -> Option<String> {
        self.tail.push_str(piece);
        if !piece.contains('\n') {
            return None;
        }
        // What a line means shows when it is whole.
        let lines = self.tail.rfind('\n').map_or(0, |end| end + 1);
        let last = blocks(&self.tail[..lines]).pop().map_or(0, str::len);
        let settled = lines - last;
        if settled == 0 {
            return None;
        }
        let rest = self.tail.split_off(settled);
        Some(std::mem::replace(&mut self.tail, rest))
    }

    /// Takes what is left: the response is complete.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let text = std::mem::take(&mut self.tail);
        (!text.trim().is_empty()).then_some(text)
    }

    /// Renders what still grows.
    pub(crate) fn tail(&self, columns: usize, palette: Palette) -> Vec<Line> {
        render(&self.tail, columns, palette)
    }
}

/// Splits a text into its blocks; together they are the text.
pub(crate) fn blocks(text: &str) -> Vec<&str> {
    let mut starts = block_starts(text);
    // What stands before the first block goes with it, and is one where there is no other.
    match starts.first_mut() {
        Some(first) => *first = 0,
        None => starts.push(0),
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pairs = starts.iter().zip(ends);
    pairs.map(|(start, end)| &text[*start..end]).collect()
}

/// Finds the lines that blocks begin with, first to last: only the last block may still change its
/// meaning.
fn block_starts(text: &str) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut starts: Vec<usize> = Vec::new();
    let mut note = |start: usize| {
        // An indent belongs to its block.
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        if starts.last() != Some(&line) {
            starts.push(line);
        }
    };
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    note(range.start);
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => note(range.start),
            _ => {}
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scrollback::Scrollback;

    /// TU-1: a block is settled when the next one begins, and not earlier.
    #[test]
    fn a_block_is_settled_by_the_next_one() {
        let mut stream = MarkdownStream::default();
        // Whether a line begins a block shows at its end.
        assert_eq!(stream.push("# Title\n\nSome te"), None);
        assert_eq!(stream.push("xt\n"), Some("# Title\n\n".to_owned()));
        assert_eq!(
            stream.push("\n```rust\nfn"),
            Some("Some text\n\n".to_owned())
        );
        assert_eq!(stream.push(" main() {}\n\n# no heading\n"), None);
        let code = stream.push("```\nend\n");
        assert!(code.unwrap().ends_with("```\n"));
        assert_eq!(stream.finish(), Some("end\n".to_owned()));
        assert_eq!(stream.finish(), None);
    }

    /// Texts as models write them, and such as are hard to cut.
    const CORPUS: &[&str] = &[
        "# Plan\n\nFirst **look**, then `cargo test`.\n\n1. one\n   - nested item\n     more\n2. two\n\n> quoted\n> more\n\nend",
        "Before\n| name | wide 日本語 | right |\n|:-----|:-----------:|------:|\n| a | 🎉 party | 1 |\n| `b` | [link](https://a.b/c) | 22 |\nafter\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n#tag | x |\n- | y |\n\n---\nfoot",
        "text\n***bold*** and *more*\n***\nnext\n#hash\n# heading\n1) one\n1. x\n",
        "```rust\nfn main() {\n    let long = \"a line that is much longer than the screen is wide, so it breaks\";\n\n}\n```\n~~~\n# no heading\n~~~\ndone",
        "    indented code\n\n    goes on\n\npara\n\n    code again\n\n- item\n\n  para of item\n\n      code of item\n\nout\n===\nlast\n---\n",
        "Look:\n```python\ndef f(x):\n    \"\"\"doc\n    more\"\"\"\n    return \"日本\" + str(0x1f)  # 🎉\n```\n```diff\n@@ -1 +1 @@\n-old\n+new\n```\n```c\n/* open\n\n   still */ int main(void) { return 'x'; } // end\n```\n",
        "<div>\nhtml\n</div>\n\ntext <b>inline</b>\n\n[a]: https://a.b\n\nsee [a] and https://x.y\n",
        "你好，世界。\n\n* 一\n  * 二\n    1. 三\n* 四 👩‍👩‍👧‍👦\n\n+ other list\n+ goes on\n\n\n\n!\n",
    ];

    /// Draws pieces, with the look of each.
    fn drawn<'t>(pieces: impl Iterator<Item = &'t str>, columns: usize) -> Vec<Line> {
        let mut scrollback = Scrollback::new(columns, Palette::Dark);
        let mut stream = MarkdownStream::default();
        for piece in pieces {
            if let Some(settled) = stream.push(piece) {
                scrollback.markdown(&settled);
            }
        }
        if let Some(rest) = stream.finish() {
            scrollback.markdown(&rest);
        }
        scrollback.take()
    }

    /// TU-5: text that is streamed looks as if it had come whole, wherever it is cut once, and if it
    /// comes letter by letter.
    #[test]
    fn a_streamed_text_looks_like_a_whole_one() {
        for text in CORPUS {
            for columns in [40, 80] {
                let whole = drawn(std::iter::once(*text), columns);
                let places = text.char_indices().map(|(place, _)| place);
                for place in places.clone() {
                    let (start, rest) = text.split_at(place);
                    assert_eq!(
                        drawn([start, rest].into_iter(), columns),
                        whole,
                        "{start:?}"
                    );
                }
                let letters = places.map(|place| {
                    let letter = text[place..].chars().next().map_or(0, char::len_utf8);
                    &text[place..place + letter]
                });
                assert_eq!(drawn(letters, columns), whole);
            }
        }
    }

    proptest! {
        /// TU-5: it does so however often it is cut.
        #[test]
        fn cuts_make_no_difference(
            text in prop::sample::select(CORPUS),
            places in prop::collection::vec(0_usize..400, 0..12),
        ) {
            let mut places: Vec<usize> = places
                .into_iter()
                .map(|place| text.floor_char_boundary(place.min(text.len())))
                .collect();
            places.extend([0, text.len()]);
            places.sort_unstable();
            let pieces = places.windows(2).map(|pair| &text[pair[0]..pair[1]]);
            let whole = drawn(std::iter::once(text), 60);
            prop_assert_eq!(drawn(pieces, 60), whole);
        }

        /// TU-5: neither does it for texts that nobody would write.
        #[test]
        fn odd_texts_look_the_same_in_pieces(
            lines in prop::collection::vec("[ab#*`>|1.~=-]{0,5}( {0,5}[a|-]{0,3})?", 0..12),
            cut in 0_usize..60,
        ) {
            let text = lines.join("\n");
            let cut = text.floor_char_boundary(cut.min(text.len()));
            let (start, rest) = text.split_at(cut);
            let whole = drawn(std::iter::once(text.as_str()), 60);
            prop_assert_eq!(drawn([start, rest].into_iter(), 60), whole);
        }

        /// TU-1: however the text is cut, nothing of it is lost or doubled.
        #[test]
        fn nothing_is_lost(pieces in prop::collection::vec("[a# *\n`1.-]{0,6}", 0..20)) {
            let mut stream = MarkdownStream::default();
            let mut text = String::new();
            for piece in &pieces {
                text.extend(stream.push(piece));
            }
            text.push_str(&stream.tail);
            prop_assert_eq!(text, pieces.concat());
        }
    }
}
