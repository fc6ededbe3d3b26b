//! Excerpts of a text that fit into a model's context.

/// The most lines that are shown when no limit is asked for.
const MAX_LINES: usize = 2000;

/// The most characters of a line that are shown.
const MAX_LINE_LENGTH: usize = 2000;

/// The most bytes that are shown at once.
const MAX_BYTES: usize = 512 * 1024;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// How many lines to leave out at the beginning.
    pub(crate) offset: usize,
    /// How many lines to show at most.
    pub(crate) limit: Option<usize>,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The lines, with line feeds as line ends.
    pub(crate) text: String,
    /// How many lines of the text stand before the excerpt.
    pub(crate) before: usize,
    /// How many lines the excerpt has.
    pub(crate) shown: usize,
    /// How many lines the whole text has.
    pub(crate) total: usize,
    /// How many of the lines shown were cut.
    pub(crate) cut: usize,
}

impl Excerpt {
    /// Takes the wanted lines of `content`, no more than the caps allow, and at least one if there is one.
    pub(crate) fn take(content: &str, lines: Lines) -> Self {
        let limit = lines.limit.unwrap_or(MAX_LINES);
        let mut excerpt = Self {
            text: String::new(),
            before: lines.offset,
            shown: 0,
            total: 0,
            cut: 0,
        };
        let mut is_full = false;
        for line in content.split_inclusive('\n') {
            let index = excerpt.total;
            excerpt.total += 1;
            is_full = is_full || excerpt.text.len() > MAX_BYTES;
            if index >= lines.offset && excerpt.shown < limit && !is_full {
                excerpt.push(line);
            }
        }
        excerpt
    }

    fn push(&mut self, line: &str) {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let ends = bare.len() < line.len();
        let bare = bare.strip_suffix('\r').filter(|_| ends).unwrap_or(bare);
        match bare.char_indices().nth(MAX_LINE_LENGTH) {
            Some((end, _)) => {
                self.text.push_str(&bare[..end]);
                self.text.push_str("... [truncated]");
                self.cut += 1;
            }
            None => self.text.push_str(bare),
        }
        if ends {
            self.text.push('\n');
        }
        self.shown += 1;
    }

    /// Returns whether all of the text is shown.
    pub(crate) const fn is_whole(&self) -> bool {
        self.shown == self.total && self.cut == 0
    }

    /// Returns the number of the first line after the excerpt, if there is one, counted from 0.
    pub(crate) fn next_offset(&self) -> Option<usize> {
        let next = self.before + self.shown;
        (next < self.total).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// TO-1: going on at the told offset shows every line exactly once.
        #[test]
        fn excerpts_put_together_are_the_text(
            lines in prop::collection::vec("[a-zé]{0,9}", 0..40),
            limit in 1usize..7,
        ) {
            let content = lines.iter().flat_map(|line| [line.as_str(), "\r\n"]).collect::<String>();
            let mut seen = String::new();
            let mut next = (!lines.is_empty()).then_some(0);
            while let Some(offset) = next {
                let excerpt = Excerpt::take(&content, Lines { offset, limit: Some(limit) });
                seen.push_str(&excerpt.text);
                next = excerpt.next_offset();
            }
            prop_assert_eq!(seen, content.replace("\r\n", "\n"));
        }
    }

    /// TO-1: very long lines and very many bytes are cut, and the excerpt says so.
    #[test]
    fn long_lines_and_many_bytes_are_cut() {
        let long = "é".repeat(MAX_LINE_LENGTH + 1);
        let excerpt = Excerpt::take(&long, Lines::default());
        assert!(excerpt.text.ends_with("é... [truncated]") && !excerpt.is_whole());
        let content = format!("{}\n", "x".repeat(MAX_LINE_LENGTH)).repeat(1000);
        let excerpt = Excerpt::take(&content, Lines::default());
        assert!(excerpt.text.len() <= MAX_BYTES + MAX_LINE_LENGTH + 1);
        assert_eq!(
            (excerpt.total, excerpt.next_offset()),
            (1000, Some(excerpt.shown))
        );
    }
}
