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
    };
    for group in groups(turn.session, calls) {
        if let Some(reason) = &batch.stopped {
            let unanswered = group.iter().map(|call| not_run(call, reason));
            batch.responses.extend(unanswered);
            continue;
        }
        let running = group.iter().map(|call| tool_call::run(turn, call, allowed));
        let ended = join_all(running).await;
        for (call, end) in group.iter().zip(ended) {
            let response = conclude(turn, call, end, &mut batch.stopped);
            batch.responses.push(response);
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

/// Records a call that is over, everywhere, and builds its response for the model.
fn conclude(
    turn: &mut Turn<'_>,
    call: &FunctionCall,
    end: CallEnd,
    stopped: &mut Option<Reason>,
) -> FunctionResponse {
    let CallEnd {
        finished,
        output,
        stop,
    } = end;
    for step in &finished {
        record(turn, step);
    }
    if let Some(reason) = stop {
        let response = not_run(call, &reason);
        *stopped = Some(match stopped.take() {
            Some(earlier) => earlier.and(&reason),
            None => reason,
        });
        return response;
    }
    call.respond(response(&output))
}

fn record(turn: &mut Turn<'_>, step: &FinishedCall) {
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
        }));
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
