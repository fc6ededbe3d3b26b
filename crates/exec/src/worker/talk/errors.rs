//! What a worker writes to standard error, attributed to the event that is running and used in
//! messages (HT-12).

use std::future::{Future as _, pending, poll_fn};
use std::pin::pin;
use std::task::Poll;

use hookloop_process::Reader;
use tokio::io::AsyncReadExt as _;

use super::Talk;
use crate::worker::frames::shortened;

/// How much of what a worker says on standard error is kept for messages, in bytes.
const LAST_WORDS: usize = 2048;

/// How much of standard error is read at once, in bytes, and how often before an answer is
/// processed.
const PIECE: usize = 4096;
const MAX_PIECES: usize = 64;

impl Talk {
    /// Reads what is there of standard error before an answer is processed: what was written before
    /// the answer belongs to its event (HT-12).
    pub(super) async fn keep_waiting_errors(&mut self) {
        for _ in 0..MAX_PIECES {
            self.error_bytes.reserve(PIECE);
            let read = {
                let mut reading = pin!(read_errors(&mut self.errors, &mut self.error_bytes));
                let at_once = poll_fn(|context| match reading.as_mut().poll(context) {
                    Poll::Ready(length) => Poll::Ready(Some(length)),
                    Poll::Pending => Poll::Ready(None),
                });
                at_once.await
            };
            let Some(length) = read else { return };
            self.keep_errors(length);
            if length == 0 {
                return;
            }
        }
    }

    /// Keeps what the worker wrote to standard error: for the running event, if there is exactly
    /// one (HT-12).
    pub(super) fn keep_errors(&mut self, length: usize) {
        let read = std::mem::take(&mut self.error_bytes);
        if length == 0 {
            self.errors = None;
        }
        if let [open] = self.open.as_mut_slice() {
            let room = open.job.cap.saturating_sub(open.stderr.bytes.len());
            open.stderr.bytes.extend(&read[..read.len().min(room)]);
            open.stderr.total += read.len() as u64;
        }
        self.last_words.extend(read);
        let surplus = self.last_words.len().saturating_sub(LAST_WORDS);
        self.last_words.drain(..surplus);
    }

    pub(super) fn with_last_words(&self, why: String) -> String {
        let words = String::from_utf8_lossy(&self.last_words);
        match words.lines().rfind(|line| !line.trim().is_empty()) {
            Some(words) => format!("{why}; its last words: {}", shortened(words)),
            None => why,
        }
    }
}

/// Reads standard error, and waits forever when it is closed.
pub(super) async fn read_errors(errors: &mut Option<Reader>, bytes: &mut Vec<u8>) -> usize {
    match errors {
        Some(reader) => reader.read_buf(bytes).await.unwrap_or(0),
        None => pending().await,
    }
}
