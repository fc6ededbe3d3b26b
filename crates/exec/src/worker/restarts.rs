//! How often a worker is restarted (HT-11).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many times a worker may break within a while.
const MOST: usize = 5;
/// How long that while is.
const WHILE: Duration = Duration::from_mins(1);

/// When a worker broke.
#[derive(Debug, Default)]
pub(super) struct Restarts(VecDeque<Instant>);

impl Restarts {
    /// Notes that it broke.
    pub(super) fn note(&mut self, now: Instant) {
        self.0.push_back(now);
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    /// Returns why it is not started once more, if it is not.
    pub(super) fn refusal(&self, now: Instant) -> Option<String> {
        let first = self.0.front()?;
        (self.0.len() >= MOST && now.duration_since(*first) < WHILE)
            .then(|| format!("the worker broke {MOST} times within a minute; see what it wrote with: hookloop hooks trace"))
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
        for _ in 0..MOST {
            assert_eq!(restarts.refusal(now), None);
            restarts.note(now);
            now += Duration::from_secs(1);
        }
        assert!(restarts.refusal(now).is_some());
        assert_eq!(restarts.refusal(now + WHILE), None);
    }
}
