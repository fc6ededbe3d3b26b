//! Applies `AfterAgent` (AA-1…4).

use hookloop_events::{AfterAgentOutcome, Memory, Reason};

use crate::turn_end::TurnEnd;

/// What becomes of a response.
pub(crate) enum ResponseFate {
    /// The turn is over.
    Ended(TurnEnd),
    /// The agent tries again with the reason as its prompt (AA-1).
    Retried(Reason),
}

/// Decides what becomes of a response, and of the model's memory.
pub(crate) fn apply(outcome: AfterAgentOutcome) -> (ResponseFate, Memory) {
    match outcome {
        AfterAgentOutcome::Accept(memory) => (ResponseFate::Ended(TurnEnd::Completed), memory),
        AfterAgentOutcome::Retry(reason, _, memory) => (ResponseFate::Retried(reason), memory),
        AfterAgentOutcome::Stop(reason, memory) => {
            (ResponseFate::Ended(TurnEnd::Stopped(reason)), memory)
        }
    }
}
