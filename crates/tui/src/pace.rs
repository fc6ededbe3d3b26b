//! How much is written to a terminal at once, and how much may wait (TU-5).

use std::time::{Duration, Instant};

/// How many bytes of finished lines the first frame has.
const FIRST: usize = 2 * 1024;
/// The minimum size of a frame: a row or two.
const MIN_BYTES: usize = 256;
/// The maximum size of a frame.
const MAX_BYTES: usize = 64 * 1024;
/// A frame that took longer was too large: keys are answered only after it.
pub(crate) const SLOW: Duration = Duration::from_millis(250);
/// A frame that took less may be followed by a larger one.
const FAST: Duration = Duration::from_millis(100);

/// How long a terminal is watched before its speed is known.
const WATCH_TIME: Duration = Duration::from_secs(5);
/// How many seconds waiting lines may take to be shown.
const MAX_DELAY_SECONDS: u64 = 10;
/// How many bytes may wait for the slowest terminal.
const MIN_ROOM: usize = 16 * 1024;
/// How many bytes may wait for a terminal that was stopped: whoever stopped it wants to read on.
const MAX_ROOM: usize = 32 * 1024 * 1024;

/// How large frames may be for a terminal to accept them without delay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace(usize);

impl Default for Pace {
    fn default() -> Self {
        Self(FIRST)
    }
}

impl Pace {
    /// Returns how many bytes of finished lines the next frame may have.
    pub(crate) const fn share(self) -> usize {
        self.0
    }

    /// Returns whether the terminal is known to be slow.
    pub(crate) const fn is_slow(self) -> bool {
        self.0 < FIRST
    }

    /// Records how long a frame took, with what was ahead of it.
    pub(crate) fn record_frame(&mut self, bytes: usize, time: Duration) {
        if time > SLOW {
            let fitting = bytes as u128 * SLOW.as_millis() / time.as_millis().max(1);
            let fitting = usize::try_from(fitting).unwrap_or(MAX_BYTES);
            self.0 = fitting.clamp(MIN_BYTES, self.0.max(MIN_BYTES));
        } else if time < FAST && bytes >= self.0 / 2 {
            self.0 = (self.0 + self.0 / 2).min(MAX_BYTES);
        }
    }
}

/// What is known about a terminal for which something waits.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    /// Since when it is watched, and how many bytes it had taken then.
    watched: Option<(Instant, u64)>,
    room: Option<usize>,
}

impl Backlog {
    /// Returns how many bytes may wait: all of them, until it is known that they would take too
    /// long.
    pub(crate) fn room(&mut self, waiting: usize, written: u64, now: Instant) -> usize {
        if waiting == 0 {
            *self = Self::default();
            return MAX_ROOM;
        }
        let (since, before) = *self.watched.get_or_insert((now, written));
        let watched = now.saturating_duration_since(since);
        if watched >= WATCH_TIME {
            self.watched = Some((now, written));
            let millis = u64::try_from(watched.as_millis()).unwrap_or(u64::MAX);
            self.room = match written.saturating_sub(before) {
                0 => None,
                taken => {
                    usize::try_from(taken.saturating_mul(MAX_DELAY_SECONDS * 1000) / millis).ok()
                }
            };
        }
        self.room
            .map_or(MAX_ROOM, |it| it.clamp(MIN_ROOM, MAX_ROOM))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-5: frames grow for a terminal that accepts them at once, and shrink at once for one that
    /// doesn't, but never to nothing.
    #[test]
    fn frames_fit_their_terminal() {
        let mut pace = Pace::default();
        for _ in 0..20 {
            pace.record_frame(pace.share(), Duration::from_millis(1));
        }
        assert_eq!(pace.share(), MAX_BYTES);
        pace.record_frame(100, Duration::from_millis(1));
        pace.record_frame(pace.share(), Duration::from_secs(128));
        assert_eq!(pace.share(), MIN_BYTES);
        pace.record_frame(100, Duration::from_millis(50));
        assert_eq!(pace.share(), MIN_BYTES, "a small frame says nothing");
    }

    /// TU-5: what waits for a slow terminal is limited by what it accepts in a while, and what
    /// waits for a stopped one, or for one about which nothing is known, by much more.
    #[test]
    fn what_waits_is_bounded() {
        let started = Instant::now();
        let at = |seconds| started + Duration::from_secs(seconds);
        let mut backlog = Backlog::default();
        assert_eq!(backlog.room(1, 0, at(0)), MAX_ROOM);
        assert_eq!(backlog.room(1, 8_000, at(4)), MAX_ROOM);
        assert_eq!(backlog.room(1, 10_000, at(5)), 20_000);
        assert_eq!(backlog.room(1, 10_000, at(9)), 20_000);
        assert_eq!(backlog.room(1, 10_000, at(10)), MAX_ROOM, "it was stopped");
        assert_eq!(backlog.room(1, 10_500, at(15)), MIN_ROOM);
        assert_eq!(backlog.room(0, 10_500, at(16)), MAX_ROOM);
    }
}
