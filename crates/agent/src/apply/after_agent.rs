//! Applies `AfterAgent` (AA-1…4).

use hookloop_events::{AfterAgentOutcome, Memory, Rejection};

use crate::turn_end::TurnEnd;

/// What happens to a response.
pub(crate) enum ResponseFate {
    /// It is accepted.
    Accepted,
    /// The turn ends without accepting it.
    Ended(TurnEnd),
    /// The agent tries again with the reason as its prompt (AA-1).
    Retried(Rejection),
}

/// Decides what happens to a response, and to the model's memory.
pub(crate) fn apply(outcome: AfterAgentOutcome) -> (ResponseFate, Memory) {
    match outcome {
        AfterAgentOutcome::Accept(memory) => (ResponseFate::Accepted, memory),
        AfterAgentOutcome::Retry(rejection, memory) => (ResponseFate::Retried(rejection), memory),
        AfterAgentOutcome::Stop(reason, memory) => {
            (ResponseFate::Ended(TurnEnd::Stopped(reason)), memory)
        }
    }
}
