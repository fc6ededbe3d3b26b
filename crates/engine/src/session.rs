//! The engine bound to a session: one method for each event.

mod beside_events;
mod compressing;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_events::llm::LlmResponse;
use hookloop_events::{
    AfterAgent, AfterAgentInput, AfterAgentOutcome, AfterModel, AfterModelInput, AfterModelOutcome,
    AfterTool, AfterToolInput, AfterToolOutcome, AgentIdentity, BeforeAgent, BeforeAgentInput,
    BeforeAgentOutcome, BeforeModel, BeforeModelInput, BeforeModelOutcome, BeforeTool,
    BeforeToolInput, BeforeToolOutcome, BeforeToolSelection, BeforeToolSelectionInput, Cancelled,
    EndReason, Event, HookContext, Memory, Notification, NotificationInput, SessionEnd,
    SessionEndInput, SessionIdentity, SessionSource, SessionStart, SessionStartInput,
    SessionStartOutcome, Summary, ToolCall, ToolChoice, ToolResponse, merged_data,
};
use hookloop_hook::{HookDeclaration, HookId};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use crate::agent_turn::{AgentTurn, PromptOrigin, TurnView};
use crate::call::{Call, Chosen, Unawaited};
use crate::cleared::{Cleared, Pending};
use crate::conclusion::{Conclusion, Fired};
use crate::fireable::{Fireable, Settled};
use crate::firing::Detachment;
use crate::host::ModelRequest;
use crate::inner::Inner;
use crate::judged::{ToolClearance, ToolConclusion, Unsettled};
use crate::late::{Late, TakenMessages};
use crate::lifecycle::{Concluded, Lifecycle, Notice};
use crate::record::RunResult;
use crate::run::PARTING_WAIT;
use crate::second_look::Unacceptable;
use crate::span::{OpenSpan, Span, SpanStart};

/// A session's view of the engine. Cloning it is cheap.
///
/// # Cancelled
/// Every event that something waits for returns `Err(`[`Cancelled`]`)` if the token of
/// [`with_cancel`](Self::with_cancel) ended one of its hooks before it had answered. Nothing has
/// been decided then, and nothing that waited for the hooks may happen (EV-5). A host can't mistake
/// that silence for consent, because there is no outcome to match on:
///
/// ```compile_fail,E0609
/// use hookloop_engine::events::ToolCall;
/// use hookloop_engine::{Cleared, SessionHooks};
///
/// async fn act(hooks: &SessionHooks, call: ToolCall) {
///     let _outcome = hooks.before_tool(call, |_| Ok::<_, String>(())).await.outcome;
/// }
/// ```
///
/// ```compile_fail,E0004
/// use hookloop_engine::events::ToolCall;
/// use hookloop_engine::{Cleared, SessionHooks};
///
/// async fn act(hooks: &SessionHooks, call: ToolCall) {
///     match hooks.before_tool(call, |_| Ok::<_, String>(())).await {
///         Ok(conclusion) => drop(conclusion.outcome),
///         // What happens to the call if its hooks were cancelled must be handled, too.
///     }
/// }
/// ```
#[derive(Clone)]
pub struct SessionHooks {
    inner: Arc<Inner>,
    identity: Arc<SessionIdentity>,
    cancel: CancellationToken,
    /// The span that events belong to, if there is tracing.
    span: Option<Arc<dyn Span>>,
    /// The hooks that run once a session and have run (FD-22).
    once: Arc<Mutex<HashSet<HookId>>>,
    /// What is known about the turn.
    turn: Arc<AgentTurn>,
    /// The hooks that nobody waits for (FD-22).
    pub(crate) late: Arc<Late>,
    /// What hooks said before calls, until their results are there, by the calls' ids (FD-20).
    said_before: Arc<Mutex<HashMap<String, HookContext>>>,
}

/// A chunk of a response, as it arrived.
#[derive(Debug, Clone, Copy)]
pub struct ArrivedChunk<'a> {
    /// The chunk as hooks see it.
    pub response: &'a LlmResponse,
    /// The text of the response before this chunk, as changed by hooks.
    pub text_before: &'a str,
}

impl SessionHooks {
    pub(crate) fn new(inner: Arc<Inner>, identity: SessionIdentity) -> Self {
        Self {
            span: inner.trace.clone(),
            inner,
            identity: Arc::new(identity),
            cancel: CancellationToken::new(),
            once: Arc::default(),
            turn: Arc::default(),
            late: Arc::default(),
            said_before: Arc::default(),
        }
    }

    /// Returns the session's identity.
    pub fn identity(&self) -> &SessionIdentity {
        &self.identity
    }

    /// Returns the same session with a token that ends its running hooks (IO-33).
    #[must_use]
    pub fn with_cancel(&self, cancel: CancellationToken) -> Self {
        Self {
            cancel,
            ..self.clone()
        }
    }

    /// Returns the same session for a sub-agent, whose identity is in every payload (TO-4).
    #[must_use]
    pub fn with_agent(&self, agent: AgentIdentity) -> Self {
        let identity = SessionIdentity {
            agent: Some(agent),
            ..(*self.identity).clone()
        };
        Self {
            identity: Arc::new(identity),
            turn: Arc::default(),
            ..self.clone()
        }
    }

    /// Starts the span of a step of the host, as a child of the current span, and returns the same
    /// session for what happens in that step (TE-3). Without tracing, `start` isn't called and
    /// nothing changes.
    pub fn in_span(&self, start: impl FnOnce() -> SpanStart) -> (Self, OpenSpan) {
        let open = OpenSpan::below(self.span.as_ref(), &self.identity, start);
        let hooks = Self {
            span: open.span().cloned(),
            ..self.clone()
        };
        (hooks, open)
    }

    /// Fires `SessionStart`. Returns the context for the model, and whether turns may run (SS-1…4).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled) (EV-5).
    pub async fn session_start(
        &self,
        source: SessionSource,
    ) -> Result<Conclusion<SessionStartOutcome>, Cancelled> {
        match SessionStart::fire(&self.bound_call(), SessionStartInput { source }).await {
            Some(fired) => conclusion(fired),
            None => Conclusion::untouched(SessionStartOutcome::default()),
        }
    }

    /// Fires `SessionEnd`. It returns when its hooks and the hooks that nobody waited for have
    /// ended, or after one second. Hooks that still run then continue without the host, up to their
    /// own timeout, and are reported. Anything that hooks said and no turn passed on to the model
    /// is reported as well (SE-2, FD-22).
    ///
    /// The end of a session isn't part of a turn, so cancelling a turn doesn't cancel these hooks.
    pub async fn session_end(&self, reason: EndReason) {
        let departure = CancellationToken::new();
        departure.cancel();
        let lasting = self.with_cancel(CancellationToken::new());
        let call = lasting.call(Detachment::Parting(departure));
        // `SessionEnd` hooks decide nothing (SE-3), so there is nothing to return.
        let fired = SessionEnd::fire(&call, SessionEndInput { reason });
        let (_advice, mut left) = tokio::join!(fired, self.late.end_within(PARTING_WAIT));
        left.extend(self.late.take_undelivered());
        let last = self.inner.executor.end_session(&self.identity).await;
        left.extend(last.into_iter().map(|it| Notice::of(&it.hook, it.text)));
        if !left.is_empty() {
            let concluded = Concluded {
                event: SessionEnd::NAME,
                summary: Summary::default(),
                runs: Vec::new(),
                messages: Vec::new(),
                notices: left,
                late: Vec::new(),
            };
            let lifecycle = Lifecycle::Concluded(concluded);
            self.inner.observer.observe(&self.identity, &lifecycle);
        }
    }

    /// Fires `Notification`. The hooks' messages are shown with the alert (NO-1, NO-2).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled) (EV-5).
    pub async fn notification(
        &self,
        input: &NotificationInput,
    ) -> Result<Conclusion<()>, Cancelled> {
        match Notification::fire(&self.bound_call(), input.clone()).await {
            Some(fired) => conclusion(fired),
            None => Conclusion::untouched(()),
        }
    }

    /// Fires `BeforeAgent` for a prompt (BA-1…3). `origin` is its author: other agents' hooks that
    /// judge only a person's words judge it only if a person wrote it (FD-11).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled): the prompt wasn't judged, and must not enter the
    /// history (EV-5).
    pub async fn before_agent(
        &self,
        prompt: &str,
        origin: PromptOrigin,
    ) -> Result<Conclusion<BeforeAgentOutcome>, Cancelled> {
        self.turn.begin(origin);
        // Late answers of asynchronous hooks go to the session's main agent.
        let late = match self.identity.agent {
            None => Some(self.late.take()),
            Some(_) => None,
        };
        let late_context = late.as_ref().and_then(TakenMessages::context);
        if self.inner.is_idle::<BeforeAgent>() {
            if let Some(late) = late {
                late.tell();
            }
            return Conclusion::untouched(BeforeAgentOutcome::Proceed(late_context));
        }
        let input = BeforeAgentInput {
            prompt: prompt.to_owned(),
        };
        let turn = TurnView {
            origin,
            ..self.turn_view()
        };
        let call = Call {
            turn,
            ..self.bound_call()
        };
        let concluded = match BeforeAgent::fire(&call, input).await {
            Some(fired) => conclusion(fired),
            None => Conclusion::untouched(BeforeAgentOutcome::Proceed(None)),
        };
        let proceeds = concluded
            .as_ref()
            .is_ok_and(|it| matches!(it.outcome, BeforeAgentOutcome::Proceed(_)));
        // If the turn doesn't begin, the late answers go to the next one.
        if let Some(late) = late
            && proceeds
        {
            late.tell();
        }
        match late_context {
            Some(late_context) if proceeds => {
                concluded.map(|it| it.map(|it| with_late(&late_context, it)))
            }
            _ => concluded,
        }
    }

    /// Fires `AfterAgent` for a turn's final response (AA-1…5).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled): the response was neither accepted nor rejected
    /// (EV-5).
    pub async fn after_agent(
        &self,
        input: &AfterAgentInput,
    ) -> Result<Conclusion<AfterAgentOutcome>, Cancelled> {
        if !input.stop_hook_active {
            self.turn.first_end();
        }
        let fired = AfterAgent::fire(&self.bound_call(), input.clone()).await;
        let Some(fired) = fired else {
            return Conclusion::untouched(AfterAgentOutcome::Accept(Memory::Kept));
        };
        if matches!(fired.outcome, Ok(AfterAgentOutcome::Retry(..))) {
            self.turn.is_sent_back();
        }
        conclusion(fired)
    }

    /// Fires `BeforeModel` for a request. Only a cleared request may be sent (BM-1…6).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled): the request must not be sent (EV-5).
    pub async fn before_model<R: ModelRequest>(
        &self,
        request: R,
    ) -> Result<Conclusion<BeforeModelOutcome<Cleared<R>>>, Cancelled> {
        if self.inner.is_idle::<BeforeModel>() {
            return Conclusion::untouched(BeforeModelOutcome::Send(Cleared::new(request)));
        }
        let input = BeforeModelInput {
            llm_request: request.view(),
        };
        let mut request = Some(request);
        let mut let_through = |_: &BeforeModelInput, outcome: &BeforeModelOutcome<_>| {
            let BeforeModelOutcome::Send(patch) = outcome else {
                return Ok(None);
            };
            // The host's version of the patched request is what is sent, so hooks read that one
            // again.
            request = request.take().map(|request| request.patched(patch));
            let view = request.as_ref().map(ModelRequest::view);
            Ok(view.map(|llm_request| BeforeModelInput { llm_request }))
        };
        let firing = self.bound_call();
        let fired = BeforeModel::fire_settled(&firing, input, &mut let_through).await;
        // The host patches its request itself, so that it accepts every patch.
        let Ok(fired) = fired else {
            return Err(Cancelled);
        };
        // Always present: it is taken out above only to be put back.
        let Some(request) = request else {
            return Err(Cancelled);
        };
        let Some(fired) = fired else {
            return Conclusion::untouched(BeforeModelOutcome::Send(Cleared::new(request)));
        };
        Ok(conclusion(fired)?.map(|outcome| match outcome {
            BeforeModelOutcome::Send(_) => BeforeModelOutcome::Send(Cleared::new(request)),
            BeforeModelOutcome::Answer(response) => BeforeModelOutcome::Answer(response),
            BeforeModelOutcome::Refuse {
                reason,
                cause,
                response,
            } => BeforeModelOutcome::Refuse {
                reason,
                cause,
                response,
            },
            BeforeModelOutcome::Stop { reason, response } => {
                BeforeModelOutcome::Stop { reason, response }
            }
        }))
    }

    /// Fires `BeforeToolSelection` for a cleared request and restricts its tools (TS-1…5).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled): no tools were chosen, so the request must not be sent
    /// (EV-5).
    pub async fn before_tool_selection<R: ModelRequest>(
        &self,
        request: Cleared<R>,
    ) -> Result<Cleared<R>, Cancelled> {
        if self.inner.is_idle::<BeforeToolSelection>() {
            return Ok(request);
        }
        let input = BeforeToolSelectionInput {
            llm_request: request.view(),
        };
        let fired = BeforeToolSelection::fire(&self.bound_call(), input).await;
        Ok(match fired.map(|fired| fired.outcome).transpose()? {
            None | Some(ToolChoice::Unchanged) => request,
            Some(choice) => Cleared::new(request.into_inner().with_tools(&choice)),
        })
    }

    /// Fires `AfterModel` for a chunk. Only afterwards may it be shown (AM-1…5).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled): the chunk must not be shown (EV-5).
    pub async fn after_model<R: ModelRequest>(
        &self,
        request: &Cleared<R>,
        chunk: ArrivedChunk<'_>,
    ) -> Result<Conclusion<AfterModelOutcome>, Cancelled> {
        if self.inner.is_idle::<AfterModel>() {
            return Conclusion::untouched(AfterModelOutcome::Keep);
        }
        let content = chunk.response.text.clone();
        let input = AfterModelInput {
            llm_request: request.view(),
            llm_response: chunk.response.clone(),
            full_content: format!("{}{content}", chunk.text_before),
            content,
        };
        match AfterModel::fire(&self.bound_call(), input).await {
            Some(fired) => conclusion(fired),
            None => Conclusion::untouched(AfterModelOutcome::Keep),
        }
    }

    /// Fires `BeforeTool` for a call. Only a cleared call may run (BT-1…10).
    ///
    /// If hooks rewrote the call, the host validates it before hooks look at it again, and before
    /// anything else happens to it: `validate` is called with the rewritten call, and only if there
    /// is one (BT-3). So only one order compiles: rewrite, validation, second look, and then
    /// whatever the host does with a [`Cleared`] call, such as applying its policy and asking the
    /// user.
    ///
    /// # Errors
    /// The rewritten call is invalid, or the hooks were [cancelled](Cancelled): the call must not
    /// run.
    pub async fn before_tool<V: Send>(
        &self,
        mut call: ToolCall,
        validate: impl FnOnce(&ToolCall) -> Result<(), V> + Send,
    ) -> Result<ToolClearance, Unsettled<V>> {
        let proceed = |call| {
            Conclusion::untouched(BeforeToolOutcome::Proceed(Cleared::new(call)))
                .map_err(Unsettled::from)
        };
        if self.inner.is_idle::<BeforeTool>() {
            return proceed(call);
        }
        let input = BeforeToolInput::from(&call);
        let mut validate = Some(validate);
        let mut invalid = None;
        let mut let_through = |input: &BeforeToolInput, outcome: &_| {
            let Some(last) = BeforeTool::let_through(input, outcome) else {
                return Ok(None);
            };
            if last.tool_input != input.tool_input {
                call.rewrite(Arc::clone(&last.tool_input));
                if let Some(Err(error)) = validate.take().map(|validate| validate(&call)) {
                    invalid = Some(error);
                    return Err(Unacceptable);
                }
            }
            Ok(Some(last))
        };
        let firing = self.bound_call();
        let fired = match BeforeTool::fire_settled(&firing, input, &mut let_through).await {
            Ok(Some(fired)) => fired,
            Ok(None) => return proceed(call),
            Err(unaccepted) => {
                self.keep_context(&call, &unaccepted.fired);
                return Err(invalid.map_or(Unsettled::Cancelled(Cancelled), |error| {
                    Unsettled::Invalid {
                        call: Box::new(call),
                        error,
                    }
                }));
            }
        };
        self.keep_context(&call, &fired);
        Ok(conclusion(fired)?.map(|outcome| match outcome {
            BeforeToolOutcome::Proceed(_) => BeforeToolOutcome::Proceed(Cleared::new(call)),
            BeforeToolOutcome::Ask(_, reason) => BeforeToolOutcome::Ask(Pending::new(call), reason),
            BeforeToolOutcome::Deny(reason, cause) => BeforeToolOutcome::Deny(reason, cause),
            BeforeToolOutcome::Stop(reason) => BeforeToolOutcome::Stop(reason),
        }))
    }

    /// Keeps what hooks say to the model until it is known what the model reads of a call (BT-11).
    fn keep_context(&self, call: &ToolCall, fired: &Fired<BeforeTool>) {
        let answers = fired.answers.iter();
        let contexts = answers.filter_map(|it| it.answer.context.as_ref());
        if let Some(context) = HookContext::join(contexts) {
            self.lock_contexts().insert(call.id.clone(), context);
        }
    }

    /// Takes what `BeforeTool` hooks say to the model about a call without a result that
    /// [`after_tool`](Self::after_tool) could judge: it was refused, or failed before it ran. The
    /// model reads it behind the error (BT-11).
    #[must_use]
    pub fn take_context(&self, call: &ToolCall) -> Option<HookContext> {
        self.turn.forget_call(&call.id);
        self.lock_contexts().remove(&call.id)
    }

    /// Fires `AfterTool` for a result (AT-1…5).
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled): the result must reach neither the model nor records
    /// (EV-5).
    pub async fn after_tool(
        &self,
        call: &ToolCall,
        response: ToolResponse,
    ) -> Result<ToolConclusion, Cancelled> {
        let before = self.lock_contexts().remove(&call.id);
        let untouched = ToolConclusion {
            outcome: AfterToolOutcome::Keep(before.clone()),
            messages: Vec::new(),
            data: Map::new(),
        };
        if self.inner.is_idle::<AfterTool>() {
            self.turn.forget_call(&call.id);
            return Ok(untouched);
        }
        let input = AfterToolInput::new(call, response);
        let fired = AfterTool::fire(&self.bound_call(), input).await;
        self.turn.forget_call(&call.id);
        match fired {
            None => Ok(untouched),
            Some(fired) => {
                let messages = fired.concluded.messages.into_iter().map(|it| it.text);
                let mut concluded = ToolConclusion {
                    data: merged_data(&fired.answers),
                    messages: messages.collect(),
                    outcome: fired.outcome?,
                };
                concluded.keep_withheld(&fired.input.tool_response);
                concluded.outcome = with_context_before(before.as_ref(), concluded.outcome);
                Ok(concluded)
            }
        }
    }

    /// Returns the hooks that would run for an event without a subject.
    pub(crate) fn planned_hooks<E: Event>(&self) -> Vec<Arc<HookDeclaration>> {
        if self.inner.is_idle::<E>() {
            return Vec::new();
        }
        let snapshot = self.inner.snapshot();
        let planned = snapshot.plans.peek(&snapshot.registry, E::NAME, "");
        planned.hooks.clone()
    }

    /// Lets `AfterModel` hooks judge a text of a response.
    pub(crate) async fn judge_text(
        &self,
        input: AfterModelInput,
    ) -> Result<AfterModelOutcome, Cancelled> {
        match AfterModel::fire(&self.bound_call(), input).await {
            Some(fired) => fired.outcome,
            None => Ok(AfterModelOutcome::Keep),
        }
    }

    fn lock_contexts(&self) -> MutexGuard<'_, HashMap<String, HookContext>> {
        // A context is added and removed as a whole, so a poisoned lock guards nothing broken.
        self.said_before
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn bound_call(&self) -> Call<'_> {
        self.call(Detachment::Bound)
    }

    fn turn_view(&self) -> TurnView {
        TurnView {
            turn: Arc::clone(&self.turn),
            origin: PromptOrigin::default(),
        }
    }

    pub(crate) fn call(&self, detachment: Detachment) -> Call<'_> {
        Call {
            inner: &self.inner,
            session: &self.identity,
            cancel: &self.cancel,
            detachment,
            span: self.span.as_ref(),
            overlay: Map::new(),
            once: &self.once,
            turn: self.turn_view(),
            unawaited: Unawaited::BySession(&self.late),
            chosen: Chosen::All,
        }
    }
}

fn conclusion<E: Event>(fired: Fired<E>) -> Result<Conclusion<E::Outcome>, Cancelled> {
    let runs = fired.concluded.runs.iter();
    let asking = runs.filter(|run| run.result == RunResult::Ask);
    Ok(Conclusion {
        outcome: fired.outcome?,
        asking: asking.map(|run| run.hook.label().to_owned()).collect(),
        consents: fired.consents,
        messages: fired.concluded.messages,
    })
}

/// Puts what hooks said since the last turn before what is said about this one (FD-22).
fn with_late(late: &HookContext, outcome: BeforeAgentOutcome) -> BeforeAgentOutcome {
    match outcome {
        BeforeAgentOutcome::Proceed(own) => {
            BeforeAgentOutcome::Proceed(HookContext::join([late].into_iter().chain(&own)))
        }
        other => other,
    }
}

/// Puts what hooks said before a call before what is said about its result.
fn with_context_before(
    before: Option<&HookContext>,
    outcome: AfterToolOutcome,
) -> AfterToolOutcome {
    let joined = |after: Option<HookContext>| HookContext::join(before.into_iter().chain(&after));
    match outcome {
        AfterToolOutcome::Keep(after) => AfterToolOutcome::Keep(joined(after)),
        AfterToolOutcome::Chain(call, after) => AfterToolOutcome::Chain(call, joined(after)),
        AfterToolOutcome::Withhold(reason, cause, after) => {
            AfterToolOutcome::Withhold(reason, cause, joined(after))
        }
        stop @ AfterToolOutcome::Stop(_) => stop,
    }
}
