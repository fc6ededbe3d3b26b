//! How turns end (LO-1).

use hookloop_engine::FlowEnd;
use hookloop_events::{Cancelled, Cause, Reason};
use hookloop_model::ModelError;

/// How a turn ended. Refusals, stops, cancellations and failures all leave a turn as the error of
/// one `Result`, so no step can continue after one of them.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    /// The agent responded, and the response was accepted.
    Completed,
    /// A hook refused the turn (BA-2, BM-4, AM-3), or failed where a failure refuses (IO-21).
    Refused(Reason, Cause),
    /// A hook ended the agent loop (OUT-3).
    Stopped(Reason),
    /// The user cancelled (LO-4).
    Cancelled,
    /// The model was called as often as a turn allows (LO-3).
    LimitReached(u32),
    /// The model ended its last response early, for the reason that it gives: the response is
    /// incomplete (LO-3).
    EndedEarly(String),
    /// The model returned no response, or an incomplete one; the text is the reason.
    Failed(String),
}

impl TurnEnd {
    /// Returns the word for how a turn ended, for records.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Refused(..) => "refused",
            Self::Stopped(_) => "stopped",
            Self::Cancelled => "cancelled",
            Self::LimitReached(_) => "limit_reached",
            Self::EndedEarly(_) => "ended_early",
            Self::Failed(_) => "failed",
        }
    }
}

impl From<ModelError> for TurnEnd {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Cancelled => Self::Cancelled,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<FlowEnd> for TurnEnd {
    fn from(end: FlowEnd) -> Self {
        match end {
            FlowEnd::Refused(reason, cause) => Self::Refused(reason, cause),
            FlowEnd::Stopped(reason) => Self::Stopped(reason),
            FlowEnd::Cancelled(cancelled) => cancelled.into(),
        }
    }
}

impl From<Cancelled> for TurnEnd {
    /// Hooks are cancelled with their turn, and nothing happens because of their silence (EV-5).
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
