//! The time, as payloads and records carry it.

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Returns the time in ISO 8601, UTC, with milliseconds and `Z` (IO-1).
    fn now(&self) -> String;
}

/// The system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> String {
        format!("{:.3}", jiff::Timestamp::now())
    }
}
