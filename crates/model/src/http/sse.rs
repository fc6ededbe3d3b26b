//! Server-sent events, as models stream them.
//!
//! This parser limits the size of an event, and reports a stream that ends in the middle of an
//! event. Parsers made for browsers drop such an event silently.

use std::mem;

/// The maximum size of an event, in bytes. Images are sent in one.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Splits a stream of bytes into events, however the bytes were split on their way.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    /// The line that isn't complete yet.
    line: Vec<u8>,
    /// The data of the event so far; `None` without any.
    data: Option<Vec<u8>>,
    /// Whether the last byte was a carriage return, which a line feed may complete.
    after_return: bool,
    /// Whether a line was read already.
    began: bool,
}

/// An event is larger than anything that a model says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl SseParser {
    /// Takes bytes and returns the data of the events that they complete. Comments and other fields
    /// than `data` and `error` are skipped.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<String>, TooLarge> {
        let mut events = Vec::new();
        if !bytes.is_empty() && mem::take(&mut self.after_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            self.line.extend_from_slice(line);
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => rest,
            };
            self.after_return = rest == b"\r";
            self.end_line(&mut events);
            self.check_size()?;
        }
        self.line.extend_from_slice(bytes);
        self.check_size()?;
        Ok(events)
    }

    /// Ends the stream: returns the data of an event that wasn't completed. Some servers leave out
    /// the last empty line, so it may still be complete.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let mut events = Vec::new();
        self.end_line(&mut events);
        self.end_line(&mut events);
        events.pop()
    }

    fn check_size(&self) -> Result<(), TooLarge> {
        let size = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
        if size > MAX_BYTES {
            Err(TooLarge)
        } else {
            Ok(())
        }
    }

    fn end_line(&mut self, events: &mut Vec<String>) {
        let line = mem::take(&mut self.line);
        let line = if mem::replace(&mut self.began, true) {
            line.as_slice()
        } else {
            // A byte order mark isn't part of the first line.
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line)
        };
        if line.is_empty() {
            let data = self.data.take();
            events.extend(data.map(|data| String::from_utf8_lossy(&data).into_owned()));
            return;
        }
        let value = match line.strip_prefix(b"data") {
            Some(b"") => b"".as_slice(),
            Some([b':', value @ ..]) => value.strip_prefix(b" ").unwrap_or(value),
            _ => match line.strip_prefix(b"error:") {
                // Not part of the standard, but older llama.cpp servers report errors like this.
                Some(value) => value.trim_ascii_start(),
                None => return,
            },
        };
        match &mut self.data {
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut parser = SseParser::default();
        let mut events: Vec<String> = pieces
            .iter()
            .flat_map(|piece| parser.push(piece).unwrap())
            .collect();
        events.extend(parser.finish().map(|rest| format!("unfinished {rest}")));
        events
    }

    /// MO-1: comments, other fields and every kind of line end are understood.
    #[test]
    fn events_are_found() {
        let stream = "\u{feff}data: one\n\n: keep-alive\n\nevent: x\nid: 1\ndata:two\r\ndata\r\n\r\n\
             data:  three\r\rretry: 5\n\ndata: four";
        assert_eq!(
            events(&[stream.as_bytes()]),
            ["one", "two\n", " three", "unfinished four"]
        );
    }

    /// MO-1: an event without end can't use up the memory.
    #[test]
    fn the_size_of_an_event_is_bounded() {
        let mut parser = SseParser::default();
        let piece = vec![b'x'; MAX_BYTES / 4 + 1];
        let results: Vec<_> = (0..4).map(|_| parser.push(&piece)).collect();
        assert_eq!(results[2], Ok(Vec::new()));
        assert_eq!(results[3], Err(TooLarge));
    }

    proptest! {
        /// MO-1: the events are the same however the bytes were split.
        #[test]
        fn cuts_do_not_matter(
            stream in "(data: ?[a-zä€\\r\\n:]{0,6}|\r\n|\n|\r|: x){0,24}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let bytes = stream.as_bytes();
            let mut places: Vec<usize> =
                cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.push(bytes.len());
            places.sort_unstable();
            let mut start = 0;
            let pieces: Vec<&[u8]> = places
                .into_iter()
                .map(|end| &bytes[mem::replace(&mut start, end)..end])
                .collect();
            prop_assert_eq!(events(&pieces), events(&[bytes]));
        }
    }
}
