//! Applies `BeforeModel` (BM-1…5).

use hookloop_engine::Cleared;
use hookloop_events::BeforeModelOutcome;
use hookloop_model::{Chunk, Request};

use crate::turn_end::TurnEnd;

/// What happens to a request.
pub(crate) enum RequestFate {
    /// It goes to the model.
    Sent(Cleared<Request>),
    /// It is answered without the model, and the turn goes on (BM-3).
    Answered(Chunk),
    /// It is not made. An answer that a hook gave all the same is shown and kept (BM-4).
    Ended(TurnEnd, Option<Chunk>),
}

/// Decides what happens to a request.
pub(crate) fn apply(outcome: BeforeModelOutcome<Cleared<Request>>) -> RequestFate {
    match outcome {
        BeforeModelOutcome::Send(request) => RequestFate::Sent(request),
        BeforeModelOutcome::Answer(response) => RequestFate::Answered(Chunk::from_given(&response)),
        BeforeModelOutcome::Refuse {
            reason,
            cause,
            response,
        } => {
            let answer = response.map(|response| Chunk::from_given(&response));
            RequestFate::Ended(TurnEnd::Refused(reason, cause), answer)
        }
        BeforeModelOutcome::Stop { reason, response } => {
            let answer = response.map(|response| Chunk::from_given(&response));
            RequestFate::Ended(TurnEnd::Stopped(reason), answer)
        }
    }
}
