//! Markdown that arrives in pieces: the complete blocks, and the last one, which may still grow.
//!
//! A text is always drawn block by block, so it looks the same whether it arrived as a whole or in
//! pieces, wherever those were split (TU-5). The cost of a piece is proportional to its length,
//! however long the block is: a code block is parsed line by line, and any other block is parsed
//! again only after it has grown by a certain fraction of its length.

use pulldown_cmark::Event;

use crate::markdown::{parser, render};
use crate::painter::Size;
use crate::styled::{Line, Palette};

/// A block up to this length is examined with each line.
const SHORT: usize = 16 * 1024;
/// The fraction of its length by which a longer one has to have grown before it is examined again.
const SHARE: usize = 8;
/// How many bytes of text the screen has room for, for each of its cells: markup and wide letters
/// take more than they show.
const BYTES_PER_CELL: usize = 8;

/// The part of a response that has arrived.
#[derive(Debug, Default)]
pub(crate) struct MarkdownStream {
    /// What isn't settled yet: at most the last block, and what recently followed a long one.
    tail: String,
    growing: Growing,
}

/// What the tail begins with.
#[derive(Debug, Clone, Copy)]
enum Growing {
    /// A block that may end anywhere: it is examined when the tail is this long.
    Block { due: usize },
    /// Code between fences, and how much of the tail doesn't end it.
    Code { fence: Fence, seen: usize },
}

impl Default for Growing {
    fn default() -> Self {
        Self::Block { due: 0 }
    }
}

impl MarkdownStream {
    /// Takes a piece, and returns the blocks that it completes.
    pub(crate) fn push(&mut self, piece: &str) -> Vec<String> {
        self.tail.push_str(piece);
        if !piece.contains('\n') {
            return Vec::new();
        }
        // A line's meaning isn't known before it is complete.
        let lines = self.tail.rfind('\n').map_or(0, |end| end + 1);
        let ends = self.settle(lines);
        let mut begin = 0;
        let settled = ends.into_iter().map(|end| {
            let block = self.tail[begin..end].to_owned();
            begin = end;
            block
        });
        let settled = settled.collect();
        self.tail.drain(..begin);
        settled
    }

    /// Returns the ends of those blocks of the tail's complete lines that won't change their
    /// meaning any more.
    ///
    /// What follows a block may decide where it ends, so these ends are kept: the settled text
    /// split again would lack what follows.
    fn settle(&mut self, lines: usize) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut settled = 0;
        loop {
            let rest = &self.tail[settled..lines];
            match self.growing {
                Growing::Block { due } if rest.len() < due.max(1) => return ends,
                Growing::Block { .. } => {
                    let mut found = blocks(rest);
                    let last = found.pop().unwrap_or_default();
                    for block in found {
                        settled += block.len();
                        ends.push(settled);
                    }
                    let Some((fence, seen)) = Fence::opening(last) else {
                        let due = if last.len() < SHORT {
                            0
                        } else {
                            last.len() + last.len() / SHARE
                        };
                        self.growing = Growing::Block { due };
                        return ends;
                    };
                    self.growing = Growing::Code { fence, seen };
                }
                Growing::Code { fence, seen } => {
                    let Some(end) = fence.end(&rest[seen..]) else {
                        let seen = rest.len();
                        self.growing = Growing::Code { fence, seen };
                        return ends;
                    };
                    settled += seen + end;
                    ends.push(settled);
                    self.growing = Growing::default();
                }
            }
        }
    }

    /// Returns the remaining blocks: the response is complete.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        let text = std::mem::take(&mut self.tail);
        self.growing = Growing::default();
        if text.trim().is_empty() {
            return Vec::new();
        }
        blocks(&text).into_iter().map(str::to_owned).collect()
    }

    /// Renders the part that is still growing; of a long text, an end that is more than fits on the
    /// screen.
    pub(crate) fn tail(&self, size: Size, palette: Palette) -> Vec<Line> {
        let most = SHORT.max(size.rows * size.columns * BYTES_PER_CELL);
        if self.tail.len() < 2 * most {
            let shown = match self.growing {
                Growing::Block { .. } => without_table_head(&self.tail),
                Growing::Code { .. } => &self.tail,
            };
            return render(shown, size.columns, palette);
        }
        // Cuts in steps; otherwise, the rows would be wrapped anew in each frame.
        let step = (self.tail.len() / most - 1) * most;
        let from = self.tail.ceil_char_boundary(step);
        let near = &self.tail[from..self.tail.floor_char_boundary(step + most)];
        let cut = near.find('\n').or_else(|| near.find(' '));
        let end = &self.tail[from + cut.map_or(0, |it| it + 1)..];
        match self.growing {
            Growing::Block { .. } => render(end, size.columns, palette),
            Growing::Code { .. } => {
                let opening = self.tail.trim_start_matches('\n').lines().next();
                let code = format!("{}\n{end}", opening.unwrap_or_default());
                render(&code, size.columns, palette)
            }
        }
    }
}

/// Leaves out the last lines of a text that would be a table's head together with the next ones:
/// otherwise, the head would first be shown as text, and then again as a table.
fn without_table_head(text: &str) -> &str {
    let begins_cells = |line: &str| line.trim_start_matches([' ', '>']).starts_with('|');
    let is_rule = |line: &str| {
        line.trim()
            .chars()
            .all(|it| matches!(it, '|' | '-' | ':' | ' ' | '>'))
    };
    let mut starts = text.rmatch_indices('\n').map(|(end, _)| end + 1);
    let last = starts.next().unwrap_or(0);
    let before = starts.next().unwrap_or(0);
    let earlier = starts.next().unwrap_or(0);
    let is_in_table = |start: usize, end: usize| start < end && begins_cells(&text[start..end]);
    let is_after_head = is_in_table(before, last) && !is_in_table(earlier, before);
    // A row without any cells isn't a row.
    let is_bare = text[last..].trim_matches([' ', '>']) == "|";
    let begins_table = begins_cells(&text[last..]) && !is_in_table(before, last);
    let head = if is_after_head && is_rule(&text[last..]) {
        before
    } else if begins_table || is_bare {
        last
    } else {
        text.len()
    };
    &text[..head]
}

/// The fence around code.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    count: usize,
}

impl Fence {
    /// Reads the fence that begins a block, and the end of its line; `None` for other blocks.
    fn opening(block: &str) -> Option<(Self, usize)> {
        let is_blank = |line: &str| line.trim_matches([' ', '\t', '\r', '\n']).is_empty();
        let mut begins = 0;
        for line in block.split_inclusive('\n') {
            if is_blank(line) {
                begins += line.len();
                continue;
            }
            let (fence, label) = Self::read(line)?;
            // A carriage return within a line may or may not end it.
            let is_plain = !line.trim_end_matches(['\r', '\n']).contains('\r');
            let is_code = is_plain && (fence.mark != '`' || !label.contains('`'));
            return is_code.then_some((fence, begins + line.len()));
        }
        None
    }

    /// Returns the end of the line that closes the fence; `None` if there is none.
    fn end(self, lines: &str) -> Option<usize> {
        let mut end = 0;
        for line in lines.split_inclusive(['\n', '\r']) {
            end += line.len();
            let closes = Self::read(line).is_some_and(|(fence, rest)| {
                fence.mark == self.mark
                    && fence.count >= self.count
                    && rest
                        .trim_start_matches(' ')
                        .trim_end_matches(['\r', '\n'])
                        .is_empty()
            });
            if closes {
                return Some(end);
            }
        }
        None
    }

    /// Reads a fence, and what follows it in its line.
    fn read(line: &str) -> Option<(Self, &str)> {
        let text = line.trim_start_matches(' ');
        let mark = text.chars().next().filter(|it| matches!(it, '`' | '~'))?;
        let rest = text.trim_start_matches(mark);
        let count = text.len() - rest.len();
        let is_fence = count >= 3 && line.len() - text.len() < 4;
        is_fence.then_some((Self { mark, count }, rest))
    }
}

/// Splits a text into its blocks; together they are the text.
pub(crate) fn blocks(text: &str) -> Vec<&str> {
    let mut starts = block_starts(text);
    // Text before the first block belongs to it, or is a block if there is no other.
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
        // Indentation belongs to its block.
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
        // Whether a line begins a block isn't known before its end.
        assert!(stream.push("# Title\n\nSome te").is_empty());
        assert_eq!(stream.push("xt\n"), ["# Title\n\n"]);
        assert_eq!(stream.push("\n```rust\nfn"), ["Some text\n\n"]);
        assert!(stream.push(" main() {}\n\n# no heading\n").is_empty());
        let code = stream.push("```\nend\n");
        assert_eq!(code, ["```rust\nfn main() {}\n\n# no heading\n```\n"]);
        assert_eq!(stream.finish(), ["end\n"]);
        assert!(stream.finish().is_empty());
    }

    /// TU-5: a block of a megabyte streams line by line to its end, looks as if it had come as a
    /// whole, and what is drawn of it meanwhile is bounded.
    #[test]
    fn a_long_block_streams_to_its_end() {
        let size = Size {
            columns: 80,
            rows: 24,
        };
        let code = "    let value = compute(1, \"text\");\n".repeat(30_000);
        let texts = [
            format!("Look:\n\n```rust\n{code}```\nend\n"),
            format!(
                "{}\nend\n",
                "- an item with some words in it\n".repeat(30_000)
            ),
            format!(
                "{}\n\nend\n",
                "many words and no line break ".repeat(30_000)
            ),
        ];
        for text in texts {
            let mut stream = MarkdownStream::default();
            let mut settled = String::new();
            for (count, line) in text.split_inclusive('\n').enumerate() {
                settled.extend(stream.push(line));
                if count % 1000 == 0 {
                    let drawn = stream.tail(size, Palette::Dark);
                    assert!(drawn.len() < 2000, "{}", drawn.len());
                }
            }
            settled.extend(stream.finish());
            assert!(settled == text);
        }
    }

    /// TU-1: code is settled by the line that closes it, however long it is.
    #[test]
    fn code_is_settled_by_its_fence() {
        let mut stream = MarkdownStream::default();
        let code = format!("~~~~\n{}", "~~~\ncode\n".repeat(10_000));
        assert!(stream.push(&code).is_empty());
        assert!(stream.push("    ~~~~\n~~~~ x\n").is_empty());
        let settled = stream.push("  ~~~~~ \nnext");
        assert!(matches!(&settled[..], [block] if block.ends_with("  ~~~~~ \n")));
        assert_eq!(stream.tail, "next");
    }

    /// TU-5: the head of a table isn't shown before the table is; what turns out not to be one is.
    #[test]
    fn the_head_of_a_table_is_held_back() {
        let size = Size {
            columns: 80,
            rows: 24,
        };
        let shown = |text: &str| -> String {
            let mut stream = MarkdownStream::default();
            stream.push(text);
            let lines = stream.tail(size, Palette::Plain);
            lines.iter().map(Line::text).collect::<Vec<_>>().join("/")
        };
        let text = "Look:\n| one | two |\n|-----|:---:|\n| a | b |";
        for end in 0..text.len() {
            let shown = shown(&text[..end]);
            assert!(!shown.contains('|'), "{:?}: {shown}", &text[..end]);
        }
        assert!(shown("| one | two |\n|---|---|\n").contains("one  two"));
        assert!(shown("| one | two |\nno table").contains("| one | two |/no table"));
        assert!(shown("```\n| one |").contains("| one |"));
    }

    /// Texts as models write them, and texts that are hard to split.
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
            for block in stream.push(piece) {
                scrollback.markdown_block(&block);
            }
        }
        for block in stream.finish() {
            scrollback.markdown_block(&block);
        }
        scrollback.take()
    }

    /// TU-5: a block keeps the end that the next line gave it, even if it would end elsewhere
    /// without that line.
    #[test]
    fn a_block_keeps_the_end_that_the_next_line_gave_it() {
        let text = "\n>=~a|-\n=*-1   \n|1=#a\n> -|\n`  ---\n*     --\n";
        let whole = drawn(std::iter::once(text), 60);
        for place in 0..text.len() {
            let (start, rest) = text.split_at(place);
            assert_eq!(drawn([start, rest].into_iter(), 60), whole, "{start:?}");
        }
    }

    /// TU-5: streamed text looks as if it had come as a whole, wherever it is split once, and if it
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
        /// TU-5: it does so however often it is split.
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

        /// TU-5: this also applies to texts that nobody would write.
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

        /// TU-5: this also applies to fences that open and close in all ways, line by line.
        #[test]
        fn fences_look_the_same_line_by_line(
            lines in prop::collection::vec(
                " {0,4}(```|````|~~~|`` |a|- |> |)(rs|`| |\\t|\r)?",
                0..12,
            ),
        ) {
            let text = lines.join("\n");
            let whole = drawn(std::iter::once(text.as_str()), 60);
            prop_assert_eq!(drawn(text.split_inclusive('\n'), 60), whole);
        }

        /// TU-1: however the text is split, nothing is lost or duplicated.
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
