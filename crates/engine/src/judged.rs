//! The result for a tool call, or for its result, after hooks have judged it.

use std::fmt;

use hookloop_events::{
    AfterToolOutcome, BeforeToolOutcome, Cancelled, HookContext, ToolCall, ToolResponse,
};
use serde_json::{Map, Value};

use crate::cleared::{Cleared, Pending};
use crate::conclusion::Conclusion;
use crate::mask::Traces;

/// The result for a tool call that hooks have judged.
pub type ToolClearance = Conclusion<BeforeToolOutcome<Cleared<ToolCall>, Pending<ToolCall>>>;

/// Why a call wasn't settled. The call doesn't run, whatever hooks said ([BT-3], [EV-5]).
///
/// Deliberately exhaustive: a host must handle every reason why a call doesn't run.
///
/// ```
/// use hookloop_engine::{ToolClearance, Unsettled};
///
/// /// Says what became of a call, for the model.
/// fn said(judged: Result<ToolClearance, Unsettled<String>>) -> String {
///     match judged {
///         Ok(conclusion) => format!("{:?}", conclusion.outcome),
///         // The hooks decided nothing: somebody gave up. There is nobody to tell.
///         Err(Unsettled::Cancelled(_)) => "given up".to_owned(),
///         // Hooks rewrote the arguments to what the tool doesn't take: the model may try another way.
///         Err(Unsettled::Invalid { call, error }) => format!("{} can't run: {error}", call.name),
///     }
/// }
/// # drop(said);
/// ```
///
/// [BT-3]: https://github.com/hookloop/hookloop/blob/main/docs/specification/hooks.md#bt-3
/// [EV-5]: https://github.com/hookloop/hookloop/blob/main/docs/specification/hooks.md#ev-5
#[derive(Debug, Clone, PartialEq)]
pub enum Unsettled<V> {
    /// Its hooks were cancelled and decided nothing.
    Cancelled(Cancelled),
    /// Hooks rewrote it to something that the tool doesn't accept.
    Invalid {
        /// The call as hooks left it.
        call: Box<ToolCall>,
        /// What the host's validation says.
        error: V,
    },
}

impl<V> From<Cancelled> for Unsettled<V> {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

impl<V: fmt::Display> fmt::Display for Unsettled<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled(cancelled) => cancelled.fmt(formatter),
            Self::Invalid { call, error } => write!(
                formatter,
                "hooks changed the arguments of `{}` to ones that it doesn't accept: {error}",
                call.name
            ),
        }
    }
}

impl<V: fmt::Debug + fmt::Display> std::error::Error for Unsettled<V> {}

/// What to do with a tool's result, and what to record about it ([AT-5]).
///
/// [AT-5]: https://github.com/hookloop/hookloop/blob/main/docs/specification/hooks.md#at-5
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an outcome that nobody applies is a refusal that nobody obeys"]
#[non_exhaustive]
pub struct ToolConclusion {
    /// What the host must do.
    pub outcome: AfterToolOutcome,
    /// The messages for the user (`hookMessages`).
    pub messages: Vec<String>,
    /// The hooks' own data (`hookData`).
    pub data: Map<String, Value>,
}

impl ToolConclusion {
    /// Removes a withheld result from what other hooks repeated of it: neither the model nor the
    /// result's record may get it that way (AT-1).
    pub(crate) fn keep_withheld(&mut self, response: &ToolResponse) {
        let context = match &mut self.outcome {
            AfterToolOutcome::Withhold(_, _, context) => context,
            // A stop outweighs a refusal, and no part of the result is passed on.
            AfterToolOutcome::Stop(_) => &mut None,
            AfterToolOutcome::Keep(_) | AfterToolOutcome::Chain(..) => return,
        };
        let ToolResponse {
            llm_content,
            return_display,
            error,
        } = response.clone();
        let removed = [llm_content, return_display, error.unwrap_or_default()];
        let traces = Traces::of(&removed, None);
        self.messages.iter_mut().for_each(|it| traces.scrub(it));
        traces.scrub_fields(&mut self.data);
        *context = context.as_ref().and_then(|context| {
            let mut text = context.as_str().to_owned();
            traces.scrub(&mut text);
            HookContext::new(&text)
        });
    }
}
