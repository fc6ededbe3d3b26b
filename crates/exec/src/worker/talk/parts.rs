//! Incomplete lines from a worker: longer than the cap, or never ended (HT-11, IO-24).

use hookloop_engine::{Captured, Completion, Ending};

use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use super::open::Open;
use super::{DRAIN, LEAVING, Talk, capped};
use crate::worker::frames::{Fragment, Frame, WorkerMessage, holds_refusal};
use crate::worker::lines::Line;
use crate::worker::{Job, answer};

impl Talk {
    /// Ends the program that nobody asks any more, and looks at what it says until then: a refusal
    /// of what was already decided is lost, which is reported.
    pub(super) async fn leave(&mut self) {
        self.input = None;
        let most = self.longest_line();
        let rest = async {
            while self.lines.open() <= most
                && matches!(self.output.read_buf(self.lines.buffer()).await, Ok(length) if length > 0)
            {
            }
        };
        // A timeout is harmless: the output ends when the program does.
        let _ = timeout(LEAVING, rest).await;
        self.lines.close();
        if let Err(why) = self.take_lines() {
            self.remarks.push(why);
        }
        self.end(DRAIN).await;
    }

    /// Answers the event of a line that is longer than any answer may be: its length can be caused
    /// by what the hook judges, so it is output over the cap (IO-20), and a refusal in it counts
    /// (IO-24).
    pub(super) fn take_overlong(&mut self) {
        let line = self.lines.remainder();
        let total = line.len() as u64;
        let fragment = Fragment::read(&line);
        let Some(place) = self.event_index(&fragment) else {
            for open in std::mem::take(&mut self.open) {
                let stdout = Captured {
                    bytes: Vec::new(),
                    total,
                };
                self.answer_cut(open, stdout);
            }
            return;
        };
        let open = self.open.remove(place);
        if let Some(reason) = fragment.refusal {
            self.refuse(open, reason);
            return;
        }
        let mut bytes = fragment.reply.into_bytes();
        bytes.truncate(open.job.cap);
        self.answer_cut(open, Captured { bytes, total });
    }

    fn answer_cut(&mut self, open: Open, stdout: Captured) {
        let stderr = open.stderr.clone();
        let (job, completion) = self.complete_job(open, Ending::Exited(0), stdout, stderr);
        self.is_told = true;
        answer(job, completion);
    }

    fn refuse(&mut self, open: Open, reason: String) {
        let (job, completion) = self.conclude(open, WorkerMessage::Refuse(reason));
        self.is_told = true;
        answer(job, completion);
    }

    /// Returns the answer to an event with which a line begins, if that refuses: what follows it in
    /// the line withdraws no refusal.
    pub(super) fn refusal_in(&mut self, line: &Line) -> Option<(Job, Completion)> {
        let fragment = Fragment::read(&line.text);
        let is_about =
            |it: &Open| fragment.id == Some(it.id) && it.may_concern_event(line.begins_at);
        let place = self.open.iter().position(is_about)?;
        let message = match fragment.refusal {
            Some(reason) => WorkerMessage::Refuse(reason),
            None if holds_refusal(&fragment.reply) => WorkerMessage::Error {
                why: "something follows its answer in the line".to_owned(),
                reply: fragment.reply,
            },
            None => return None,
        };
        let open = self.open.remove(place);
        Some(self.conclude(open, message))
    }

    /// Returns the place of the event that the line without an end is about: the one that it names,
    /// or the only one.
    fn event_index(&self, fragment: &Fragment) -> Option<usize> {
        let place = match fragment.id {
            Some(id) => self.open.iter().position(|open| open.id == id),
            None => (self.open.len() == 1).then_some(0),
        };
        let begins_at = self.lines.rest_begins_at();
        place.filter(|place| self.open[*place].may_concern_event(begins_at))
    }

    /// Processes an answer whose line has no end yet, or the refusal in half an answer, before the
    /// time of an event is over.
    pub(super) fn take_unended(&mut self) -> Result<(), String> {
        let rest = self.lines.remainder();
        if Frame::read(&rest).is_some() {
            self.lines.close();
            self.remarks.push(
                "its answer has no line end, so it was read when its time ran out".to_owned(),
            );
            return self.take_lines();
        }
        let fragment = Fragment::read(&rest);
        // The id may be in the part that is still to come.
        if fragment.refusal.is_some() && self.event_index(&fragment).is_some() {
            self.take_half(&rest);
            // Read again once complete, it would be a second refusal of an event that is already
            // decided.
            self.lines.skip();
        }
        Ok(())
    }

    /// Processes what the program left, and returns how it ended. Nothing more comes: an answer
    /// without a line end is one, and a refusal in half an answer counts.
    pub(super) fn finish(&mut self, how: &str) -> String {
        let mut outcome = self.take_lines();
        let rest = self.lines.remainder();
        if outcome.is_ok() && Frame::read(&rest).is_some() {
            self.lines.close();
            outcome = self.take_lines();
        } else if outcome.is_ok() && !rest.trim().is_empty() {
            self.take_half(&rest);
        }
        match outcome {
            Ok(()) => format!("the worker {how}"),
            Err(why) => format!("the worker {how}; {why}"),
        }
    }

    /// Keeps what half a line says about an event.
    fn take_half(&mut self, line: &str) {
        let fragment = Fragment::read(line);
        let Some(place) = self.event_index(&fragment) else {
            return;
        };
        if let Some(reason) = fragment.refusal {
            let open = self.open.remove(place);
            self.refuse(open, reason);
        } else {
            let open = &mut self.open[place];
            open.half = capped(fragment.reply, open.job.cap);
        }
    }
}
