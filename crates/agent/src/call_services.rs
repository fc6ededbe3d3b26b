//! What a running tool may request from its turn.

use std::sync::{Arc, Mutex, PoisonError};

use hookloop_events::Reason;
use hookloop_model::{Content, NativeTool, Request, RequestParts};
use hookloop_tools::{BoxFuture, ErrorKind, GroundingKind, Services, SubAgent, ToolError};

use crate::approval_mode::ApprovalMode;
use crate::arrived::Purpose;
use crate::exchange::{WholeAnswer, exchange};
use crate::offer::Offer;
use crate::scope::{Scope, SubAgentTask};
use crate::sources;
use crate::turn_end::TurnEnd;

/// The services of a turn for one call.
pub(crate) struct CallServices<'a> {
    /// The scope of the call.
    scope: &'a Scope,
    offer: &'a Offer,
    call_id: &'a str,
    /// Why the whole loop ends, if a hook of a service said so (OUT-3).
    stopped: Mutex<Option<Reason>>,
}

impl<'a> CallServices<'a> {
    pub(crate) fn new(scope: &'a Scope, offer: &'a Offer, call_id: &'a str) -> Self {
        Self {
            scope,
            offer,
            call_id,
            stopped: Mutex::default(),
        }
    }

    /// Returns why the whole loop ends, if it does, whatever the tool does with it.
    pub(crate) fn into_stop(self) -> Option<Reason> {
        self.stopped
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Turns the end of what ran within the call into the call's own error. A stop is recorded,
    /// since a tool can neither end the loop nor keep it from ending.
    fn error(&self, what: &str, end: TurnEnd) -> ToolError {
        match end {
            TurnEnd::Stopped(reason) => {
                let message = format!("Agent execution stopped by hook: {reason}");
                let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
                stopped.get_or_insert(reason);
                ToolError::new(ErrorKind::StopExecution, message)
            }
            TurnEnd::Cancelled => ToolError::cancelled(),
            TurnEnd::Refused(reason, _) => {
                let message = format!("{what} was refused: {reason}");
                ToolError::new(ErrorKind::PolicyViolation, message)
            }
            TurnEnd::LimitReached(limit) => {
                let message = format!(
                    "{what} didn't finish: the model was asked {limit} times, which is the \
                     limit (`model.maxSessionTurns`)"
                );
                ToolError::new(ErrorKind::ExecutionFailed, message)
            }
            TurnEnd::EndedEarly(reason) => {
                let message =
                    format!("{what} gave an incomplete answer: it ended early ({reason})");
                ToolError::new(ErrorKind::ExecutionFailed, message)
            }
            TurnEnd::Failed(why) => {
                ToolError::new(ErrorKind::ExecutionFailed, format!("{what} failed: {why}"))
            }
            TurnEnd::Completed => {
                ToolError::new(ErrorKind::ExecutionFailed, format!("{what} gave no answer"))
            }
        }
    }

    async fn run_grounded(&self, kind: GroundingKind, prompt: &str) -> Result<String, ToolError> {
        let (tool, what) = match kind {
            GroundingKind::Fetch => (NativeTool::UrlContext, "reading web pages"),
            GroundingKind::Search => (NativeTool::GoogleSearch, "the web search"),
        };
        let request = Request::from(RequestParts {
            model: self.offer.model_name().to_owned(),
            contents: vec![Arc::new(Content::user(prompt))],
            config: self.offer.parameters().clone(),
            native_tools: vec![tool],
            ..RequestParts::default()
        });
        let mut answer = WholeAnswer::default();
        let exchanged = exchange(self.scope, request, Purpose::Web, &mut answer).await;
        let exchanged = exchanged.map_err(|it| self.error(what, it.end))?;
        if let Some(why) = exchanged.half("its answer") {
            return Err(self.error(what, TurnEnd::Failed(why)));
        }
        let arrived = exchanged.arrived;
        let chunk = answer.chunk;
        // Text from a hook is used as it is.
        let original = arrived.map_or_else(|| chunk.visible_text(), |arrived| arrived.text);
        let text = sources::answer_text(&chunk, &original);
        if sources::nothing_was_read(&chunk) {
            return Err(ToolError::new(ErrorKind::ReadFailed, text));
        }
        Ok(text)
    }

    async fn run_delegate(&self, agent: &SubAgent, objective: &str) -> Result<String, ToolError> {
        let task = SubAgentTask {
            scope: self.scope,
            offer: self.offer,
            call_id: self.call_id,
            agent,
            objective,
        };
        let ended = self.scope.services.delegate.delegate(task).await;
        let what = format!("the agent \"{}\"", agent.name);
        ended.map_err(|end| self.error(&what, end))
    }
}

impl Services for CallServices<'_> {
    fn ground<'a>(
        &'a self,
        kind: GroundingKind,
        prompt: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(self.run_grounded(kind, prompt))
    }

    fn delegate<'a>(
        &'a self,
        agent: &'a SubAgent,
        objective: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(self.run_delegate(agent, objective))
    }

    fn begin_plan_mode(&self) -> Result<(), ToolError> {
        self.scope.services.mode.set(ApprovalMode::Plan);
        Ok(())
    }

    fn end_plan_mode(&self) -> Result<String, ToolError> {
        let ended = self.scope.services.mode.end_plan();
        let mode = ended.ok_or_else(|| {
            let message = "the session isn't in plan mode, so there is nothing to end: continue";
            ToolError::new(ErrorKind::ExecutionFailed, message)
        })?;
        Ok(mode.to_string())
    }
}
