//! Markdown that arrives piece by piece: blocks that are complete, and the one that still grows.

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
        let settled = start_of_last_block(&self.tail);
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

/// Finds where the last block begins: only that one may still change its meaning.
fn start_of_last_block(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut start = 0;
    for (event, range) in parser(text).into_offset_iter() {
        match event {
            Event::Start(_) => {
                if depth == 0 {
                    start = range.start;
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => start = range.start,
            _ => {}
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// TU-1: a block is settled when the next one begins, and not earlier.
    #[test]
    fn a_block_is_settled_by_the_next_one() {
        let mut stream = MarkdownStream::default();
        assert_eq!(
            stream.push("# Title\n\nSome te"),
            Some("# Title\n\n".to_owned())
        );
        assert_eq!(
            stream.push("xt\n\n```rust\nfn"),
            Some("Some text\n\n".to_owned())
        );
        assert_eq!(stream.push(" main() {}\n\n# no heading\n"), None);
        let code = stream.push("```\nend");
        assert!(code.unwrap().ends_with("```\n"));
        assert_eq!(stream.finish(), Some("end".to_owned()));
        assert_eq!(stream.finish(), None);
    }

    proptest! {
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
