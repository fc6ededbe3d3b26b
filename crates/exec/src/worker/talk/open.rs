//! Events in flight, and when each was sent to the worker. Earlier output can't be an answer
//! (HT-11).

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::Ordering;

use hookloop_engine::Captured;
use hookloop_process::unread_input;
use tokio::time::Instant;

use super::{Job, Talk};
use crate::worker::frames::question;
use crate::worker::{answer, unasked_completion};

/// How much of what a worker says before it is asked is read at once.
pub(super) const EARLY: usize = 64 * 1024;

/// The smallest id, and how many there are: whatever language a worker is written in knows such
/// numbers.
const FIRST_ID: u64 = 1 << 30;
const IDS: u64 = 1 << 30;

/// How many events are known as decided ones.
const MAX_IDS: usize = 1024;

/// The numbers of events. They can't be predicted: a worker that answers one has read its question.
#[derive(Debug, Default)]
pub(super) struct Ids {
    keys: RandomState,
    made: u64,
    given: VecDeque<u64>,
}

impl Ids {
    fn next(&mut self) -> u64 {
        loop {
            self.made += 1;
            let id = FIRST_ID + self.keys.hash_one(self.made) % IDS;
            if !self.include(id) {
                if self.given.len() == MAX_IDS {
                    self.given.pop_front();
                }
                self.given.push_back(id);
                return id;
            }
        }
    }

    /// Returns whether a number was assigned to an event.
    pub(super) fn include(&self, id: u64) -> bool {
        self.given.contains(&id)
    }
}

/// An event in flight.
pub(super) struct Open {
    pub(super) id: u64,
    pub(super) job: Job,
    /// Where the question begins and ends in everything that is written to the worker.
    begins_at: u64,
    ends_at: u64,
    /// How much of the worker's output was read when the question had been written as a whole.
    asked_at: Option<u64>,
    /// Once it was withdrawn: when the worker's time to say something about it is over.
    pub(super) cancelled: Option<Instant>,
    pub(super) stderr: Captured,
    /// What it said in half a line before it broke.
    pub(super) half: Captured,
}

impl Open {
    /// Returns whether the question was written as a whole.
    pub(super) fn was_asked(&self) -> bool {
        self.asked_at.is_some()
    }

    /// Returns whether the worker may have read some of the question, of all that it has read.
    pub(super) fn may_be_read(&self, read: u64) -> bool {
        self.was_asked() && read > self.begins_at
    }

    /// Returns whether a line that begins there can be about the event: one that began before the
    /// question was written isn't.
    pub(super) fn may_concern_event(&self, begins_at: u64) -> bool {
        self.asked_at.is_some_and(|asked| begins_at >= asked)
    }
}

impl Talk {
    /// Sends the questions that the worker has room for.
    pub(super) fn ask_next(&mut self) {
        while self.open.len() < self.concurrency
            && let Some(job) = self.waiting.pop_front()
        {
            if job.stop.cause().is_some() {
                let completion = unasked_completion(&job.stop);
                answer(job, completion);
                continue;
            }
            let id = self.ids.next();
            job.is_asked.store(true, Ordering::SeqCst);
            let question = question(id, &job.payload);
            let begins_at = self.queued;
            self.queued += question.len() as u64;
            self.outgoing.extend(question);
            self.open.push(Open {
                id,
                job,
                begins_at,
                ends_at: self.queued,
                asked_at: None,
                cancelled: None,
                stderr: Captured::default(),
                half: Captured::default(),
            });
        }
    }

    /// Processes what the worker has said before a question is written: it can't know beforehand
    /// what it will be asked, so that answers nothing.
    pub(super) fn take_early(&mut self) -> Result<(), String> {
        if self.open.iter().all(Open::was_asked) {
            return Ok(());
        }
        self.output.read_at_once(self.lines.buffer(), EARLY);
        self.take_lines()
    }

    /// Returns how much the worker may have read of what was written to it.
    pub(super) fn read_by_worker(&self) -> u64 {
        let written = self.queued - self.outgoing.len() as u64;
        let left = self.input.as_ref().and_then(unread_input);
        written.saturating_sub(left.unwrap_or(0))
    }

    /// Notes which questions have been written as a whole.
    pub(super) fn note_asked(&mut self) {
        let written = self.queued - self.outgoing.len() as u64;
        let read = self.lines.read();
        for open in &mut self.open {
            if open.asked_at.is_none() && open.ends_at <= written {
                open.asked_at = Some(read);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;

    /// HT-11: a worker that has read some events can't predict the number of the next one, nor that
    /// of another worker's event.
    #[test]
    fn nobody_can_foresee_ids() {
        let ids = || {
            let mut ids = Ids::default();
            (0..8).map(|_| ids.next()).collect::<Vec<u64>>()
        };
        let (first, second) = (ids(), ids());
        assert!(first.iter().zip(&second).all(|(one, other)| one != other));
        let steps = first.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        let mut steps: Vec<u64> = steps.collect();
        steps.sort_unstable();
        steps.dedup();
        assert_eq!(steps.len(), 7, "{first:?}");
        // Every language represents such numbers exactly.
        assert!(first.iter().all(|id| *id < 1 << 31), "{first:?}");
    }
}
