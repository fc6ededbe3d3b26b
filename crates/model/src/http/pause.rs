//! When to try again, and the clock that this needs.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Duration;

use hookloop_engine::BoxFuture;

use crate::http::failure::{Failure, Retry};
use crate::http::transport::Transport;

/// The wait after the first failure, before its jitter; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// Waits between attempts; a port, so that tests don't wait.
pub(crate) trait Pause: Send + Sync {
    /// Waits.
    fn wait(&self, time: Duration) -> BoxFuture<'_, ()>;

    /// Returns a number from 0 up to 1 that differs each time, so that clients which failed
    /// together don't come back together.
    fn jitter(&self) -> f64;
}

/// Waits on the real clock.
pub(crate) struct RealPause;

impl Pause for RealPause {
    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }

    fn jitter(&self) -> f64 {
        // Each hasher has random keys, which are enough here without a random number generator.
        let random = u32::try_from(RandomState::new().hash_one(0_u8) >> 32).unwrap_or(0);
        f64::from(random) / (f64::from(u32::MAX) + 1.0)
    }
}

/// Decides how long to wait before the next attempt; `None` if there is none (MO-1).
///
/// What a server asks for is obeyed exactly, unless it is longer than anybody waits.
pub(crate) fn wait_after(
    failure: &Failure,
    attempt: u32,
    transport: &Transport,
    jitter: f64,
) -> Option<Duration> {
    if attempt >= transport.attempts {
        return None;
    }
    match failure.retry {
        Retry::Never => None,
        Retry::After(wait) => (wait <= transport.longest_wait).then_some(wait),
        Retry::WhenCalm => {
            let doubled =
                FIRST_WAIT.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
            Some(
                doubled
                    .mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0)
                    .min(transport.longest_wait),
            )
        }
    }
}
