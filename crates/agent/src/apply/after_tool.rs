//! Applies `AfterTool` (AT-1…4).

use hookloop_events::{AfterToolOutcome, HookContext, Reason, TailCall};
use hookloop_tools::{ErrorKind, Output, ToolError};

use crate::turn_end::TurnEnd;

/// What happens to a result.
pub(crate) enum ResultFate {
    /// The model gets it.
    Given(Output),
    /// The model gets this instead (AT-1).
    Withheld(Output),
    /// Another tool runs first, and its result replaces this one (AT-3). The context is kept for
    /// it.
    Chained(TailCall, Option<HookContext>),
}

/// Decides what happens to a result.
///
/// # Errors
/// The loop ends; the result is dropped, since a hook may have withheld it too.
pub(crate) fn apply(outcome: AfterToolOutcome, output: Output) -> Result<ResultFate, TurnEnd> {
    match outcome {
        AfterToolOutcome::Keep(context) => {
            let output = with_context(output, context.as_ref());
            Ok(ResultFate::Given(output))
        }
        AfterToolOutcome::Chain(call, context) => Ok(ResultFate::Chained(call, context)),
        AfterToolOutcome::Withhold(reason, _, context) => {
            let output = with_context(withheld_output(&reason), context.as_ref());
            Ok(ResultFate::Withheld(output))
        }
        AfterToolOutcome::Stop(reason) => Err(TurnEnd::Stopped(reason)),
    }
}

/// Appends context to what the model reads (AT-2).
pub(crate) fn with_context(mut output: Output, context: Option<&HookContext>) -> Output {
    if let Some(context) = context {
        output.llm_content.push_str("\n\n");
        output.llm_content.push_str(&context.wrapped());
    }
    output
}

/// Builds the result that replaces one that a hook withheld (AT-1).
fn withheld_output(reason: &Reason) -> Output {
    let message = format!("Tool result blocked: {reason}");
    Output {
        llm_content: message.clone(),
        media: Vec::new(),
        display: message.clone(),
        error: Some(ToolError::new(ErrorKind::PolicyViolation, message)),
        change: None,
    }
}
