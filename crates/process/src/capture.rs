//! Reads the output of a program, up to a cap (IO-17).

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio_util::io::poll_read_buf;

use crate::platform::Reader;

/// What is reserved for the first read: most replies are short.
const FIRST_READ: usize = 4 * 1024;
/// How much one read takes at most, apart from the first.
const READ: usize = 64 * 1024;

/// The part of an output stream that was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes of the stream, up to the cap.
    pub bytes: Vec<u8>,
    /// The total number of bytes in the stream.
    pub total: u64,
}

/// Reads one stream: its start is kept, the rest is read and dropped, so that the hook never blocks
/// and memory stays constant.
#[derive(Debug)]
pub(crate) struct Intake {
    reader: Option<Reader>,
    kept: Vec<u8>,
    dropped: Vec<u8>,
    total: u64,
    cap: usize,
}

impl Intake {
    /// Begins to read a stream, of which at most `cap` bytes are kept.
    pub(crate) fn new(reader: Option<Reader>, cap: usize) -> Self {
        Self {
            reader,
            kept: Vec::new(),
            dropped: Vec::new(),
            total: 0,
            cap,
        }
    }

    /// Returns whether the stream has been read to its end.
    pub(crate) fn is_closed(&self) -> bool {
        self.reader.is_none()
    }

    /// Returns what is kept so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.kept
    }

    /// Reads until the stream ends.
    pub(crate) fn poll_to_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Some(reader) = &mut self.reader {
            let buffer = if self.kept.len() < self.cap {
                reserve(&mut self.kept, self.cap);
                &mut self.kept
            } else {
                self.dropped.clear();
                self.dropped.reserve_exact(READ);
                &mut self.dropped
            };
            match ready!(poll_read_buf(Pin::new(reader), context, buffer)) {
                Ok(length) if length > 0 => {
                    self.total += length as u64;
                    self.kept.truncate(self.cap);
                }
                // A read error counts as the end of the stream.
                _ => self.reader = None,
            }
        }
        Poll::Ready(())
    }

    /// Returns what was read so far.
    pub(crate) fn into_captured(self) -> Captured {
        Captured {
            bytes: self.kept,
            total: self.total,
        }
    }
}

/// Makes room for the next read; grows by doubling, but hardly beyond the cap.
fn reserve(kept: &mut Vec<u8>, cap: usize) {
    if kept.capacity() > kept.len() {
        return;
    }
    let room = match kept.len() {
        0 => FIRST_READ,
        length => length.max(READ),
    };
    kept.reserve_exact(room.min((cap - kept.len()).saturating_add(1)));
}
