//! The text of a settings file, with its places.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookloop_hook::Layer;
use hookloop_hook::{Position, Source};

/// Distance of the marks that make a column of a very long line cheap to find, in bytes.
const MARK_EVERY: usize = 1024;

/// Longest line that is shown as a whole, in characters.
const MAX_SNIPPET_LENGTH: usize = 240;

/// A text and where its lines begin.
#[derive(Debug)]
pub(crate) struct FileText {
    /// The file and layer, without a place.
    origin: Source,
    text: String,
    /// Byte offsets at which lines begin.
    line_starts: Vec<usize>,
    /// Characters before the byte `index * MARK_EVERY`.
    marks: Vec<usize>,
}

impl FileText {
    pub(crate) fn new(origin: Source, text: String) -> Self {
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        for (index, byte) in bytes.iter().enumerate() {
            // A lone carriage return also ends a line, even for the parser's line comments.
            let ends_line =
                *byte == b'\n' || (*byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
            if ends_line {
                line_starts.push(index + 1);
            }
        }
        let mut marks = Vec::with_capacity(bytes.len() / MARK_EVERY + 1);
        let mut characters = 0;
        for chunk in bytes.chunks(MARK_EVERY) {
            marks.push(characters);
            characters += count_characters(chunk);
        }
        Self {
            origin,
            text,
            line_starts,
            marks,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn layer(&self) -> Option<Layer> {
        self.origin.layer
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self
            .line_starts
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        let column = if offset - start <= MARK_EVERY {
            count_characters(&self.text.as_bytes()[start..offset])
        } else {
            self.characters_before(offset) - self.characters_before(start)
        };
        Position {
            line: saturate(line),
            column: saturate(column + 1),
        }
    }

    /// Returns the byte at which a place of this text begins.
    pub(crate) fn offset(&self, place: Position) -> usize {
        let line = usize::try_from(place.line).unwrap_or(usize::MAX);
        let start = self.line_starts.get(line.saturating_sub(1)).copied();
        let start = start.unwrap_or(self.text.len());
        let column = usize::try_from(place.column).unwrap_or(usize::MAX);
        self.text[start..]
            .char_indices()
            .nth(column.saturating_sub(1))
            .map_or(self.text.len(), |(index, _)| start + index)
    }

    pub(crate) fn source_at(&self, offset: usize) -> Source {
        self.origin.at(self.position(offset))
    }

    /// Returns the line of a place; a very long line is cut around it.
    pub(crate) fn snippet(&self, position: Position) -> Option<String> {
        let index = usize::try_from(position.line).ok()?.checked_sub(1)?;
        let start = *self.line_starts.get(index)?;
        let end = self
            .line_starts
            .get(index + 1)
            .copied()
            .unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        if line.len() <= MAX_SNIPPET_LENGTH {
            return Some(line.to_owned());
        }
        let column = usize::try_from(position.column).ok()?;
        let skipped = column.saturating_sub(MAX_SNIPPET_LENGTH / 2);
        let from = self.offset_of(self.characters_before(start) + skipped);
        let rest = self.text.get(from..start + line.len()).unwrap_or_default();
        let length = rest.char_indices().nth(MAX_SNIPPET_LENGTH).map(|it| it.0);
        let shown = &rest[..length.unwrap_or(rest.len())];
        let before = if skipped > 0 { "…" } else { "" };
        let after = if length.is_none() { "" } else { "…" };
        Some(format!("{before}{shown}{after}"))
    }

    /// Returns the byte at which a character of the text begins, its end if there is no such
    /// character.
    fn offset_of(&self, character: usize) -> usize {
        let mark = self.marks.partition_point(|before| *before <= character);
        let mark = mark.saturating_sub(1);
        let begin = mark * MARK_EVERY;
        let before = self.marks.get(mark).copied().unwrap_or_default();
        let bytes = self.text.as_bytes()[begin..].iter().enumerate();
        let mut starts = bytes.filter(|(_, byte)| **byte & 0xC0 != 0x80);
        let found = starts.nth(character - before);
        found.map_or(self.text.len(), |(index, _)| begin + index)
    }

    fn characters_before(&self, offset: usize) -> usize {
        let mark = offset / MARK_EVERY;
        match self.marks.get(mark) {
            Some(before) => {
                before + count_characters(&self.text.as_bytes()[mark * MARK_EVERY..offset])
            }
            None => count_characters(self.text.as_bytes()),
        }
    }
}

/// Counts the characters that begin in a piece of UTF-8.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Keeps texts, so that a later problem can show its line.
#[derive(Debug, Default, Clone)]
pub struct Documents {
    files: HashMap<Arc<Path>, Arc<FileText>>,
}

impl Documents {
    /// Returns the line that a source points to, if its file was read.
    pub fn snippet(&self, source: &Source) -> Option<String> {
        self.files.get(&source.file)?.snippet(source.position?)
    }

    pub(crate) fn insert(&mut self, text: Arc<FileText>) {
        self.files.insert(Arc::clone(&text.origin.file), text);
    }

    pub(crate) fn get(&self, file: &Path) -> Option<&Arc<FileText>> {
        self.files.get(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> FileText {
        FileText::new(Source::of_file(Path::new("f")), content.to_owned())
    }

    fn place(content: &str, offset: usize) -> (u32, u32) {
        let position = text(content).position(offset);
        (position.line, position.column)
    }

    /// ST-4: columns count characters from 1, a tab is one, line ends of every system count.
    #[test]
    fn columns_count_characters() {
        assert_eq!(place("a\n\tbé€x", 9), (2, 5));
        assert_eq!(place("a\r\nb", 3), (2, 1));
        assert_eq!(place("a\rb", 2), (2, 1));
        assert_eq!(place("", 0), (1, 1));
        assert_eq!(place("abc", 99), (1, 4));
    }

    /// ST-4: places in a very long line are right beyond the marks.
    #[test]
    fn long_lines_have_right_columns() {
        let content = format!("x\n{}z", "é".repeat(5000));
        assert_eq!(place(&content, content.len() - 1), (2, 5001));
    }

    /// ST-5: the snippet of a very long line is cut around the place, whatever precedes it.
    #[test]
    fn long_snippets_are_cut_between_characters() {
        for before in ["a", "é", "€", "\u{1f600}", "aé€"] {
            let lead = before.repeat(1500);
            let content = format!("first\n{lead}HERE{lead}\nlast");
            let column = u32::try_from(lead.chars().count() + 1).unwrap();
            let position = Position { line: 2, column };
            let snippet = text(&content).snippet(position).unwrap();
            let around = before.repeat(10);
            assert!(
                snippet.contains(&format!("{around}HERE{around}")),
                "{snippet}"
            );
            assert!(
                snippet.starts_with('…') && snippet.ends_with('…'),
                "{snippet}"
            );
        }
        let position = Position {
            line: 1,
            column: 999,
        };
        assert_eq!(
            text(&"x".repeat(400)).snippet(position).as_deref(),
            Some("…")
        );
    }

    /// ST-5: the snippet of a very long line is cut around the place.
    #[test]
    fn long_snippets_are_cut() {
        let content = format!("{}HERE{}", "a".repeat(5000), "b".repeat(5000));
        let snippet = text(&content)
            .snippet(Position {
                line: 1,
                column: 5001,
            })
            .unwrap();
        assert!(snippet.contains("HERE") && snippet.chars().count() < 300);
        assert_eq!(
            text("a\r\nb")
                .snippet(Position { line: 1, column: 1 })
                .unwrap(),
            "a"
        );
    }
}
