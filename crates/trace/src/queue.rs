//! The queue from the engine to the writing thread. It is bounded, so that a slow disk costs
//! neither unlimited memory nor the session's time.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_engine::RunRecord;

/// The runs of one firing.
pub(crate) type Batch = Vec<Arc<RunRecord>>;

/// The limits of the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The maximum number of firings.
    pub(crate) batches: usize,
    /// The maximum size of the hooks' inputs and outputs, in bytes; a larger firing may be queued
    /// alone.
    pub(crate) bytes: usize,
    /// How long an observer waits for room before the runs are dropped.
    pub(crate) patience: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            batches: 1024,
            bytes: 64 * 1024 * 1024,
            patience: Duration::from_secs(2),
        }
    }
}

/// Whether a batch was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It is queued.
    Queued,
    /// It was dropped.
    Dropped,
}

/// A bounded queue between threads.
#[derive(Debug)]
pub(crate) struct Queue {
    bounds: Bounds,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    batches: VecDeque<(Batch, usize)>,
    bytes: usize,
    is_closed: bool,
    /// Whether a caller has waited without success; nobody waits again until there is room.
    is_stuck: bool,
    /// The numbers of batches that were queued, and that are done.
    pushed: u64,
    done: u64,
}

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Appends a batch; waits briefly if there is no room.
    pub(crate) fn push(&self, batch: Batch) -> Pushed {
        let bytes = bytes_of(&batch);
        let mut state = self.lock();
        if !state.is_stuck {
            let no_room = |state: &mut State| !state.is_closed && !self.has_room(state, bytes);
            let waited = self
                .changed
                .wait_timeout_while(state, self.bounds.patience, no_room);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_closed {
            return Pushed::Dropped;
        }
        if !self.has_room(&state, bytes) {
            state.is_stuck = true;
            return Pushed::Dropped;
        }
        state.is_stuck = false;
        state.bytes += bytes;
        state.pushed += 1;
        state.batches.push_back((batch, bytes));
        self.changed.notify_all();
        Pushed::Queued
    }

    /// Waits for the first batch and takes it; returns `None` if the queue is closed and empty.
    /// [`Queue::finish_one`] must follow.
    pub(crate) fn take(&self) -> Option<Batch> {
        let nothing_yet = |state: &mut State| state.batches.is_empty() && !state.is_closed;
        let mut state = self
            .changed
            .wait_while(self.lock(), nothing_yet)
            .unwrap_or_else(PoisonError::into_inner);
        let (batch, bytes) = state.batches.pop_front()?;
        state.bytes -= bytes;
        self.changed.notify_all();
        Some(batch)
    }

    /// Marks the batch taken last as done.
    pub(crate) fn finish_one(&self) {
        let mut state = self.lock();
        state.done = state.done.saturating_add(1);
        self.changed.notify_all();
    }

    /// Waits until everything queued so far is done.
    pub(crate) fn wait_until_done(&self) {
        let state = self.lock();
        let goal = state.pushed;
        let waited = self.changed.wait_while(state, |state| state.done < goal);
        drop(waited);
    }

    /// Accepts no more batches; those in the queue are still handed out.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Marks that nothing reads from the queue any more, so nobody has to wait for it.
    pub(crate) fn abandon(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.done = u64::MAX;
        self.changed.notify_all();
    }

    fn has_room(&self, state: &State, bytes: usize) -> bool {
        state.batches.is_empty()
            || (state.batches.len() < self.bounds.batches
                && state.bytes.saturating_add(bytes) <= self.bounds.bytes)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No change can be half done, so a poisoned lock guards nothing broken.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes_of(batch: &[Arc<RunRecord>]) -> usize {
    let of_run = |run: &Arc<RunRecord>| {
        let content = &run.content;
        content.input.len() + content.stdout.len() + content.stderr.len()
    };
    batch.iter().map(of_run).sum()
}

#[cfg(test)]
mod tests;
