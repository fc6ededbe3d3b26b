//! When the next frame is due (TU-5).

use std::time::{Duration, Instant};

use crate::ui::{FRAME, TICK, Ui};
use crate::view::Surface;

/// How many bytes a second are drawn over what is there, on a terminal about whose speed nothing is
/// known: a slow one that says nothing would be noticed only when the buffers in front of it are
/// full, and a key is then seen after all that is in them.
const BYTES_PER_SECOND: u64 = 300;
/// How long the next such frame is waited for at most.
const MOST: Duration = Duration::from_secs(1);

/// Spaces out the frames that only change what is there.
#[derive(Debug, Default)]
pub(super) struct Sparing {
    /// When the next one is due.
    due: Option<Instant>,
}

impl Sparing {
    /// Lets the next frame be drawn at once: somebody waits for what their key does.
    pub(super) const fn end(&mut self) {
        self.due = None;
    }

    /// Records how large a frame was that only changed what is there, if the terminal is untested.
    pub(super) fn drew(&mut self, bytes: Option<u64>, now: Instant) {
        self.due = bytes.map(|bytes| {
            let time = Duration::from_millis(bytes.saturating_mul(1000) / BYTES_PER_SECOND);
            now + time.min(MOST)
        });
    }

    /// Returns how long no such frame is drawn.
    fn rest(&self, now: Instant) -> Option<Duration> {
        let rest = self.due?.checked_duration_since(now)?;
        (!rest.is_zero()).then_some(rest)
    }
}

impl Ui {
    /// Paints unless the last frame was just now, and returns how long to wait for the next one.
    pub(super) fn paint_in_time(&mut self, pause: Duration) -> Duration {
        let now = Instant::now();
        let painted = self.painted.map(|it| now.saturating_duration_since(it));
        if let Some(elapsed) = painted.filter(|it| *it < FRAME) {
            return FRAME.saturating_sub(elapsed);
        }
        // What is finished or asked isn't delayed.
        let is_bare = self.view.surface == Surface::Painted
            && self.view.scrollback.bytes() == 0
            && self.view.unseen_question().is_none();
        if let Some(rest) = self.sparing.rest(now).filter(|_| is_bare) {
            return rest;
        }
        self.paint();
        self.pause(pause)
    }

    /// Returns how long nothing has to be drawn: no longer than until the next frame if lines wait
    /// for it.
    pub(super) fn pause(&self, pause: Duration) -> Duration {
        if self.view.scrollback.bytes() > 0 {
            FRAME
        } else if self.is_behind {
            // A terminal that reports nothing may be ready by then.
            pause.min(TICK)
        } else {
            pause
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-5: what only changes takes little of an untested terminal, and a key is answered at once;
    /// a terminal that is known waits for nothing.
    #[test]
    fn little_is_drawn_for_nobody() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut sparing = Sparing::default();
        let mut drawn = 0;
        for now in 0..20_000 {
            if sparing.rest(at(now)).is_none() {
                drawn += 100;
                sparing.drew(Some(100), at(now));
            }
        }
        assert!((5_000..=6_100).contains(&drawn), "{drawn} bytes in 20 s");
        sparing.drew(Some(100_000), at(0));
        assert_eq!(sparing.rest(at(0)), Some(MOST));
        sparing.end();
        assert_eq!(sparing.rest(at(0)), None);
        sparing.drew(None, at(0));
        assert_eq!(sparing.rest(at(0)), None);
    }
}
