//! A turn of the user, as a state machine (LO-1).

use hookloop_engine::{OpenSpan, SessionHooks};
use hookloop_events::{AfterAgentInput, Memory};
use hookloop_model::{AllowedTools, Content, FunctionCall, Part, Speaker};
use tokio_util::sync::CancellationToken;

use crate::apply::after_agent::ResponseFate;
use crate::apply::before_agent::PromptFate;
use crate::apply::{after_agent, before_agent, session_start};
use crate::frontend::SessionEvent;
use crate::model_call::{self, ModelAnswer};
use crate::said::REFERENCES_HEADING;
use crate::session::Session;
use crate::spans::{self, Purpose};
use crate::tool_batch;
use crate::turn_end::TurnEnd;

/// Where a turn stands.
enum State {
    /// A prompt is to be submitted: the user's, or that of a retry.
    Submitting(String),
    /// The model is to be asked.
    Asking,
    /// The model asked for tools.
    Calling(Vec<FunctionCall>, AllowedTools),
    /// The model's response is final.
    Responding,
    /// The turn is over.
    Ended(TurnEnd),
}

/// Whether this is a retry that a hook forced (AA-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Retry,
}

/// A turn while it runs.
pub(crate) struct Turn<'s> {
    pub(crate) session: &'s mut Session,
    pub(crate) hooks: SessionHooks,
    pub(crate) cancel: CancellationToken,
    /// What the user said.
    prompt: String,
    /// The content of the files that it refers to, until the message holds it.
    references: Option<String>,
    /// The span that everything of the turn is below (TE-3).
    span: Option<OpenSpan>,
    /// All of the model's text since the prompt, or since the last retry.
    response: String,
    /// The model's text in its latest answer.
    last_answer: String,
    attempt: Attempt,
    retries: u32,
    model_calls: u32,
    /// Whether a compression failed in this turn: it is not tried again at each call.
    pub(crate) compression_failed: bool,
}

impl<'s> Turn<'s> {
    pub(crate) fn new(session: &'s mut Session, prompt: &str, cancel: CancellationToken) -> Self {
        let hooks = session.parts.hooks.with_cancel(cancel.clone());
        let (hooks, span) = spans::turn(&hooks);
        Self {
            session,
            hooks,
            cancel,
            prompt: prompt.to_owned(),
            references: None,
            span: Some(span),
            response: String::new(),
            last_answer: String::new(),
            attempt: Attempt::First,
            retries: 0,
            model_calls: 0,
            compression_failed: false,
        }
    }

    /// Adds the content of files to what the model is told of the prompt.
    pub(crate) fn with_references(mut self, references: Option<String>) -> Self {
        self.references = references;
        self
    }

    /// Runs the turn to its end.
    pub(crate) async fn run(&mut self) -> TurnEnd {
        let mut state = State::Submitting(self.prompt.clone());
        loop {
            state = match state {
                State::Submitting(prompt) => self.submit(prompt).await,
                State::Asking => self.ask().await,
                State::Calling(calls, allowed) => self.call(calls, &allowed).await,
                State::Responding => self.respond().await,
                State::Ended(end) => {
                    self.end_span(&end);
                    return end;
                }
            };
            if self.cancel.is_cancelled() && !matches!(state, State::Ended(_)) {
                state = State::Ended(TurnEnd::Cancelled);
            }
        }
    }

    /// Returns what the model said in the end, or all that it said if that is nothing.
    pub(crate) fn into_last_words(self) -> String {
        if self.last_answer.trim().is_empty() {
            self.response
        } else {
            self.last_answer
        }
    }

    /// Submits a prompt through `BeforeAgent` (BA-1…3).
    async fn submit(&mut self, prompt: String) -> State {
        let outcome = match self.hooks.before_agent(&prompt).await {
            Ok(conclusion) => conclusion.outcome,
            Err(cancelled) => return State::Ended(cancelled.into()),
        };
        let mut message = Content::new(Speaker::User, vec![Part::text(prompt)]);
        let references = self.references.take();
        message
            .parts
            .extend(references.map(|it| Part::text(format!("\n\n{REFERENCES_HEADING}\n{it}"))));
        session_start::apply(self.session.start_context.clone(), &mut message);
        let (message, next) = match before_agent::apply(outcome, message) {
            PromptFate::Begins(message) => (message, State::Asking),
            PromptFate::KeptAndEnded(message, end) => (message, State::Ended(end)),
            PromptFate::Dropped(end) => return State::Ended(end),
        };
        // The context of the start goes with the first prompt that enters the history.
        self.session.start_context = None;
        self.session.say(message);
        next
    }

    /// Asks the model once.
    async fn ask(&mut self) -> State {
        let limit = self.session.parts.limits.model_calls;
        if self.model_calls >= limit {
            return State::Ended(TurnEnd::LimitReached(limit));
        }
        if let Err(end) = self.compress_if_needed().await {
            return State::Ended(end);
        }
        self.model_calls += 1;
        self.session.refresh_tools();
        let (hooks, span) = spans::model_call(&self.hooks, Purpose::Conversation);
        let of_turn = std::mem::replace(&mut self.hooks, hooks);
        let answer = model_call::ask(self).await;
        self.hooks = of_turn;
        spans::end_model_call(span, &answer.exchange, answer.end.as_ref());
        let ModelAnswer {
            content,
            allowed,
            end,
            ..
        } = answer;
        let calls: Vec<FunctionCall> = content.function_calls().cloned().collect();
        self.add_to_response(&content.visible_text());
        if !content.parts.is_empty() {
            self.session.say(content);
        }
        match end {
            Some(end) => State::Ended(end),
            None if calls.is_empty() => State::Responding,
            None => State::Calling(calls, allowed),
        }
    }

    /// Adds what the model said in one answer to what it said before: on a line of its own, as
    /// the user sees it.
    fn add_to_response(&mut self, text: &str) {
        if !self.response.is_empty() && !text.is_empty() {
            self.response.push('\n');
        }
        self.response.push_str(text);
        text.clone_into(&mut self.last_answer);
    }

    /// Runs the tools that the model asked for.
    async fn call(&mut self, calls: Vec<FunctionCall>, allowed: &AllowedTools) -> State {
        let mut batch = tool_batch::run(self, &calls, allowed).await;
        let responses = std::mem::take(&mut batch.responses);
        self.session.say(Content::responses(responses));
        batch.show(self.session);
        match batch.stopped {
            Some(reason) => State::Ended(TurnEnd::Stopped(reason)),
            None => State::Asking,
        }
    }

    /// Lets `AfterAgent` judge the response (AA-1…5).
    async fn respond(&mut self) -> State {
        let input = AfterAgentInput {
            prompt: self.prompt.clone(),
            prompt_response: self.response.clone(),
            stop_hook_active: self.attempt == Attempt::Retry,
        };
        let outcome = match self.hooks.after_agent(&input).await {
            Ok(conclusion) => conclusion.outcome,
            Err(cancelled) => return State::Ended(cancelled.into()),
        };
        let (fate, memory) = after_agent::apply(outcome);
        if memory == Memory::Cleared {
            self.session.clear_history();
        }
        let reason = match fate {
            ResponseFate::Ended(end) => return State::Ended(end),
            ResponseFate::Retried(reason) => reason,
        };
        let limit = self.session.parts.limits.retries;
        if self.retries >= limit {
            self.session.show(&SessionEvent::Warning(&format!(
                "the response was rejected again after {limit} retries, the turn ends with it: \
                 {reason}"
            )));
            return State::Ended(TurnEnd::Completed);
        }
        self.session.show(&SessionEvent::Retrying(&reason));
        self.retries += 1;
        self.attempt = Attempt::Retry;
        self.response.clear();
        State::Submitting(reason.as_str().to_owned())
    }

    pub(crate) fn end_span(&mut self, end: &TurnEnd) {
        if let Some(span) = self.span.take() {
            spans::end_turn(span, end);
        }
    }

    /// Shows how a turn ended, unless it ended as it should.
    pub(crate) fn show_end(&self, end: &TurnEnd) {
        let session = &self.session;
        match end {
            TurnEnd::Completed => {}
            TurnEnd::Refused(reason) => session.show(&SessionEvent::Blocked(reason)),
            TurnEnd::Stopped(reason) => session.show(&SessionEvent::Stopped(reason)),
            TurnEnd::Cancelled => session.show(&SessionEvent::Cancelled),
            TurnEnd::LimitReached(limit) => session.show(&SessionEvent::Failed(&format!(
                "the model was asked {limit} times in this turn, which is the limit \
                 (`model.maxSessionTurns`)"
            ))),
            TurnEnd::Failed(why) => session.show(&SessionEvent::Failed(why)),
        }
    }
}
