//! Immediate answers: waiting for the runtime to wake the task would take longer than they do.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use super::Talk;
use crate::worker::talk::open::EARLY;

/// How long an answer is waited for on this thread.
const AT_ONCE: Duration = Duration::from_micros(500);

/// How fast a worker is, judging by what it did last.
#[derive(Debug, Default)]
pub(super) struct Pace {
    is_slow: bool,
    asked: Option<Instant>,
}

impl Pace {
    /// Notes that something was read.
    pub(super) fn note_read(&mut self) {
        if let Some(asked) = self.asked.take() {
            // An answer that came within this time counts as immediate.
            self.is_slow = asked.elapsed() > AT_ONCE;
        }
    }
}

impl Talk {
    /// Waits a moment for the answer to the question that was written, if the worker is a fast one
    /// and has no other question; returns whether there is something.
    pub(super) async fn is_answered_at_once(&mut self) -> bool {
        let is_only_one = self.open.len() == 1 && self.outgoing.is_empty();
        if !is_only_one || self.open.iter().any(|it| it.cancelled.is_some()) {
            return false;
        }
        self.pace.asked = Some(Instant::now());
        if self.pace.is_slow {
            return false;
        }
        if !self.open.iter().all(|it| it.job.is_alone) {
            // Lets other hooks be asked and started first. Without any, this thread waits at once,
            // so that the system runs the worker on the same processor.
            let_others_run().await;
        }
        if !self.output.is_ready_within(AT_ONCE) {
            self.pace.is_slow = true;
            return false;
        }
        self.pace.note_read();
        let before = self.lines.read();
        self.output.read_at_once(self.lines.buffer(), EARLY);
        self.lines.read() > before
    }
}

/// Lets the tasks that are ready run first. The runtime's own way to yield also asks the system for
/// events, which costs more than it is worth here.
async fn let_others_run() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
