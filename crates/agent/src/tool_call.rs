//! One call of the model on its way through hooks, policy and user to the tool and back, with
//! the calls that hooks chain to it (BT-*, AT-*).

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookloop_engine::{Clock, SessionHooks, SystemClock};
use hookloop_events::{HookContext, Reason, ToolArguments, ToolCall, ToolResponse};
use hookloop_model::{AllowedTools, FunctionCall};
use hookloop_tools::{Access, ErrorKind, Output, Tool, ToolError};
use serde_json::{Map, Value};

use crate::apply::after_tool::{ResultFate, with_context};
use crate::apply::{after_tool, before_tool_selection};
use crate::clearance::{self, Clearance};
use crate::frontend::SessionEvent;
use crate::spans;
use crate::telemetry::CallDecision;
use crate::tool_run::{self, RunEnd};
use crate::turn::Turn;

/// What came of a call, with every call that it led to.
pub(crate) struct CallEnd {
    /// The calls, first to last.
    pub(crate) finished: Vec<FinishedCall>,
    /// What the model gets.
    pub(crate) output: Output,
    /// Why the loop ends, if it does.
    pub(crate) stop: Option<Reason>,
}

/// A call that is over.
pub(crate) struct FinishedCall {
    pub(crate) call: ToolCall,
    pub(crate) output: Output,
    pub(crate) access: Option<Access>,
    pub(crate) decision: CallDecision,
    pub(crate) duration: Duration,
    pub(crate) ended_at: String,
    pub(crate) hook_messages: Vec<String>,
    pub(crate) hook_data: Map<String, Value>,
}

/// What one call of a chain came to.
enum Step {
    /// It has a result for the model.
    Done(Output),
    /// Another tool takes over (AT-3).
    Next(Box<ToolCall>, Option<HookContext>),
    /// The loop ends.
    Stop(Reason),
}

/// Runs a call of the model and the chain that hooks make of it.
pub(crate) async fn run(turn: &Turn<'_>, call: &FunctionCall, allowed: &AllowedTools) -> CallEnd {
    let limit = turn.session.parts.limits.tail_calls;
    let mut finished = Vec::new();
    let mut contexts: Vec<HookContext> = Vec::new();
    let unreadable = unreadable_arguments(call);
    let mut call = requested(turn, call);
    let mut links = 0;
    loop {
        let refusal = if links == 0 {
            before_tool_selection::apply(allowed, &call.name)
                .err()
                .or_else(|| unreadable.clone())
        } else if links > limit {
            Some(chain_too_long(limit))
        } else {
            None
        };
        let (step, ended) = one(turn, call, refusal).await;
        finished.push(ended);
        match step {
            Step::Next(next, context) => {
                contexts.extend(context);
                call = *next;
                links += 1;
            }
            Step::Done(output) => {
                let output = with_context(output, HookContext::join(&contexts).as_ref());
                return CallEnd {
                    finished,
                    output,
                    stop: None,
                };
            }
            Step::Stop(reason) => {
                let output = unanswered(stopped(&reason));
                return CallEnd {
                    finished,
                    output,
                    stop: Some(reason),
                };
            }
        }
    }
}

/// Takes over what the model asks for; a tool goes by its own name from here on.
fn requested(turn: &Turn<'_>, call: &FunctionCall) -> ToolCall {
    let tool = turn.session.parts.toolbox.get(&call.name);
    let name = tool.map_or(call.name.as_str(), |tool| tool.declaration().name.as_str());
    ToolCall {
        id: call.id.clone().unwrap_or_else(new_id),
        name: name.to_owned(),
        arguments: call.args.clone(),
        mcp: tool.and_then(|tool| tool.mcp_context().cloned()),
        original_request_name: None,
        changed_arguments: Vec::new(),
    }
}

/// Says why a call can't run whose arguments were no JSON object: to run it without them would
/// not be what the model asked for (LO-3).
fn unreadable_arguments(call: &FunctionCall) -> Option<ToolError> {
    let text = call.unreadable_args.as_ref()?;
    let message = format!(
        "the arguments of `{}` are no JSON object, so the tool did not run: {text}",
        call.name
    );
    Some(ToolError::new(ErrorKind::InvalidParams, message))
}

fn new_id() -> String {
    format!("call-{}", uuid::Uuid::new_v4())
}

/// Runs one call of a chain, with everything around it.
async fn one(turn: &Turn<'_>, call: ToolCall, refusal: Option<ToolError>) -> (Step, FinishedCall) {
    let started = Instant::now();
    let (hooks, span) = spans::tool_call(&turn.hooks);
    turn.session.show(&SessionEvent::ToolRequested(&call));
    let tool = match refusal {
        Some(error) => Err(error),
        None => turn.session.parts.toolbox.find(&call.name).map(Arc::clone),
    };
    let mut ended = FinishedCall {
        output: Output::new("", ""),
        access: tool.as_ref().ok().map(|tool| tool.declaration().access),
        decision: CallDecision::Reject,
        duration: Duration::ZERO,
        ended_at: String::new(),
        hook_messages: Vec::new(),
        hook_data: Map::new(),
        call,
    };
    let step = match tool {
        Err(error) => Step::Done(unanswered(error)),
        Ok(tool) => through_hooks(turn, &hooks, &*tool, &mut ended).await,
    };
    ended.output = match &step {
        Step::Done(output) => output.clone(),
        Step::Next(next, _) => {
            Output::new("", format!("a hook lets `{}` run in its place", next.name))
        }
        Step::Stop(reason) => unanswered(stopped(reason)),
    };
    ended.duration = started.elapsed();
    ended.ended_at = SystemClock.now();
    spans::end_tool_call(span, &ended);
    (step, ended)
}

/// Clears a call, runs it, and lets hooks judge the result. `hooks` are those of this call: calls
/// beside it have their own.
async fn through_hooks(
    turn: &Turn<'_>,
    hooks: &SessionHooks,
    tool: &dyn Tool,
    ended: &mut FinishedCall,
) -> Step {
    if let Err(error) = tool.validate(&ended.call.arguments) {
        return Step::Done(unanswered(error));
    }
    let cleared = match clearance::obtain(turn, hooks, tool, ended.call.clone()).await {
        Clearance::Cleared(cleared) => cleared,
        Clearance::Refused { call, error } => {
            ended.call = call;
            return Step::Done(unanswered(error));
        }
        Clearance::Stopped(reason) => return Step::Stop(reason),
    };
    ended.decision = CallDecision::Accept;
    ended.call = (*cleared).clone();
    let mut output = match tool_run::run(turn, hooks, tool, cleared).await {
        RunEnd::Output(output) => output,
        RunEnd::Stopped(reason) => return Step::Stop(reason),
    };
    note_changed_arguments(&ended.call, &mut output);
    let Ok(conclusion) = hooks.after_tool(&ended.call, response(&output)).await else {
        return Step::Done(unanswered(unjudged()));
    };
    ended.hook_messages = conclusion.messages;
    ended.hook_data = conclusion.data;
    match after_tool::apply(conclusion.outcome, output) {
        ResultFate::Given(output) => Step::Done(output),
        ResultFate::Stopped(reason) => Step::Stop(reason),
        ResultFate::Chained(next, context) => {
            let next = chained(turn, &ended.call, next.name, next.args);
            Step::Next(Box::new(next), context)
        }
    }
}

/// Builds the call that takes over from another one (AT-3).
fn chained(turn: &Turn<'_>, from: &ToolCall, name: String, arguments: ToolArguments) -> ToolCall {
    let tool = turn.session.parts.toolbox.get(&name);
    let original = from
        .original_request_name
        .clone()
        .unwrap_or_else(|| from.name.clone());
    ToolCall {
        id: new_id(),
        name: tool.map_or(name, |tool| tool.declaration().name.clone()),
        arguments,
        mcp: tool.and_then(|tool| tool.mcp_context().cloned()),
        original_request_name: Some(original),
        changed_arguments: Vec::new(),
    }
}

/// Tells the model which of its arguments hooks changed (BT-4).
fn note_changed_arguments(call: &ToolCall, output: &mut Output) {
    if !call.changed_arguments.is_empty() {
        let names = call.changed_arguments.join(", ");
        let note = format!("[System] A hook changed these parameters before the tool ran: {names}");
        output.llm_content = format!(
            "{}

{note}",
            output.llm_content
        );
    }
}

fn response(output: &Output) -> ToolResponse {
    ToolResponse {
        llm_content: Value::from(output.llm_content.as_str()),
        return_display: output.return_display(),
        error: output.error.as_ref().map(
            |error| serde_json::json!({"message": error.message, "type": error.kind.as_str()}),
        ),
    }
}

/// Builds the result of a call that did not run, or whose result goes nowhere: the model reads
/// the reason in the words that were chosen for it (BT-1).
fn unanswered(error: ToolError) -> Output {
    Output {
        llm_content: error.message.clone(),
        display: error.message.clone(),
        error: Some(error),
        change: None,
    }
}

/// Words what the model reads of a result whose hooks were cancelled: nothing of it (EV-5, AT-1).
fn unjudged() -> ToolError {
    let message = "the turn was cancelled while hooks were judging the result, so it is not kept";
    ToolError::new(ErrorKind::Cancelled, message)
}

fn chain_too_long(limit: u32) -> ToolError {
    let message =
        format!("the chain of tools that hooks asked for is longer than {limit}, so it ends here");
    ToolError::new(ErrorKind::PolicyViolation, message)
}

fn stopped(reason: &Reason) -> ToolError {
    ToolError::new(
        ErrorKind::StopExecution,
        format!("Agent execution stopped: {reason}"),
    )
}
