//! How often a worker is restarted (HT-11).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many times a worker may break within a while.
const MAX_FAILURES: usize = 5;
/// How long that while is.
const WINDOW: Duration = Duration::from_mins(1);

/// When a worker broke.
#[derive(Debug, Default)]
pub(super) struct Restarts(VecDeque<Instant>);

impl Restarts {
    /// Notes that it broke.
    pub(super) fn note(&mut self, now: Instant) {
        self.0.push_back(now);
        if self.0.len() > MAX_FAILURES {
            self.0.pop_front();
        }
    }

    /// Returns why it isn't started once more, if it isn't.
    pub(super) fn refusal(&self, now: Instant) -> Option<String> {
        let first = self.0.front()?;
        (self.0.len() >= MAX_FAILURES && now.duration_since(*first) < WINDOW).then(|| {
            format!(
                "the worker failed {MAX_FAILURES} times within a minute; see what it wrote with: \
                 hookloop hooks trace"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HT-11: a worker that breaks five times within a minute is left alone for the rest of it.
    #[test]
    fn restarts_are_bounded() {
        let mut restarts = Restarts::default();
        let mut now = Instant::now();
        for _ in 0..MAX_FAILURES {
            assert_eq!(restarts.refusal(now), None);
            restarts.note(now);
            now += Duration::from_secs(1);
        }
        assert!(restarts.refusal(now).is_some());
        assert_eq!(restarts.refusal(now + WINDOW), None);
    }
}
