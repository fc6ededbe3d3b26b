//! What a running tool may ask of the turn that it belongs to.

use std::sync::{Arc, Mutex, PoisonError};

use hookloop_engine::SessionHooks;
use hookloop_events::Reason;
use hookloop_model::{Content, NativeTool, Request, RequestParts};
use hookloop_tools::{BoxFuture, ErrorKind, GroundingKind, Services, SubAgent, ToolError};

use crate::spans::Purpose;
use crate::sub_agent;
use crate::turn::Turn;
use crate::turn_end::TurnEnd;
use crate::{sources, whole_answer};

/// The services of a turn for one call.
pub(crate) struct TurnServices<'t, 's> {
    turn: &'t Turn<'s>,
    /// The hooks of the call.
    hooks: &'t SessionHooks,
    call_id: &'t str,
    /// Why the whole loop ends, if a hook of a service said so (OUT-3).
    stopped: Mutex<Option<Reason>>,
}

impl<'t, 's> TurnServices<'t, 's> {
    pub(crate) fn new(turn: &'t Turn<'s>, hooks: &'t SessionHooks, call_id: &'t str) -> Self {
        Self {
            turn,
            hooks,
            call_id,
            stopped: Mutex::default(),
        }
    }

    /// Returns why the whole loop ends, if it does: whatever the tool makes of it.
    pub(crate) fn into_stop(self) -> Option<Reason> {
        self.stopped
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes of the end of what ran within the call the call's own error. A stop is noted, since a
    /// tool can't end the loop, and must not keep it from ending either.
    fn error(&self, what: &str, end: TurnEnd) -> ToolError {
        match end {
            TurnEnd::Stopped(reason) => {
                let message = format!("Agent execution stopped: {reason}");
                let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
                stopped.get_or_insert(reason);
                ToolError::new(ErrorKind::StopExecution, message)
            }
            TurnEnd::Cancelled => ToolError::cancelled(),
            TurnEnd::Refused(reason) => {
                let message = format!("{what} was refused: {reason}");
                ToolError::new(ErrorKind::PolicyViolation, message)
            }
            TurnEnd::LimitReached(limit) => {
                let message = format!(
                    "{what} did not come to an end: the model was asked {limit} times, which is \
                     the limit (`model.maxSessionTurns`)"
                );
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

    async fn grounded(&self, kind: GroundingKind, prompt: &str) -> Result<String, ToolError> {
        let (tool, what) = match kind {
            GroundingKind::Fetch => (NativeTool::UrlContext, "reading web pages"),
            GroundingKind::Search => (NativeTool::GoogleSearch, "the web search"),
        };
        let parts = &self.turn.session.parts;
        let request = Request::from(RequestParts {
            model: parts.model_name.clone(),
            contents: vec![Arc::new(Content::user(prompt))],
            config: parts.generation_config.clone(),
            native_tools: vec![tool],
            ..RequestParts::default()
        });
        let answer = whole_answer::ask(self.turn, self.hooks, request, Purpose::Web).await;
        let answer = answer.map_err(|end| self.error(what, end))?;
        let text = sources::worded(&answer.chunk, &answer.original_text);
        if sources::nothing_was_read(&answer.chunk) {
            return Err(ToolError::new(ErrorKind::ReadFailed, text));
        }
        Ok(text)
    }

    async fn delegated(&self, agent: &SubAgent, objective: &str) -> Result<String, ToolError> {
        let place = sub_agent::Place {
            turn: self.turn,
            hooks: self.hooks,
            call_id: self.call_id,
        };
        let ended = sub_agent::run(place, agent, objective).await;
        let what = format!("the agent \"{}\"", agent.name);
        ended.map_err(|end| self.error(&what, end))
    }
}

impl Services for TurnServices<'_, '_> {
    fn ground<'a>(
        &'a self,
        kind: GroundingKind,
        prompt: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(self.grounded(kind, prompt))
    }

    fn delegate<'a>(
        &'a self,
        agent: &'a SubAgent,
        objective: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(self.delegated(agent, objective))
    }
}
