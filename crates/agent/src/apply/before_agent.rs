//! Applies `BeforeAgent` (BA-1…3).

use hookloop_events::BeforeAgentOutcome;
use hookloop_model::{Content, Part};

use crate::turn_end::TurnEnd;

/// What happens to a prompt.
pub(crate) enum PromptFate {
    /// The turn begins with this message.
    Begins(Content),
    /// The turn ends; the message doesn't enter the history.
    Dropped(TurnEnd),
    /// The turn ends; the message stays in the history.
    KeptAndEnded(Content, TurnEnd),
}

/// Decides what happens to a prompt.
pub(crate) fn apply(outcome: BeforeAgentOutcome, mut message: Content) -> PromptFate {
    match outcome {
        BeforeAgentOutcome::Proceed(context) => {
            if let Some(context) = context {
                message
                    .parts
                    .push(Part::text(format!("\n\n{}", context.wrapped())));
            }
            PromptFate::Begins(message)
        }
        BeforeAgentOutcome::Refuse(reason, cause) => {
            PromptFate::Dropped(TurnEnd::Refused(reason, cause))
        }
        BeforeAgentOutcome::Stop(reason) => {
            PromptFate::KeptAndEnded(message, TurnEnd::Stopped(reason))
        }
    }
}
