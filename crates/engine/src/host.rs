//! What a host provides: the time, and its own type of model request.

use hookloop_events::llm::LlmRequestPatch;
use hookloop_events::{SharedRequest, ToolChoice};

/// Provides the current time.
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

/// A model request in the host's own type, including everything that hooks can't see.
///
/// The engine is generic over this type, so nothing is converted unless a hook reads the request.
pub trait ModelRequest: Send + Sync + Sized {
    /// Returns what hooks see of the request. Called only if a hook runs.
    fn view(&self) -> SharedRequest;

    /// Applies the hooks' changes. Whatever hooks can't see stays unchanged (BM-1, BM-2).
    #[must_use]
    fn patched(self, patch: &LlmRequestPatch) -> Self;

    /// Restricts the tools as hooks chose (TS-1).
    #[must_use]
    fn with_tools(self, choice: &ToolChoice) -> Self;
}
