//! What a host provides: the time, and its own type of model request.

use hookloop_events::llm::LlmRequestPatch;
use hookloop_events::{SharedRequest, ToolChoice};

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

/// A request to the model, as the host holds it: with everything that hooks can't see.
///
/// The engine is generic over it, so that a host keeps its own type and nothing is converted
/// while no hook asks for it.
pub trait ModelRequest: Send + Sync + Sized {
    /// Returns what hooks see of the request. Called only if a hook runs.
    fn view(&self) -> SharedRequest;

    /// Applies what hooks changed; what they can't see keeps its place (BM-1, BM-2).
    #[must_use]
    fn patched(self, patch: &LlmRequestPatch) -> Self;

    /// Restricts the tools as hooks chose (TS-1).
    #[must_use]
    fn with_tools(self, choice: &ToolChoice) -> Self;
}
