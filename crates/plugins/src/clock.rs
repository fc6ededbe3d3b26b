//! The time of day that components see.

use std::time::Duration;

use wasmtime_wasi::HostWallClock;

/// A clock that stands still: the time of day is nobody's business without a right to it (HT-20).
pub(crate) struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}
