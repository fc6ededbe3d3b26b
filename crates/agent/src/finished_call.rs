//! A finished call, as all records and the screen receive it.

use std::time::Duration;

use hookloop_events::ToolCall;
use hookloop_model::FunctionResponse;
use hookloop_tools::{Access, FileChange, Output};
use serde_json::{Map, Value};

use crate::frontend::{LiveFate, SessionEvent, ToolEnd};
use crate::scope::Scope;
use crate::stats::Success;
use crate::telemetry::{CallDecision, CallReport};
use crate::transcript::{Entry, ToolCallEntry};

/// A call that is finished.
pub(crate) struct FinishedCall {
    /// The call, as it ran or would have run.
    pub(crate) call: ToolCall,
    pub(crate) output: Output,
    pub(crate) access: Option<Access>,
    /// `None` if there was nothing to decide: a call of an unknown tool, or with arguments that the
    /// tool doesn't accept.
    pub(crate) decision: Option<CallDecision>,
    /// What happens to the output that was shown while it ran (AT-1).
    pub(crate) live: LiveFate,
    pub(crate) duration: Duration,
    pub(crate) ended_at: String,
    pub(crate) hook_messages: Vec<String>,
    pub(crate) hook_data: Map<String, Value>,
}

impl FinishedCall {
    /// Builds the record of a call that begins.
    pub(crate) fn start(call: ToolCall, access: Option<Access>) -> Self {
        Self {
            call,
            output: Output::new("", ""),
            access,
            decision: None,
            live: LiveFate::Stands,
            duration: Duration::ZERO,
            ended_at: String::new(),
            hook_messages: Vec::new(),
            hook_data: Map::new(),
        }
    }

    /// Writes it to telemetry, counts and transcript; `response` is what the model gets, if other
    /// calls run before the message with all responses.
    pub(crate) fn record(&self, scope: &Scope, response: Option<&FunctionResponse>) {
        let services = &scope.services;
        let report = CallReport {
            call: &self.call,
            duration: self.duration,
            decision: self.decided(),
            error: self.output.error.as_ref(),
        };
        services
            .telemetry
            .tool_call(scope.hooks.identity(), &report);
        let success = if self.output.error.is_none() {
            Success::Yes
        } else {
            Success::No
        };
        let mut stats = services.stats.lock();
        stats.count_call(&self.call.name, success, self.duration);
        if let Some(decision) = self.decision {
            stats.count_decision(&self.call.name, decision);
        }
        if self.access == Some(Access::Edit) && success == Success::Yes {
            stats.count_edit(self.output.change.as_deref());
        }
        drop(stats);
        services.transcript.append(&Entry::ToolCall(ToolCallEntry {
            timestamp: self.ended_at.clone(),
            tool_call_id: &self.call.id,
            name: &self.call.name,
            args: &self.call.arguments,
            success: success == Success::Yes,
            hook_messages: &self.hook_messages,
            hook_data: &self.hook_data,
            response,
        }));
    }

    /// Returns the decision: a call about which nothing was decided didn't run either.
    pub(crate) fn decided(&self) -> CallDecision {
        self.decision.unwrap_or(CallDecision::Reject)
    }

    /// Returns the change of a file that the call made, unless hooks withheld its result (AT-1).
    fn shown_change(&self) -> Option<&FileChange> {
        let change = self.output.change.as_deref();
        change.filter(|_| self.live == LiveFate::Stands)
    }

    pub(crate) fn show(&self, scope: &Scope) {
        scope.show(&SessionEvent::ToolFinished(ToolEnd {
            call: &self.call,
            display: &self.output.display,
            error: self.output.error.as_ref(),
            live: self.live,
            change: self.shown_change(),
        }));
    }
}
