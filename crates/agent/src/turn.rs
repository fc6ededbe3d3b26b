//! A turn of the user, as a state machine (LO-1).

use hookloop_engine::PromptOrigin;
use hookloop_events::{AfterAgentInput, Memory, Rejection};
use hookloop_model::{Content, FunctionCall, Part, Speaker};
use hookloop_tools::References;

use crate::apply::after_agent::ResponseFate;
use crate::apply::before_agent::PromptFate;
use crate::apply::{after_agent, before_agent, session_start};
use crate::arrived::{Flaw, Purpose};
use crate::compression;
use crate::conversation::{Conversation, Origin, inline};
use crate::exchange::{Exchange, early_end_text, exchange};
use crate::frontend::SessionEvent;
use crate::half::Half;
use crate::said_by_user::REFERENCES_HEADING;
use crate::scope::Scope;
use crate::shown_answer::{ShownAnswer, half_of, words_of};
use crate::spans;
use crate::tool_batch;
use crate::tool_call::Admission;
use crate::turn_end::TurnEnd;

/// What has to be done next in a turn.
enum State {
    /// A prompt has to be submitted.
    Submitting(String, PromptOrigin),
    /// The model has to be called.
    Asking,
    /// The model requested tools.
    Calling(Vec<FunctionCall>, Admission),
    /// The model's response is final.
    Responding,
    /// The response was accepted.
    Accepted,
}

/// Whether this is a retry that a hook forced (AA-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    Retry,
}

/// What begins a turn.
pub(crate) struct Prompt {
    /// The words, as they were typed.
    pub(crate) text: String,
    /// What accompanies them, until a message contains it.
    pub(crate) attached: Vec<Part>,
    /// Who said it.
    origin: PromptOrigin,
}

impl Prompt {
    /// What a person said, or an agent that delegates.
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            attached: Vec::new(),
            origin: PromptOrigin::Person,
        }
    }

    /// What a hook that begins a turn said (FD-22).
    pub(crate) fn from_hook(text: &str) -> Self {
        Self {
            origin: PromptOrigin::Hook,
            ..Self::new(text)
        }
    }

    /// Adds the content of files that the prompt refers to.
    pub(crate) fn with_references(mut self, references: References) -> Self {
        let text = references.content();
        let text = text.map(|it| format!("\n\n{REFERENCES_HEADING}\n{it}"));
        self.attached.extend(text.map(Part::text));
        let media = references.files.into_iter().filter_map(|it| it.media);
        self.attached
            .extend(media.chain(references.sent).map(inline));
        self
    }
}

/// A turn while it runs.
pub(crate) struct Turn<'c> {
    scope: Scope,
    conversation: &'c mut Conversation,
    prompt: Prompt,
    /// All of the model's text since the prompt, or since the last retry.
    response: String,
    /// The model's text in its latest response.
    last_answer: String,
    attempt: Attempt,
    retries: u32,
    /// How often in a row the model's response didn't count, or its calls were cut off.
    flawed_answers: u32,
    /// Why the model ended its latest response early, if it did.
    early_end: Option<String>,
}

impl<'c> Turn<'c> {
    pub(crate) fn new(scope: Scope, conversation: &'c mut Conversation, prompt: Prompt) -> Self {
        Self {
            scope,
            conversation,
            prompt,
            response: String::new(),
            last_answer: String::new(),
            attempt: Attempt::First,
            retries: 0,
            flawed_answers: 0,
            early_end: None,
        }
    }

    /// Runs the turn to its end, and returns what the model said last, or all that it said if that
    /// is nothing.
    ///
    /// # Errors
    /// Returns how the turn ended, if the response wasn't accepted.
    pub(crate) async fn run(mut self) -> Result<String, TurnEnd> {
        let (scope, span) = self.scope.step(spans::turn);
        self.scope = scope;
        let ended = self.advance_to_end().await;
        spans::end_turn(span, ended.as_ref().err().unwrap_or(&TurnEnd::Completed));
        ended.map(|()| {
            if self.last_answer.trim().is_empty() {
                self.response
            } else {
                self.last_answer
            }
        })
    }

    async fn advance_to_end(&mut self) -> Result<(), TurnEnd> {
        let mut state = State::Submitting(self.prompt.text.clone(), self.prompt.origin);
        loop {
            state = match state {
                State::Submitting(prompt, origin) => self.submit(prompt, origin).await?,
                State::Asking => self.ask().await?,
                State::Calling(calls, admission) => self.call(&calls, &admission).await?,
                State::Responding => self.respond().await?,
                State::Accepted => return self.check_complete(),
            };
            // Calls that are in the history by now get their responses, however the turn ends
            // (LO-2).
            if !matches!(state, State::Accepted | State::Calling(..)) {
                self.scope.proceed()?;
            }
        }
    }

    /// Submits a prompt through `BeforeAgent` (BA-1…3).
    async fn submit(&mut self, prompt: String, origin: PromptOrigin) -> Result<State, TurnEnd> {
        self.scope.say_mode();
        let model = self.conversation.offer.model_name();
        self.scope.hooks.set_model(model);
        let outcome = self
            .scope
            .hooks
            .before_agent(&prompt, origin)
            .await?
            .outcome;
        let mut message = Content::new(Speaker::User, vec![Part::text(prompt)]);
        message.parts.append(&mut self.prompt.attached);
        session_start::apply(self.conversation.start_context.clone(), &mut message);
        let (message, next) = match before_agent::apply(outcome, message) {
            PromptFate::Begins(message) => (message, Ok(State::Asking)),
            PromptFate::KeptAndEnded(message, end) => (message, Err(end)),
            PromptFate::Dropped(end) => return Err(end),
        };
        // The context of `SessionStart` has gone with this prompt, the first that enters the
        // history.
        self.conversation.start_context = None;
        self.say(message);
        next
    }

    /// Calls the model once.
    async fn ask(&mut self) -> Result<State, TurnEnd> {
        let limit = self.scope.services.limits.model_calls;
        if !self.scope.model_calls.count_within(limit) {
            return Err(TurnEnd::LimitReached(limit));
        }
        self.conversation
            .declare_tools(&self.scope.services, &self.scope.hooks);
        compression::compress_if_needed(&self.scope, self.conversation).await?;
        let mut answer = ShownAnswer::new(self.scope.services.frontend.clone());
        let request = self.conversation.request();
        let exchanged = exchange(&self.scope, request, Purpose::Conversation, &mut answer).await;
        answer.end();
        match exchanged {
            Ok(exchanged) => {
                if let Some(arrived) = &exchanged.arrived
                    && let Some(flaw) = arrived.flaw()
                {
                    self.early_end = arrived.early_end().map(str::to_owned);
                    return self.judge(&flaw, answer);
                }
                self.take(answer, exchanged)
            }
            Err(unfinished) => {
                // Text that was shown stays in the history; calls that will never be answered
                // don't.
                let half = half_of(&unfinished);
                self.keep_with(answer.into_words(), half.as_ref(), Origin::default());
                Err(unfinished.end)
            }
        }
    }

    /// Continues with a response. Calls of one that ended early don't run: the last of them may be
    /// half of what the model meant to write, and others may be missing (LO-3).
    fn take(&mut self, answer: ShownAnswer, exchanged: Exchange) -> Result<State, TurnEnd> {
        self.early_end = exchanged.early_end().map(str::to_owned);
        let Exchange {
            allowed,
            model,
            arrived,
        } = exchanged;
        let content = answer.into_content();
        let calls: Vec<FunctionCall> = content.function_calls().cloned().collect();
        let admission = match self.early_end.clone() {
            Some(reason) if !calls.is_empty() => {
                let repeats = self.scope.services.limits.repeats;
                if self.flawed_answers >= repeats {
                    self.keep_half(words_of(content), &Half::EndedEarly(reason.clone()));
                    return Err(TurnEnd::EndedEarly(reason));
                }
                self.flawed_answers += 1;
                self.scope.warn(&format!(
                    "the model ended its answer early ({reason}), so the tools that it called \
                     didn't run; it has been told ({} of {repeats})",
                    self.flawed_answers
                ));
                Admission::Cut(reason)
            }
            _ => {
                self.flawed_answers = 0;
                Admission::Within(allowed)
            }
        };
        let usage = arrived.and_then(|arrived| arrived.usage);
        let half = match (&admission, &self.early_end) {
            (Admission::Within(_), Some(reason)) => Some(Half::EndedEarly(reason.clone())),
            // The results of its calls report it.
            _ => None,
        };
        let origin = Origin {
            model: model.as_deref(),
            usage: usage.as_ref(),
        };
        self.keep_with(content, half.as_ref(), origin);
        if let Some(usage) = &usage {
            self.conversation.history.note_usage(usage);
        }
        Ok(if calls.is_empty() {
            State::Responding
        } else {
            State::Calling(calls, admission)
        })
    }

    /// Judges the response that hooks accepted: half of one never counts as success (LO-3).
    fn check_complete(&mut self) -> Result<(), TurnEnd> {
        match self.early_end.take() {
            Some(reason) => Err(TurnEnd::EndedEarly(reason)),
            None => Ok(()),
        }
    }

    /// Decides what follows a response that doesn't count (LO-3).
    fn judge(&mut self, flaw: &Flaw, answer: ShownAnswer) -> Result<State, TurnEnd> {
        let last = self.conversation.history.contents().last();
        let answers_tools = last.is_some_and(|it| it.function_responses().next().is_some());
        if matches!(flaw, Flaw::Empty(_)) && answers_tools {
            self.scope
                .warn("the model said nothing after the results of its tools, so the turn ends");
            return Ok(State::Responding);
        }
        let repeats = self.scope.services.limits.repeats;
        if self.flawed_answers >= repeats {
            self.keep_half(answer.into_words(), &Half::CutOff);
            return Err(TurnEnd::Failed(format!(
                "the model gave no complete answer, although it was asked again {repeats} times: \
                 the last one {flaw}"
            )));
        }
        self.flawed_answers += 1;
        self.scope.services.telemetry.content_retry(
            self.scope.hooks.identity(),
            self.flawed_answers,
            flaw,
        );
        answer.take_back(&format!(
            "the model's answer {flaw}; it is asked again ({} of {repeats})",
            self.flawed_answers
        ));
        Ok(State::Asking)
    }

    /// Keeps what there is of a response, and in the history why that isn't all.
    fn keep_half(&mut self, content: Content, half: &Half) {
        self.keep_with(content, Some(half), Origin::default());
    }

    /// Keeps what the model said in one response: on its own line, as the user sees it.
    fn keep_with(&mut self, mut content: Content, half: Option<&Half>, origin: Origin<'_>) {
        let text = content.visible_text();
        if !self.response.is_empty() && !text.is_empty() {
            self.response.push('\n');
        }
        self.response.push_str(&text);
        if let Some(half) = half.filter(|_| !text.trim().is_empty()) {
            // Half an answer must not pass as a whole one, neither now nor later nor when the
            // session is resumed (LO-3).
            half.mark(&mut content);
            self.scope.show(&SessionEvent::AnswerIncomplete(half));
        }
        self.last_answer = text;
        if !content.parts.is_empty() {
            self.conversation
                .add_answer(&self.scope.services, content, origin);
        }
    }

    fn say(&mut self, content: Content) {
        self.conversation.say(&self.scope.services, content);
    }

    /// Runs the tools that the model requested.
    async fn call(
        &mut self,
        calls: &[FunctionCall],
        admission: &Admission,
    ) -> Result<State, TurnEnd> {
        let batch = tool_batch::run(&self.scope, &self.conversation.offer, calls, admission).await;
        let mut results = Content::responses(batch.responses);
        results.parts.extend(batch.media);
        self.say(results);
        // Results are shown only once they are recorded, so that a killed session loses nothing
        // that was seen (SE-10).
        for step in &batch.unshown {
            step.show(&self.scope);
        }
        match batch.end {
            Some(end) => Err(end),
            None => Ok(State::Asking),
        }
    }

    /// Lets `AfterAgent` judge the response (AA-1…5).
    async fn respond(&mut self) -> Result<State, TurnEnd> {
        let input = AfterAgentInput {
            prompt: self.prompt.text.clone(),
            prompt_response: self.response.clone(),
            stop_hook_active: self.attempt == Attempt::Retry,
        };
        let outcome = self.scope.hooks.after_agent(&input).await?.outcome;
        let (fate, memory) = after_agent::apply(outcome);
        if memory == Memory::Cleared {
            self.conversation.forget(&self.scope.services);
        }
        let Rejection { reason, hooks, .. } = match fate {
            ResponseFate::Accepted => return Ok(State::Accepted),
            ResponseFate::Ended(end) => return Err(end),
            ResponseFate::Retried(rejection) => rejection,
        };
        let limit = self.scope.services.limits.retries;
        if self.retries >= limit {
            let hooks: Vec<String> = hooks.iter().map(|hook| format!("\"{hook}\"")).collect();
            self.scope.warn(&format!(
                "the response was rejected again after {limit} retries by {}; that is the limit \
                 (`hooksConfig.maxRetries`), so the turn ends with it: {reason}",
                hooks.join(", ")
            ));
            return Ok(State::Accepted);
        }
        self.scope.show(&SessionEvent::Retrying(&reason));
        self.retries += 1;
        self.attempt = Attempt::Retry;
        self.response.clear();
        let prompt = reason.as_str().to_owned();
        Ok(State::Submitting(prompt, PromptOrigin::Retry))
    }
}

/// Shows how a turn ended, unless it succeeded.
pub(crate) fn show_end(scope: &Scope, end: &TurnEnd) {
    match end {
        TurnEnd::Completed => {}
        TurnEnd::Refused(reason, _) => scope.show(&SessionEvent::Blocked(reason)),
        TurnEnd::Stopped(reason) => scope.show(&SessionEvent::Stopped(reason)),
        TurnEnd::Cancelled => scope.show(&SessionEvent::Cancelled),
        TurnEnd::LimitReached(limit) => scope.show(&SessionEvent::Failed(&format!(
            "the model was asked {limit} times in this turn, which is the limit \
             (`model.maxSessionTurns`)"
        ))),
        TurnEnd::EndedEarly(reason) => {
            scope.show(&SessionEvent::Failed(&early_end_text("its answer", reason)));
        }
        TurnEnd::Failed(why) => scope.show(&SessionEvent::Failed(why)),
    }
}
