//! Applies `BeforeTool` (BT-1, BT-2, BT-5, BT-7).

use hookloop_engine::{Cleared, Pending};
use hookloop_events::{BeforeToolOutcome, Reason, ToolCall};
use hookloop_tools::{ErrorKind, ToolError};

use crate::turn_end::TurnEnd;
use crate::unrun::NotRun;

/// What happens to a call that hooks didn't refuse.
pub(crate) enum CallFate {
    /// It may run, if the policy agrees.
    Cleared(Cleared<ToolCall>),
    /// It may run if the user agrees, whatever the approval mode (BT-5).
    Asked(Pending<ToolCall>, Reason),
}

impl CallFate {
    /// Returns the call, as hooks left it.
    pub(crate) fn call(&self) -> &ToolCall {
        match self {
            Self::Cleared(call) => call,
            Self::Asked(call, _) => call,
        }
    }
}

/// Decides what happens to a call.
///
/// # Errors
/// It doesn't run: the model is told why (BT-1), or the loop ends (BT-7).
pub(crate) fn apply(
    outcome: BeforeToolOutcome<Cleared<ToolCall>, Pending<ToolCall>>,
) -> Result<CallFate, NotRun> {
    match outcome {
        BeforeToolOutcome::Proceed(call) => Ok(CallFate::Cleared(call)),
        BeforeToolOutcome::Ask(call, reason) => Ok(CallFate::Asked(call, reason)),
        BeforeToolOutcome::Deny(reason, _) => Err(blocked(&reason).into()),
        BeforeToolOutcome::Stop(reason) => Err(TurnEnd::Stopped(reason).into()),
    }
}

/// Writes the refusal of a tool for model and user (BT-1, AG-CLI-6).
pub(crate) fn blocked(reason: &Reason) -> ToolError {
    let message = format!("Tool execution blocked: {reason}");
    ToolError::new(ErrorKind::PolicyViolation, message)
}
