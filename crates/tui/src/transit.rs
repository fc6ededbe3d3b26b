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
/// An answer that takes longer may be lost. Until that is known, a frame is drawn now and then.
const LATE: Duration = Duration::from_secs(2);
/// How long nothing is drawn then.
const TRICKLE: Duration = Duration::from_secs(1);

/// How much the system's buffers accept at once after a write had to wait for them (Linux: a
/// terminal's buffers, of about 20 KB, are nearly empty before a writer is woken).
const FREED: u64 = 14 * 1024;
/// What the buffers contain then.
const LEFT: u64 = 4 * 1024;
/// A terminal that takes nothing for so long was stopped, and isn't slow.
const STOPPED: Duration = Duration::from_mins(1);
/// A short time, for what a terminal takes at once.
const BURST: Duration = Duration::from_secs(10);
/// How long an estimate counts at least before it is tried whether the terminal was only stopped.
const FIRST_TRIAL: Duration = Duration::from_secs(5);
/// How long an estimate that proved right counts before it is tried whether the terminal has become
/// faster, which fills the buffers if it hasn't. It doubles each time.
const NEXT_TRIAL: Duration = Duration::from_mins(5);

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
    /// When something was last handed over although an answer was late.
    trickled: Option<Instant>,
    /// Whether the terminal may be asked if it turns out to be slow, and hasn't been asked yet.
    is_askable: bool,
    estimate: Estimate,
    burst: Burst,
}

impl Transit {
    /// Records that bytes are to be written.
    pub(crate) const fn hand_over(&mut self, bytes: usize) {
        self.handed += bytes as u64;
    }

    /// Lets questions be asked if the terminal turns out to be slow.
    pub(crate) const fn allow_questions(&mut self) {
        self.is_askable = true;
    }

    /// Records that a question was the last thing that was handed over.
    pub(crate) fn ask(&mut self, now: Instant) {
        self.is_askable = false;
        self.questions.push_back(Question {
            handed: self.handed,
            ahead: self.handed - self.arrived,
            at: now,
        });
    }

    /// Returns whether a question has to follow: the terminal answers, and enough was handed over
    /// since the last one; or it had to be waited for, and may answer.
    pub(crate) fn has_to_ask(&self, pace: Pace) -> bool {
        if self.is_askable && self.estimate.has_waited() {
            return true;
        }
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
            if time > SLOW || self.handed > 4 * FREED {
                pace.record_frame(bytes, time);
            }
            self.estimate.wrote(bytes as u64, time, now);
            self.burst.wrote(bytes as u64, now);
        }
    }

    /// Returns whether more would come on the screen too late.
    pub(crate) fn is_full(&mut self, pace: Pace, now: Instant) -> bool {
        self.give_up_lost(now);
        if !self.answers {
            return self.estimate.is_full(now);
        }
        if self.handed - self.arrived <= pace.share() as u64 {
            self.trickled = None;
            return false;
        }
        let Some(question) = self.questions.front() else {
            // What nobody asked about is little, and no answer would say that it has arrived.
            return false;
        };
        if now.saturating_duration_since(question.at) <= LATE {
            return true;
        }
        let since = |at: Instant| now.saturating_duration_since(at);
        let is_due = self.trickled.is_none_or(|at| since(at) >= TRICKLE);
        if is_due {
            self.trickled = Some(now);
        }
        !is_due
    }

    /// Returns whether answers have to come.
    pub(crate) fn is_asking(&mut self, now: Instant) -> bool {
        self.give_up_lost(now);
        self.answers && !self.questions.is_empty()
    }

    /// Returns whether it isn't known whether the terminal is slow or was only stopped.
    pub(crate) const fn is_unsure(&self) -> bool {
        !self.answers && self.estimate.is_unsure()
    }

    /// Returns how many bytes were handed over, if nothing is known about the terminal's speed: it
    /// never answered, never had to be waited for, and never took much at once.
    pub(crate) const fn untested(&self) -> Option<u64> {
        let is_tested = self.answers || self.estimate.has_waited() || self.burst.proves_speed;
        if is_tested { None } else { Some(self.handed) }
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

/// How much was written in a short time, without a wait: more than the buffers accept says that the
/// terminal isn't slow.
#[derive(Debug, Default)]
struct Burst {
    since: Option<Instant>,
    bytes: u64,
    proves_speed: bool,
}

impl Burst {
    fn wrote(&mut self, bytes: u64, now: Instant) {
        let since = *self.since.get_or_insert(now);
        if now.saturating_duration_since(since) > BURST {
            self.since = Some(now);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.proves_speed |= self.bytes > 4 * FREED;
    }
}

/// What the buffers of a terminal contain that doesn't answer. Only how long it takes to write says
/// anything about them, and that only when they are full.
#[derive(Debug, Default)]
struct Estimate {
    /// How often the terminal had to be waited for.
    waits: u32,
    /// How many bytes a second the terminal takes.
    speed: Option<Speed>,
    /// What the buffers contained at a time.
    content: (u64, Option<Instant>),
}

/// An assumption about how fast a terminal is.
#[derive(Debug, Clone, Copy)]
struct Speed {
    bytes: u64,
    /// Since when it is assumed.
    since: Instant,
    /// For how long.
    trial: Duration,
}

impl Estimate {
    const fn has_waited(&self) -> bool {
        self.waits > 0
    }

    /// Returns whether it isn't known whether the terminal is slow or was only stopped.
    const fn is_unsure(&self) -> bool {
        self.waits == 1
    }

    fn wrote(&mut self, bytes: u64, time: Duration, now: Instant) {
        if time <= SLOW {
            self.content = (self.content_at(now) + bytes, Some(now));
            return;
        }
        if time > STOPPED {
            return;
        }
        let trial = match self.waits {
            0 => FIRST_TRIAL.max(time.saturating_mul(2)),
            waits => NEXT_TRIAL.saturating_mul(1 << waits.min(10)) / 2,
        };
        self.waits = self.waits.saturating_add(1);
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
        self.speed = Some(Speed {
            bytes: (FREED * 1000 / millis).max(1),
            since: now,
            trial,
        });
        self.content = (LEFT, Some(now));
    }

    fn content_at(&self, now: Instant) -> u64 {
        let (content, at) = self.content;
        let (Some(speed), Some(at)) = (self.speed, at) else {
            return 0;
        };
        let millis = u64::try_from(now.saturating_duration_since(at).as_millis());
        content.saturating_sub(speed.bytes.saturating_mul(millis.unwrap_or(u64::MAX)) / 1000)
    }

    fn is_full(&mut self, now: Instant) -> bool {
        let Some(speed) = self.speed else {
            return false;
        };
        if now.saturating_duration_since(speed.since) > speed.trial {
            self.speed = None;
            return false;
        }
        self.content_at(now) > speed.bytes / 4
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
        assert!(transit.is_full(pace, at(start, 1_000)));
        assert!(!transit.is_full(pace, at(start, 29_000)), "now and then");
        assert!(transit.is_full(pace, at(start, 29_500)));
        assert!(!transit.is_full(pace, at(start, 31_000)));
        assert!(!transit.is_full(pace, at(start, 31_001)), "it is lost");
        transit.hand_over(10_000);
        assert!(!transit.has_to_ask(pace));
        transit.answered(&mut pace, at(start, 32_000));
        assert!(transit.has_to_ask(pace));
    }

    /// TU-5: if an answer is late, which may be because it is lost, a frame is drawn each second.
    #[test]
    fn a_late_answer_holds_back_most_frames_only() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        transit.ask(start);
        transit.answered(&mut pace, start);
        transit.hand_over(10_000);
        transit.ask(start);
        let drawn = (0..10_000).filter(|it| !transit.is_full(pace, at(start, *it)));
        let drawn: Vec<u64> = drawn.collect();
        assert!(drawn[0] > 1_000, "{drawn:?}");
        assert!((7..=9).contains(&drawn.len()), "{drawn:?}");
        transit.answered(&mut pace, at(start, 10_000));
        assert!(!transit.is_full(pace, at(start, 10_000)));
    }

    /// TU-5: what was handed over since the last question holds nothing back, even if the terminal
    /// turns out to be slower than it seemed: nothing would say that it has arrived.
    #[test]
    fn what_nobody_asked_about_holds_nothing_back() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        transit.ask(start);
        transit.answered(&mut pace, start);
        transit.hand_over(2_000);
        transit.ask(start);
        transit.hand_over(pace.share() / 2 - 1);
        assert!(!transit.has_to_ask(pace));
        transit.answered(&mut pace, at(start, 20_000));
        assert!(!transit.is_full(pace, at(start, 20_000)), "{pace:?}");
    }

    /// TU-5: a terminal that wasn't asked at first is asked once it had to be waited for, and no
    /// other surface is.
    #[test]
    fn a_terminal_that_proves_slow_is_asked() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        let wait = Duration::from_secs(2);
        transit.wrote(&mut pace, 2_000, wait, start);
        assert!(!transit.has_to_ask(pace));
        transit.allow_questions();
        assert!(transit.has_to_ask(pace));
        transit.ask(start);
        assert!(!transit.has_to_ask(pace), "once");
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        transit.allow_questions();
        transit.wrote(&mut pace, 2_000, Duration::ZERO, start);
        assert!(!transit.has_to_ask(pace), "it is fast");
    }

    /// TU-5: a terminal is untested until it answered, had to be waited for, or took much.
    #[test]
    fn a_terminal_is_tested_by_what_it_does() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        transit.hand_over(1_000);
        transit.ask(start);
        assert_eq!(transit.untested(), Some(1_000));
        transit.answered(&mut pace, start);
        assert_eq!(transit.untested(), None);
        for (pause, is_tested) in [(100, true), (2_000, false)] {
            let mut transit = Transit::default();
            for number in 0..100 {
                let now = at(start, number * pause);
                transit.wrote(&mut pace, 1_000, Duration::ZERO, now);
            }
            assert_eq!(transit.untested().is_none(), is_tested, "{pause}");
        }
        let mut transit = Transit::default();
        transit.wrote(&mut pace, 2_000, Duration::from_secs(2), start);
        assert_eq!(transit.untested(), None);
    }

    /// TU-5: the speed of a terminal that says nothing is known once it had to be waited for, and
    /// then little is in the buffers. It is tried whether it was only stopped, soon at first.
    #[test]
    fn what_is_in_the_buffers_is_estimated() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        let mut now = 14_000;
        transit.wrote(&mut pace, 600, at(start, now) - start, at(start, now));
        assert!(transit.is_full(pace, at(start, now)));
        assert!(transit.is_unsure());
        let mut sent = LEFT;
        while now < 40_000 {
            now += 10;
            if !transit.is_full(pace, at(start, now)) {
                transit.wrote(&mut pace, 500, Duration::ZERO, at(start, now));
                sent += 500;
            }
            let drained = (now - 14_000) * 1_024 / 1_000;
            assert!(sent.saturating_sub(drained) <= LEFT.max(800), "{now}");
        }
        assert!(sent > 20_000, "{sent}");
        now += 3_000;
        assert!(!transit.is_full(pace, at(start, now)));
        for _ in 0..25 {
            transit.wrote(&mut pace, 500, Duration::ZERO, at(start, now));
            assert!(!transit.is_full(pace, at(start, now)), "it may be fast");
        }
        now += 14_000;
        transit.wrote(&mut pace, 500, Duration::from_secs(14), at(start, now));
        assert!(!transit.is_unsure());
        transit.wrote(&mut pace, 500, Duration::ZERO, at(start, now + 200_000));
        assert!(
            transit.is_full(pace, at(start, now + 200_010)),
            "it is slow"
        );
    }

    /// TU-5: a terminal that took nothing for very long was stopped, and isn't slow.
    #[test]
    fn a_stopped_terminal_is_not_slow() {
        let start = Instant::now();
        let (mut transit, mut pace) = (Transit::default(), Pace::default());
        let now = start + 10 * STOPPED;
        transit.wrote(&mut pace, 600, 9 * STOPPED, now);
        transit.wrote(&mut pace, 50_000, Duration::ZERO, now);
        assert!(!transit.is_full(pace, now));
    }
}
