//! The signal that ends a running hook.

use std::sync::Arc;
use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

/// Why a hook is being ended.
///
/// Deliberately exhaustive: for each cause, an executor must decide whether a hook that it didn't
/// ask in time may be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// Its timeout passed (IO-31).
    TimedOut,
    /// The turn was cancelled (IO-33).
    Cancelled,
}

/// Asks an executor to end a hook; the first cause counts.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    token: CancellationToken,
    cause: Arc<OnceLock<StopCause>>,
}

impl StopSignal {
    /// Creates a signal that hasn't been given.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal.
    pub fn stop(&self, cause: StopCause) {
        // A second cause is ignored: the hook is ending already.
        self.cause.get_or_init(|| cause);
        self.token.cancel();
    }

    /// Waits until the signal is given.
    pub async fn stopped(&self) {
        self.token.cancelled().await;
    }

    /// Returns why the hook is being ended, if it is.
    pub fn cause(&self) -> Option<StopCause> {
        self.cause.get().copied()
    }
}
