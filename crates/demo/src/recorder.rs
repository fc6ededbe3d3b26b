//! Records the demo's session: the screen, the hooks and the model.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_agent::{Audience, Confirmation, Consent, Frontend, SessionEvent};
use hookloop_engine::{BoxFuture, Lifecycle, Observer, SkipCause};
use hookloop_events::{SessionIdentity, ToolCall};
use hookloop_model::RequestParts;
use hookloop_session::Stage;

use crate::timeline::{FiredEvent, Reading, Step, ToolReturn, plain};

/// Records what happens, in order.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Recorded>);

#[derive(Debug, Default)]
struct Recorded {
    steps: Vec<Step>,
    /// The text of the latest chunk, as the model sent it.
    chunk: String,
}

impl Recorder {
    /// Takes what has been recorded so far.
    pub(crate) fn take(&self) -> Vec<Step> {
        std::mem::take(&mut self.lock().steps)
    }

    /// Records what is sent to the model.
    pub(crate) fn note_request(&self, request: &RequestParts) {
        let Some(newest) = request.contents.last() else {
            return;
        };
        let results = newest.function_responses().map(|it| {
            let values = it.response.values();
            values.map(plain).collect::<Vec<_>>().join("\n")
        });
        let reading = Reading {
            text: newest.visible_text(),
            results: results.collect(),
        };
        self.note(Step::Asked(reading));
    }

    /// Records what arrives from the model, before hooks see it.
    pub(crate) fn note_chunk(&self, text: String) {
        self.lock().chunk = text;
    }

    fn note(&self, step: Step) {
        let steps = &mut self.lock().steps;
        match (steps.last_mut(), step) {
            (Some(Step::HookReply(text)), Step::HookReply(more)) => text.push_str(&more),
            (_, step) => steps.push(step),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        // Every change is whole, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Frontend for Recorder {
    fn show(&self, event: &SessionEvent<'_>) {
        let step = match event {
            SessionEvent::ModelText(text) => Step::HookReply((*text).to_owned()),
            SessionEvent::ToolRequested(call) => Step::Called((*call).clone()),
            SessionEvent::ToolFinished(end) => Step::Returned(ToolReturn {
                name: end.call.name.clone(),
                arguments: Arc::clone(&end.call.arguments),
                display: end.display.to_owned(),
                error: end.error.map(ToString::to_string),
            }),
            SessionEvent::Retrying(reason) => Step::Retried(reason.to_string()),
            SessionEvent::Blocked(reason) => {
                Step::Noticed(format!("Agent execution blocked: {reason}"))
            }
            SessionEvent::Stopped(reason) => {
                Step::Noticed(format!("Agent execution stopped: {reason}"))
            }
            SessionEvent::Warning(text) | SessionEvent::Failed(text) => {
                Step::Noticed((*text).to_owned())
            }
            SessionEvent::ResponseEnded
            | SessionEvent::Cancelled
            | SessionEvent::ToolProgress { .. }
            | SessionEvent::ToolProgressHeld { .. }
            | SessionEvent::AnswerDropped { .. }
            | SessionEvent::AnswerIncomplete(_)
            | SessionEvent::Compressed { .. } => return,
            SessionEvent::SubAgent { event, .. } => return self.show(event),
        };
        self.note(step);
    }

    /// There is nobody to answer.
    fn confirm<'a>(&'a self, _request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        Box::pin(async { Consent::Nobody })
    }

    /// Nobody types tool calls.
    fn typed_by_person(&self, _call: &ToolCall) {}

    /// The demo offers the model what a session in a terminal offers.
    fn audience(&self) -> Audience {
        Audience::Present
    }
}

impl Stage for Recorder {}

impl Observer for Recorder {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        match lifecycle {
            Lifecycle::Concluded(concluded) => {
                let chunk = self.lock().chunk.clone();
                self.note(Step::Event(Box::new(FiredEvent::new(concluded, &chunk))));
            }
            Lifecycle::Skipped {
                event,
                hook,
                causes,
            } => {
                let causes: Vec<String> = causes.iter().map(SkipCause::message).collect();
                self.note(Step::Noticed(format!(
                    "{event} hook \"{}\" ({}) doesn't run: {}",
                    hook.label(),
                    hook.source,
                    causes.join("; ")
                )));
            }
            _ => {}
        }
    }
}
