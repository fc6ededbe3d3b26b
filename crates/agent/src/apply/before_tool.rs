//! Applies `BeforeTool` (BT-1, BT-2, BT-5, BT-7).

use hookloop_engine::{Cleared, Pending};
use hookloop_events::{BeforeToolOutcome, Reason, ToolCall};
use hookloop_tools::{ErrorKind, ToolError};

/// What becomes of a call.
pub(crate) enum CallFate {
    /// It may run, if the policy agrees.
    Cleared(Cleared<ToolCall>),
    /// It may run if the user agrees, whatever the approval mode (BT-5).
    Asked(Pending<ToolCall>, Reason),
    /// It does not run, and the model is told why (BT-1).
    Refused(ToolError),
    /// It does not run, and the loop ends (BT-7).
    Stopped(Reason),
}

/// Decides what becomes of a call.
pub(crate) fn apply(outcome: BeforeToolOutcome<Cleared<ToolCall>, Pending<ToolCall>>) -> CallFate {
    match outcome {
        BeforeToolOutcome::Proceed(call) => CallFate::Cleared(call),
        BeforeToolOutcome::Ask(call, reason) => CallFate::Asked(call, reason),
        BeforeToolOutcome::Deny(reason, _) => CallFate::Refused(blocked(&reason)),
        BeforeToolOutcome::Stop(reason) => CallFate::Stopped(reason),
    }
}

/// Words the refusal of a tool for model and user (BT-1, AG-CLI-6).
pub(crate) fn blocked(reason: &Reason) -> ToolError {
    let message = format!("Tool execution blocked: {reason}");
    ToolError::new(ErrorKind::PolicyViolation, message)
}
