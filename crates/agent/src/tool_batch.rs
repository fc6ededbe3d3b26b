//! The tools of one answer: beside each other where they only read, in order otherwise; the
//! results go back in the model's order (LO-2).

use futures_util::future::join_all;
use hookloop_events::Reason;
use hookloop_model::{AllowedTools, FunctionCall, FunctionResponse};
use hookloop_tools::{Access, Output};
use serde_json::{Map, Value};

use crate::frontend::{SessionEvent, ToolEnd};
use crate::session::Session;
use crate::stats::Success;
use crate::telemetry::CallReport;
use crate::tool_call::{self, CallEnd, FinishedCall};
use crate::transcript::{Entry, ToolCallEntry};
use crate::turn::Turn;

/// What came of the tools of one answer.
pub(crate) struct Batch {
    /// One response for each call, in the model's order.
    pub(crate) responses: Vec<FunctionResponse>,
    /// Why the loop ends, if a hook ended it.
    pub(crate) stopped: Option<Reason>,
    /// Calls that are over, to be shown when their responses are kept: what was seen must not be
    /// lost if the session is killed (SE-10).
    unshown: Vec<FinishedCall>,
}

impl Batch {
    /// Shows the ends of calls whose responses have been kept by now.
    pub(crate) fn show(&self, session: &Session) {
        for step in &self.unshown {
            show(session, step);
        }
    }
}

/// Runs the calls of an answer.
pub(crate) async fn run(
    turn: &mut Turn<'_>,
    calls: &[FunctionCall],
    allowed: &AllowedTools,
) -> Batch {
    let mut batch = Batch {
        responses: Vec::with_capacity(calls.len()),
        stopped: None,
        unshown: Vec::new(),
    };
    let mut groups = groups(turn.session, calls).into_iter().peekable();
    while let Some(group) = groups.next() {
        if let Some(reason) = &batch.stopped {
            let unanswered = group.iter().map(|call| not_run(call, reason));
            batch.responses.extend(unanswered);
            continue;
        }
        let running = group.iter().map(|call| tool_call::run(turn, call, allowed));
        let ended = join_all(running).await;
        let place = match groups.peek() {
            Some(_) => Place::BeforeOthers,
            None => Place::Last,
        };
        for (call, end) in group.iter().zip(ended) {
            conclude(turn, call, end, &mut batch, place);
        }
    }
    batch
}

/// Splits calls into runs of reading ones, which go together, and single others.
fn groups<'c>(session: &Session, calls: &'c [FunctionCall]) -> Vec<&'c [FunctionCall]> {
    let reads = |call: &FunctionCall| {
        let tool = session.parts.toolbox.get(&call.name);
        tool.is_some_and(|tool| tool.declaration().access == Access::Read)
    };
    calls
        .chunk_by(|call, next| reads(call) && reads(next))
        .collect()
}

/// Where calls stand among those of an answer.
#[derive(Clone, Copy)]
enum Place {
    /// Others run before the message with all responses: it would come too late for these.
    BeforeOthers,
    /// The message comes next.
    Last,
}

/// Records a call that is over, everywhere, and adds its response for the model.
fn conclude(
    turn: &mut Turn<'_>,
    call: &FunctionCall,
    end: CallEnd,
    batch: &mut Batch,
    place: Place,
) {
    let CallEnd {
        mut finished,
        output,
        stop,
    } = end;
    let response = match &stop {
        Some(reason) => not_run(call, reason),
        None => call.respond(response(&output)),
    };
    if let Some(reason) = stop {
        batch.stopped = Some(match batch.stopped.take() {
            Some(earlier) => earlier.and(&reason),
            None => reason,
        });
    }
    let last = finished.len().saturating_sub(1);
    for (index, step) in finished.iter().enumerate() {
        let kept = matches!(place, Place::BeforeOthers) && index == last;
        record(turn, step, kept.then_some(&response));
    }
    match place {
        Place::BeforeOthers => {
            for step in &finished {
                show(turn.session, step);
            }
        }
        Place::Last => batch.unshown.append(&mut finished),
    }
    batch.responses.push(response);
}

fn record(turn: &mut Turn<'_>, step: &FinishedCall, response: Option<&FunctionResponse>) {
    let identity = turn.hooks.identity().clone();
    let session = &mut *turn.session;
    session.parts.telemetry.tool_call(
        &identity,
        &CallReport {
            call: &step.call,
            duration: step.duration,
            decision: step.decision,
            error: step.output.error.as_ref(),
        },
    );
    let success = if step.output.error.is_none() {
        Success::Yes
    } else {
        Success::No
    };
    session
        .stats
        .running()
        .count_call(&step.call.name, success, step.duration);
    if step.access == Some(Access::Edit) && success == Success::Yes {
        let change = step.output.change.as_deref();
        session.stats.running().count_edit(change);
    }
    session
        .parts
        .transcript
        .append(&Entry::ToolCall(ToolCallEntry {
            timestamp: step.ended_at.clone(),
            tool_call_id: &step.call.id,
            name: &step.call.name,
            args: &step.call.arguments,
            success: success == Success::Yes,
            hook_messages: &step.hook_messages,
            hook_data: &step.hook_data,
            response,
        }));
}

fn show(session: &Session, step: &FinishedCall) {
    session.show(&SessionEvent::ToolFinished(ToolEnd {
        call: &step.call,
        display: &step.output.display,
        error: step.output.error.as_ref(),
    }));
}

/// Builds what the model gets of a result: an error keeps its kind of field, so that the model
/// can tell it from output.
fn response(output: &Output) -> Map<String, Value> {
    let field = if output.error.is_some() {
        "error"
    } else {
        "output"
    };
    Map::from_iter([(field.to_owned(), Value::from(output.llm_content.as_str()))])
}

/// Builds the response to a call that the end of the loop left without a result.
fn not_run(call: &FunctionCall, reason: &Reason) -> FunctionResponse {
    let text = format!("no result: agent execution stopped: {reason}");
    call.respond(Map::from_iter([("error".to_owned(), Value::from(text))]))
}
