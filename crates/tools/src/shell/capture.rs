//! Captures the start and the end of a command's output, however long it is (TO-2).

use std::collections::VecDeque;

/// How many bytes of the beginning, and of the end, are kept.
pub(crate) const KEPT_BYTES: usize = 64 * 1024;

/// The output of a command or server, in constant memory: the first and the last 64 KiB are kept.
#[derive(Debug, Default)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
    /// Bytes of an incomplete character, for the stream of pieces.
    incomplete: Vec<u8>,
}

impl Capture {
    /// Adds a piece, and returns the text that can be shown already.
    ///
    /// A character that is split between two pieces is returned with the second one.
    pub fn push(&mut self, piece: &[u8]) -> String {
        let to_head = piece.len().min(KEPT_BYTES - self.head.len());
        self.head.extend_from_slice(&piece[..to_head]);
        let mut rest = &piece[to_head..];
        if rest.len() > KEPT_BYTES {
            self.left_out += as_count(rest.len() - KEPT_BYTES);
            rest = &rest[rest.len() - KEPT_BYTES..];
        }
        let surplus = (self.tail.len() + rest.len()).saturating_sub(KEPT_BYTES);
        self.left_out += as_count(surplus);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
        self.decode(piece)
    }

    fn decode(&mut self, piece: &[u8]) -> String {
        let mut bytes = std::mem::take(&mut self.incomplete);
        bytes.extend_from_slice(piece);
        if let Err(error) = std::str::from_utf8(last_bytes(&bytes))
            && error.error_len().is_none()
        {
            let kept = last_bytes(&bytes).len() - error.valid_up_to();
            self.incomplete = bytes.split_off(bytes.len() - kept);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the output as text, with a mark where bytes were left out.
    #[must_use]
    pub fn text(&self) -> String {
        if self.looks_binary() {
            let total = as_count(self.head.len() + self.tail.len()) + self.left_out;
            return format!("[binary output, {total} bytes, not shown]");
        }
        if self.left_out == 0 {
            // Head and tail are adjacent; a character may span both.
            let whole: Vec<u8> = self.head.iter().chain(&self.tail).copied().collect();
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        format!(
            "{}\n… {} bytes left out …\n{}",
            String::from_utf8_lossy(&self.head).trim_end_matches('\u{fffd}'),
            self.left_out,
            String::from_utf8_lossy(&tail).trim_start_matches('\u{fffd}')
        )
    }

    fn looks_binary(&self) -> bool {
        self.head.iter().take(4096).any(|&byte| byte == 0)
    }
}

/// Returns the end of `bytes` that contains the last character, beginning at a character's first
/// byte.
fn last_bytes(bytes: &[u8]) -> &[u8] {
    let earliest = bytes.len().saturating_sub(4);
    let start = (earliest..bytes.len())
        .rev()
        .find(|&index| bytes[index] & 0b1100_0000 != 0b1000_0000)
        .unwrap_or(bytes.len());
    &bytes[start..]
}

fn as_count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// TO-2: however the output is split into pieces, the streamed text and the kept text are
        /// complete.
        #[test]
        fn pieces_make_no_difference(text in "[a-zé→🦀\n]{0,60}", size in 1usize..9) {
            let mut capture = Capture::default();
            let streamed: String = text.as_bytes().chunks(size).map(|piece| capture.push(piece)).collect();
            prop_assert_eq!(&streamed, &text);
            prop_assert_eq!(capture.text(), text);
        }

        /// TO-2: no byte is lost uncounted, and the memory stays constant.
        #[test]
        fn every_byte_is_kept_or_counted(sizes in prop::collection::vec(0usize..100_000, 0..9)) {
            let mut capture = Capture::default();
            for size in &sizes {
                capture.push(&vec![b'x'; *size]);
            }
            let total: usize = sizes.iter().sum();
            let kept = capture.head.len() + capture.tail.len();
            prop_assert!(kept <= 2 * KEPT_BYTES);
            prop_assert_eq!(as_count(total), as_count(kept) + capture.left_out);
        }
    }

    /// TO-2: head and tail are kept, and the gap is reported.
    #[test]
    fn the_gap_is_told() {
        let mut capture = Capture::default();
        capture.push(b"begin");
        for _ in 0..5 {
            capture.push(&vec![b'.'; KEPT_BYTES]);
        }
        capture.push(b"end");
        let text = capture.text();
        assert!(text.starts_with("begin.") && text.ends_with("...end"));
        assert!(
            text.contains(&format!("… {} bytes left out …", 3 * KEPT_BYTES + 8)),
            "{}",
            &text[KEPT_BYTES..KEPT_BYTES + 60]
        );
    }

    /// TO-2: binary output is reported as such.
    #[test]
    fn binary_output_is_not_shown() {
        let mut capture = Capture::default();
        capture.push(b"\x7fELF\0\0");
        assert_eq!(capture.text(), "[binary output, 6 bytes, not shown]");
    }
}
