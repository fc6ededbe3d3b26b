//! Reads lines of limited length from a stream.

/// Takes a stream in and gives its lines out.
#[derive(Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    /// How much was taken out before them.
    taken: u64,
    /// How much of them was looked at and contains no line end.
    searched: usize,
    /// Whether the part of the next line that was there has already been taken.
    skips: bool,
}

/// A whole line of a stream, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// Where in the stream it begins.
    pub(super) begins_at: u64,
}

impl Lines {
    /// Returns the buffer that is read into.
    pub(super) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Takes the next whole line out, without its end.
    pub(super) fn next(&mut self) -> Option<Line> {
        if self.skips {
            let end = self.bytes.iter().position(|byte| *byte == b'\n');
            self.drain(end.map_or(self.bytes.len(), |at| at + 1));
            self.skips = end.is_none();
        }
        let found = self.bytes[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n');
        let Some(end) = found.map(|at| self.searched + at) else {
            self.searched = self.bytes.len();
            return None;
        };
        let text = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        let begins_at = self.taken;
        self.drain(end + 1);
        self.searched = 0;
        Some(Line { text, begins_at })
    }

    fn drain(&mut self, length: usize) {
        self.bytes.drain(..length);
        self.taken += length as u64;
    }

    /// Returns where in the stream the unfinished line begins.
    pub(super) fn rest_begins_at(&self) -> u64 {
        self.taken
    }

    /// Returns how much of the stream was read.
    pub(super) fn read(&self) -> u64 {
        self.taken + self.bytes.len() as u64
    }

    /// Returns the unfinished line.
    pub(super) fn remainder(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Takes out the unfinished line: the rest of it will be left out.
    pub(super) fn skip(&mut self) {
        self.drain(self.bytes.len());
        self.searched = 0;
        self.skips = true;
    }

    /// Ends the unfinished line, because nothing more comes.
    pub(super) fn close(&mut self) {
        if !self.bytes.is_empty() {
            self.bytes.push(b'\n');
        }
    }

    /// Returns how much is there that has no end yet, in bytes.
    pub(super) fn open(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    fn next(lines: &mut Lines) -> Option<String> {
        lines.next().map(|it| it.text)
    }

    /// HT-11: a line knows where it begins, even after one that was left out.
    #[test]
    fn lines_begin_somewhere() {
        let mut lines = Lines::default();
        lines.buffer().extend_from_slice(b"ab\ncd");
        assert_eq!(lines.next().map(|it| it.begins_at), Some(0));
        assert_eq!((lines.rest_begins_at(), lines.read()), (3, 5));
        lines.skip();
        lines.buffer().extend_from_slice(b"ef\ngh\n");
        assert_eq!(lines.next().map(|it| it.begins_at), Some(8));
        assert_eq!((lines.rest_begins_at(), lines.read()), (11, 11));
    }

    /// HT-11: half lines wait for their other half.
    #[test]
    fn half_lines_wait() {
        let mut lines = Lines::default();
        lines.buffer().extend_from_slice(b"a\nb");
        assert_eq!(next(&mut lines).as_deref(), Some("a"));
        assert_eq!(next(&mut lines), None);
        assert_eq!(lines.open(), 1);
        lines.buffer().extend_from_slice(b"c\n\nd");
        assert_eq!(next(&mut lines).as_deref(), Some("bc"));
        assert_eq!(next(&mut lines).as_deref(), Some(""));
        assert_eq!(next(&mut lines), None);
        assert_eq!(lines.remainder(), "d");
        lines.close();
        assert_eq!(next(&mut lines).as_deref(), Some("d"));
        lines.close();
        assert_eq!(next(&mut lines), None);
    }

    /// HT-11: the rest of a line that was taken without its end is dropped.
    #[test]
    fn the_rest_of_a_taken_line_is_left_out() {
        let mut lines = Lines::default();
        lines.buffer().extend_from_slice(b"half");
        assert_eq!(next(&mut lines), None);
        lines.skip();
        assert_eq!((next(&mut lines), lines.open()), (None, 0));
        lines.buffer().extend_from_slice(b" and more");
        assert_eq!((next(&mut lines), lines.open()), (None, 0));
        lines.buffer().extend_from_slice(b"\nnext\nlast");
        assert_eq!(next(&mut lines).as_deref(), Some("next"));
        assert_eq!(next(&mut lines), None);
        assert_eq!(lines.remainder(), "last");
    }
}
