//! Why a call has no result of its own.

use hookloop_events::Cancelled;
use hookloop_tools::ToolError;

use crate::turn_end::TurnEnd;

/// Why a call has no result of its own: the model is told, or the turn ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NotRun {
    /// The model is told why.
    Error(ToolError),
    /// The turn ends.
    Ends(TurnEnd),
}

impl From<ToolError> for NotRun {
    fn from(error: ToolError) -> Self {
        Self::Error(error)
    }
}

impl From<TurnEnd> for NotRun {
    fn from(end: TurnEnd) -> Self {
        Self::Ends(end)
    }
}

impl From<Cancelled> for NotRun {
    fn from(cancelled: Cancelled) -> Self {
        Self::Ends(cancelled.into())
    }
}
