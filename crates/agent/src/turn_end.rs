//! How turns end (LO-1).

use hookloop_events::{Cancelled, Reason};

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    /// The agent answered, and the answer was accepted.
    Completed,
    /// A hook refused the turn (BA-2, BM-4, AM-3).
    Refused(Reason),
    /// A hook ended the agent loop (OUT-3).
    Stopped(Reason),
    /// The user cancelled (LO-4).
    Cancelled,
    /// The model was asked as often as a turn allows (LO-3).
    LimitReached(u32),
    /// The model gave no answer; the text says why.
    Failed(String),
}

impl From<Cancelled> for TurnEnd {
    /// Hooks are cancelled with their turn, and nothing of it happens on their silence (EV-5).
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
