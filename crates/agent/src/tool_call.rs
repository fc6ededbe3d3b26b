//! One tool call, from the model through hooks, policy and user to the tool and back, with the
//! calls that hooks chain to it (BT-*, AT-*).

use std::sync::Arc;
use std::time::Instant;

use hookloop_engine::{Clock, SystemClock};
use hookloop_events::{HookContext, TailCall, ToolCall, ToolResponse};
use hookloop_model::{AllowedTools, FunctionCall};
use hookloop_tools::{ErrorKind, Output, Tool, ToolError};

use crate::apply::after_tool::{ResultFate, with_context};
use crate::apply::{after_tool, before_tool_selection};
use crate::clearance;
use crate::finished_call::FinishedCall;
use crate::frontend::{LiveFate, SessionEvent};
use crate::offer::Offer;
use crate::scope::Scope;
use crate::spans;
use crate::telemetry::CallDecision;
use crate::tool_run;
use crate::turn_end::TurnEnd;
use crate::unrun::NotRun;

/// The result of a call, with every call that it led to.
pub(crate) struct CallEnd {
    /// The calls, first to last.
    pub(crate) finished: Vec<FinishedCall>,
    /// What the model gets, or how the turn ends without it.
    pub(crate) result: Result<Output, TurnEnd>,
}

/// Which calls of a response may run.
#[derive(Debug)]
pub(crate) enum Admission {
    /// Those of the tools that the model was allowed to call.
    Within(AllowedTools),
    /// None: the model ended the response early, for this reason (LO-3).
    Cut(String),
}

impl Admission {
    fn admits(&self, tool: &str) -> Result<(), ToolError> {
        match self {
            Self::Within(allowed) => before_tool_selection::apply(allowed, tool),
            Self::Cut(reason) => Err(ToolError::new(
                ErrorKind::ExecutionFailed,
                format!(
                    "`{tool}` didn't run: your answer ended early ({reason}), so the call may \
                     be incomplete. Make it again, in smaller steps if it was long"
                ),
            )),
        }
    }
}

/// The result of one call of a chain.
enum Step {
    /// It has a result for the model.
    Done(Output),
    /// Another tool takes over (AT-3).
    Next(TailCall, Option<HookContext>),
}

/// Runs a call of the model and the chain that hooks append to it.
pub(crate) async fn run(
    scope: &Scope,
    offer: &Offer,
    requested: &FunctionCall,
    admission: &Admission,
) -> CallEnd {
    let limit = scope.services.limits.tail_calls;
    let mut finished: Vec<FinishedCall> = Vec::new();
    let mut contexts: Vec<HookContext> = Vec::new();
    let mut call = from_model(offer, requested);
    let admitted = admission.admits(&call.name);
    let mut refusal = admitted.and_then(|()| check_arguments(requested)).err();
    let mut links = 0;
    let result = loop {
        let (step, ended) = run_one(scope, offer, call, refusal).await;
        let (next, context) = match step {
            Ok(Step::Next(next, context)) => (next, context),
            Ok(Step::Done(output)) => {
                finished.push(ended);
                let context = HookContext::join(&contexts);
                break Ok(with_context(output, context.as_ref()));
            }
            Err(end) => {
                finished.push(ended);
                break Err(end);
            }
        };
        // If the user cancelled meanwhile, no other call replaces this one.
        if let Err(end) = scope.proceed() {
            finished.push(ended);
            break Err(end);
        }
        contexts.extend(context);
        links += 1;
        refusal = (links > limit).then(|| chain_too_long(limit));
        call = chain_call(offer, &ended.call, next);
        finished.push(ended);
    };
    CallEnd { finished, result }
}

/// Adopts what the model requests; a tool is called by its own name from here on.
fn from_model(offer: &Offer, requested: &FunctionCall) -> ToolCall {
    let tool = offer.toolbox.get(&requested.name);
    let name = tool.map(|tool| tool.declaration().name.as_str());
    ToolCall {
        id: requested.id.clone().unwrap_or_else(new_id),
        name: name.unwrap_or(&requested.name).to_owned(),
        arguments: Arc::clone(&requested.args),
        mcp: tool.and_then(|tool| tool.mcp_context().cloned()),
        original_request_name: None,
        changed_arguments: Vec::new(),
    }
}

/// Refuses a call whose arguments weren't a JSON object: running it without them wouldn't be what
/// the model requested (LO-3).
fn check_arguments(call: &FunctionCall) -> Result<(), ToolError> {
    let Some(text) = &call.unreadable_args else {
        return Ok(());
    };
    let message = format!(
        "the arguments of `{}` aren't a JSON object, so the tool didn't run: {text}",
        call.name
    );
    Err(ToolError::new(ErrorKind::InvalidParams, message))
}

fn new_id() -> String {
    format!("call-{}", uuid::Uuid::new_v4())
}

/// Builds the call that replaces another one (AT-3).
fn chain_call(offer: &Offer, from: &ToolCall, next: TailCall) -> ToolCall {
    let tool = offer.toolbox.get(&next.name);
    let original = from.original_request_name.as_ref();
    ToolCall {
        id: new_id(),
        name: tool.map_or(next.name, |tool| tool.declaration().name.clone()),
        arguments: Arc::new(next.args),
        mcp: tool.and_then(|tool| tool.mcp_context().cloned()),
        original_request_name: Some(original.unwrap_or(&from.name).clone()),
        changed_arguments: Vec::new(),
    }
}

/// Runs one call of a chain, with everything around it. A call that was refused on the way here
/// doesn't run; everything else about it is the same.
async fn run_one(
    scope: &Scope,
    offer: &Offer,
    call: ToolCall,
    refusal: Option<ToolError>,
) -> (Result<Step, TurnEnd>, FinishedCall) {
    let started = Instant::now();
    let (scope, span) = scope.step(spans::tool_call);
    scope.show(&SessionEvent::ToolRequested(&call));
    let tool = match refusal {
        Some(error) => Err(error),
        None => offer.toolbox.find(&call.name).map(Arc::clone),
    };
    let access = tool.as_ref().ok().map(|tool| tool.declaration().access);
    let mut ended = FinishedCall::start(call, access);
    let step = match tool {
        Err(error) => Err(NotRun::Error(error)),
        Ok(tool) => through_hooks(&scope, offer, &*tool, &mut ended).await,
    };
    // What hooks said before a call that has no result stands behind the error (BT-11).
    let without_result = |scope: &Scope, call: &ToolCall, error| {
        let context = scope.hooks.take_context(call);
        with_context(not_run_output(error), context.as_ref())
    };
    let step = match step {
        Err(NotRun::Error(error)) => Ok(Step::Done(without_result(&scope, &ended.call, error))),
        Err(NotRun::Ends(end)) => Err(end),
        Ok(step) => Ok(step),
    };
    ended.output = match &step {
        Ok(Step::Done(output)) => output.clone(),
        Ok(Step::Next(next, _)) => {
            Output::new("", format!("a hook lets `{}` run in its place", next.name))
        }
        Err(end) => without_result(&scope, &ended.call, end_error(end)),
    };
    if matches!(step, Err(TurnEnd::Stopped(_))) {
        // The result isn't passed on, because a hook may have withheld it as well.
        ended.live = LiveFate::WithheldContent;
    }
    ended.duration = started.elapsed();
    ended.ended_at = SystemClock.now();
    spans::end_tool_call(span, &ended);
    (step, ended)
}

/// Clears a call, runs it, and lets hooks judge the result. The hooks of `scope` are those of this
/// call: parallel calls have their own.
async fn through_hooks(
    scope: &Scope,
    offer: &Offer,
    tool: &dyn Tool,
    ended: &mut FinishedCall,
) -> Result<Step, NotRun> {
    tool.validate(&ended.call.arguments)?;
    ended.decision = Some(CallDecision::Reject);
    let permitted = clearance::obtain(scope, tool, &mut ended.call).await?;
    // If the user cancelled while hooks ran, the call doesn't run, even if they let it through
    // (LO-4).
    scope.proceed()?;
    ended.decision = Some(permitted.decision);
    let started = Instant::now();
    let mut output = tool_run::run(scope, offer, tool, permitted.call).await?;
    scope
        .hooks
        .set_tool_duration(&ended.call, started.elapsed());
    note_changed_arguments(&ended.call, &mut output);
    // Until hooks have judged the result, it must not stay on a screen, whatever happens.
    ended.live = LiveFate::WithheldContent;
    let conclusion = scope
        .hooks
        .after_tool(&ended.call, response(&output))
        .await?;
    ended.hook_messages = conclusion.messages;
    ended.hook_data = conclusion.data;
    let (step, live) = match after_tool::apply(conclusion.outcome, output)? {
        ResultFate::Given(output) => (Step::Done(output), LiveFate::Stands),
        ResultFate::Withheld(output) => (Step::Done(output), LiveFate::WithheldContent),
        ResultFate::Chained(next, context) => (Step::Next(next, context), LiveFate::Stands),
    };
    ended.live = live;
    Ok(step)
}

/// Tells the model which of its arguments hooks changed (BT-4).
fn note_changed_arguments(call: &ToolCall, output: &mut Output) {
    if !call.changed_arguments.is_empty() {
        let names = call.changed_arguments.join(", ");
        let note = format!("[System] A hook changed these parameters before the tool ran: {names}");
        output.llm_content.push_str("\n\n");
        output.llm_content.push_str(&note);
    }
}

fn response(output: &Output) -> ToolResponse {
    ToolResponse {
        llm_content: output.llm_content_value(),
        return_display: output.return_display(),
        error: output.error.as_ref().map(
            |error| serde_json::json!({"message": error.message, "type": error.kind.as_str()}),
        ),
    }
}

/// Builds the result of a call that didn't run, or whose result is dropped: the model reads the
/// reason in the words that were chosen for it (BT-1).
fn not_run_output(error: ToolError) -> Output {
    Output {
        llm_content: error.message.clone(),
        media: Vec::new(),
        display: error.message.clone(),
        error: Some(error),
        change: None,
    }
}

fn chain_too_long(limit: u32) -> ToolError {
    let message =
        format!("the chain of tools that hooks asked for is longer than {limit}, so it ends here");
    ToolError::new(ErrorKind::PolicyViolation, message)
}

/// Words the end of a call that got no result because its turn ended (AG-CLI-6).
fn end_error(end: &TurnEnd) -> ToolError {
    match end {
        TurnEnd::Stopped(reason) => ToolError::new(
            ErrorKind::StopExecution,
            format!("Agent execution stopped by hook: {reason}"),
        ),
        TurnEnd::Cancelled => ToolError::cancelled(),
        end => ToolError::new(
            ErrorKind::StopExecution,
            format!("the turn ended ({})", end.word()),
        ),
    }
}
