//! What was written to a terminal and may not be on it yet (TU-5).
//!
//! Between this program and the screen are buffers: the system's, and those of a connection. What
//! they contain is shown before anything that is drawn later, so a key that is pressed meanwhile
//! seems to have no effect. A terminal that answers questions reports what has arrived: a question
//! is written after a frame, and its answer comes when the frame was drawn. For any other terminal,
//! the state of the buffers is estimated from how long it took to write.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::pace::{Pace, SLOW};

/// How long an answer is waited for. A program that had the terminal in between may have taken it.
const LOST: Duration = Duration::from_secs(30);

/// What the system's buffers contain if they accept nothing more (Linux: the terminal's and the
/// reader's).
const BUFFERS: u64 = 12 * 1024;
/// A terminal that has to be waited for again so soon was taking something all the time.
const SOON: Duration = Duration::from_secs(1);
/// How long an estimate counts before it is tried whether the terminal has become faster. It
/// doubles each time.
const FIRST_TRIAL: Duration = Duration::from_mins(1);

/// A question whose answer hasn't come yet.
#[derive(Debug)]
struct Question {
    /// How many bytes were handed over with it and before.
    handed: u64,
    /// How many of these hadn't arrived.
    ahead: u64,
    at: Instant,
}

/// What is on its way to the terminal.
#[derive(Debug, Default)]
pub(crate) struct Transit {
    /// How many bytes are to be written, since the beginning.
    handed: u64,
    /// How many of them have arrived for certain.
    arrived: u64,
    questions: VecDeque<Question>,
    /// Whether the terminal answers.
    answers: bool,
    /// The shortest time until an answer: what even an idle connection takes.
    round_trip: Option<Duration>,
    estimate: Estimate,
}

impl Transit {
    /// Records that bytes are to be written.
    pub(crate) const fn hand_over(&mut self, bytes: usize) {
        self.handed += bytes as u64;
    }

    /// Records that a question was the last thing that was handed over.
    pub(crate) fn ask(&mut self, now: Instant) {
        self.questions.push_back(Question {
            handed: self.handed,
            ahead: self.handed - self.arrived,
            at: now,
        });
    }

    /// Returns whether a question has to follow: the terminal answers, and enough was handed over
    /// since the last one.
    pub(crate) fn has_to_ask(&self, pace: Pace) -> bool {
        let asked = self.questions.back().map_or(self.arrived, |it| it.handed);
        self.answers && self.handed - asked >= pace.share() as u64 / 2
    }

    /// Records that the terminal has answered a question.
    pub(crate) fn answered(&mut self, pace: &mut Pace, now: Instant) {
        // The answer to a question that was given up says nothing any more.
        let Some(question) = self.questions.pop_front() else {
            return;
        };
        self.answers = true;
        self.arrived = question.handed;
        let time = now.saturating_duration_since(question.at);
        let round_trip = self.round_trip.map_or(time, |it| it.min(time));
        self.round_trip = Some(round_trip);
        let ahead = usize::try_from(question.ahead).unwrap_or(usize::MAX);
        pace.record_frame(ahead, time.saturating_sub(round_trip));
    }

    /// Records how long it took to write a frame.
    pub(crate) fn wrote(&mut self, pace: &mut Pace, bytes: usize, time: Duration, now: Instant) {
        if !self.answers {
            // What the buffers take at once says nothing about the terminal.
            if time > SLOW || self.handed > 4 * BUFFERS {
                pace.record_frame(bytes, time);
            }
            self.estimate.wrote(bytes as u64, time, now);
        }
    }

    /// Returns whether more would come on the screen too late.
    pub(crate) fn is_full(&mut self, pace: Pace, now: Instant) -> bool {
        self.give_up_lost(now);
        if self.answers {
            self.handed - self.arrived > pace.share() as u64
        } else {
            self.estimate.is_full(now)
        }
    }

    /// Returns whether answers have to come.
    pub(crate) fn is_asking(&mut self, now: Instant) -> bool {
        self.give_up_lost(now);
        self.answers && !self.questions.is_empty()
    }

    /// Returns how many bytes have arrived, if the terminal reports it.
    pub(crate) fn arrived(&self) -> Option<u64> {
        self.answers.then_some(self.arrived)
    }

    /// Returns whether a question can be asked whose answer says when everything has arrived.
    pub(crate) fn can_ask(&self) -> bool {
        let asked = self.questions.back().map_or(self.arrived, |it| it.handed);
        self.answers && asked < self.handed
    }

    fn give_up_lost(&mut self, now: Instant) {
        let is_lost = |it: &Question| now.saturating_duration_since(it.at) > LOST;
        if self.answers && self.questions.front().is_some_and(is_lost) {
            self.answers = false;
            // The last one may still be answered, and then the terminal is asked again.
            self.questions.drain(..self.questions.len() - 1);
        }
    }
}

/// What the buffers of a terminal contain that doesn't answer. Only how long it takes to write says
/// anything about them, and that only when they are full.
#[derive(Debug)]
struct Estimate {
    /// How many bytes were written.
    written: u64,
    /// When the last frame that had to wait was written, and how many bytes were by then.
    waited: Option<(Instant, u64)>,
    /// How many bytes a second the terminal takes, and since when that is assumed.
    speed: Option<(u64, Instant)>,
    /// What the buffers contained at a time.
    content: (u64, Option<Instant>),
    trial: Duration,
}

impl Default for Estimate {
    fn default() -> Self {
        Self {
            written: 0,
            waited: None,
            speed: None,
            content: (0, None),
            trial: FIRST_TRIAL,
        }
    }
}

impl Estimate {
    fn wrote(&mut self, bytes: u64, time: Duration, now: Instant) {
        self.written += bytes;
        self.content = (self.content_at(now) + bytes, Some(now));
        if time <= SLOW {
            return;
        }
        let earlier = self.waited.replace((now, self.written));
        // A terminal that was only stopped for a while then takes everything at once.
        if let Some((at, written)) = earlier
            && now.saturating_duration_since(at) <= time + SOON
        {
            let millis = now.saturating_duration_since(at).as_millis().max(1);
            let millis = u64::try_from(millis).unwrap_or(u64::MAX);
            let taken = self.written - written;
            self.speed = Some(((taken * 1000 / millis).max(1), now));
            self.content = (BUFFERS, Some(now));
        }
    }

    fn content_at(&self, now: Instant) -> u64 {
        let (content, at) = self.content;
        let (Some((speed, _)), Some(at)) = (self.speed, at) else {
            return 0;
        };
        let millis = u64::try_from(now.saturating_duration_since(at).as_millis());
        content.saturating_sub(speed.saturating_mul(millis.unwrap_or(u64::MAX)) / 1000)
    }

    fn is_full(&mut self, now: Instant) -> bool {
        let Some((speed, since)) = self.speed else {
            return false;
        };
        if now.saturating_duration_since(since) > self.trial {
            self.trial = self.trial.saturating_mul(2);
            self.speed = None;
            self.waited = None;
            return false;
        }
        self.content_at(now) > speed / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    /// A connection that takes so many bytes a second, and delivers each after a while.
    fn settles(speed: u64, latency: u64) -> (u64, u64) {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        transit.hand_over(10);
        transit.ask(start);
        transit.answered(&mut pace, at(start, latency));
        // When each question is answered.
        let mut due = VecDeque::new();
        let (mut free, mut worst, mut delivered) = (latency, 0, 0);
        for now in latency..60_000 {
            while due.front().is_some_and(|it| *it <= now) {
                due.pop_front();
                transit.answered(&mut pace, at(start, now));
            }
            if transit.is_full(pace, at(start, now)) {
                continue;
            }
            let bytes = pace.share() as u64;
            transit.hand_over(pace.share());
            delivered += bytes;
            free = free.max(now) + bytes * 1000 / speed;
            if transit.has_to_ask(pace) {
                transit.ask(at(start, now));
                due.push_back(free + latency);
            }
            if now > 20_000 {
                worst = worst.max(free - now);
            }
        }
        (worst, delivered / 60)
    }

    /// TU-5: what is ahead of a key is on the screen within a second, however slow the terminal is,
    /// if it answers; and its speed is used, even if each answer takes long to come.
    #[test]
    fn little_is_ahead_of_a_key() {
        for (speed, latency) in [(1_000, 1), (1_000, 400), (20_000, 10), (1_000_000, 300)] {
            let (worst, used) = settles(speed, latency);
            assert!(worst <= 1_000, "{speed} {latency}: {worst} ms ahead");
            assert!(used >= speed.min(200_000) / 2, "{speed} {latency}: {used}");
        }
    }

    /// TU-5: a terminal that stops answering is waited for briefly, and asked again when it answers
    /// late.
    #[test]
    fn a_lost_answer_holds_nothing_back_for_long() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        transit.ask(start);
        assert!(!transit.is_full(pace, start), "nobody waits for the first");
        transit.answered(&mut pace, start);
        transit.hand_over(10_000);
        assert!(transit.has_to_ask(pace));
        transit.ask(start);
        assert!(transit.is_full(pace, at(start, 29_000)));
        assert!(!transit.is_full(pace, at(start, 31_000)));
        transit.hand_over(10_000);
        assert!(!transit.has_to_ask(pace));
        transit.answered(&mut pace, at(start, 32_000));
        assert!(transit.has_to_ask(pace));
    }

    /// TU-5: a terminal that says nothing is known to be slow once it had to be waited for twice in
    /// succession; then the buffers are left to drain. One that was only stopped isn't.
    #[test]
    fn what_is_in_the_buffers_is_estimated() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        let wait = Duration::from_secs(2);
        transit.wrote(&mut pace, 2_000, wait, start);
        transit.wrote(&mut pace, 2_000, Duration::ZERO, at(start, 100));
        transit.wrote(&mut pace, 2_000, wait, at(start, 9_000));
        assert!(!transit.is_full(pace, at(start, 9_000)), "it was stopped");
        transit.wrote(&mut pace, 1_000, Duration::ZERO, at(start, 9_100));
        transit.wrote(&mut pace, 1_100, wait, at(start, 11_100));
        assert!(transit.is_full(pace, at(start, 22_000)));
        assert!(!transit.is_full(pace, at(start, 23_500)));
        transit.wrote(&mut pace, 500, Duration::ZERO, at(start, 23_500));
        assert!(transit.is_full(pace, at(start, 23_600)));
        assert!(!transit.is_full(pace, at(start, 24_000)));
        transit.wrote(&mut pace, 50_000, Duration::ZERO, at(start, 71_000));
        assert!(transit.is_full(pace, at(start, 71_050)));
        assert!(!transit.is_full(pace, at(start, 72_000)), "it may be fast");
    }
}
