//! Applies `AfterModel` to a chunk (AM-2…4).

use hookloop_events::AfterModelOutcome;
use hookloop_model::Chunk;

use crate::turn_end::TurnEnd;

/// Returns the chunk as it may be shown and kept, or how the turn ends without it.
pub(crate) fn apply(outcome: AfterModelOutcome, mut chunk: Chunk) -> Result<Chunk, TurnEnd> {
    match outcome {
        AfterModelOutcome::Keep => Ok(chunk),
        AfterModelOutcome::Replace(given) => {
            chunk.replace_text(&given);
            Ok(chunk)
        }
        AfterModelOutcome::Refuse(reason, cause) => Err(TurnEnd::Refused(reason, cause)),
        AfterModelOutcome::Stop(reason) => Err(TurnEnd::Stopped(reason)),
    }
}
