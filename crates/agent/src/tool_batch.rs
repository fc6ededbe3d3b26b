//! The tool calls of one response: in parallel if they only read, otherwise in order. The results
//! go back in the model's order (LO-2).

use futures_util::future::join_all;
use hookloop_model::{FunctionCall, FunctionResponse, Part};
use hookloop_tools::{Access, Output};
use serde_json::{Map, Value};

use crate::conversation::inline;
use crate::finished_call::FinishedCall;
use crate::offer::Offer;
use crate::scope::Scope;
use crate::tool_call::{self, Admission, CallEnd};
use crate::turn_end::TurnEnd;

/// The results of the tools of one response.
pub(crate) struct Batch {
    /// One response for each call, in the model's order.
    pub(crate) responses: Vec<FunctionResponse>,
    /// The images and documents of the results, in the same order (TO-1).
    pub(crate) media: Vec<Part>,
    /// How the turn ends, if a call ended it.
    pub(crate) end: Option<TurnEnd>,
    /// Finished calls, to be shown when their responses are stored: what was seen must not be lost
    /// if the session is killed (SE-10).
    pub(crate) unshown: Vec<FinishedCall>,
}

/// Runs the calls of a response. Each gets exactly one response, however the turn ends.
pub(crate) async fn run(
    scope: &Scope,
    offer: &Offer,
    calls: &[FunctionCall],
    admission: &Admission,
) -> Batch {
    let mut batch = Batch {
        responses: Vec::with_capacity(calls.len()),
        media: Vec::new(),
        end: None,
        unshown: Vec::new(),
    };
    let mut groups = groups(offer, calls).into_iter().peekable();
    while let Some(group) = groups.next() {
        if let Err(end) = scope.proceed() {
            batch.end.get_or_insert(end);
        }
        if let Some(end) = &batch.end {
            let unanswered = group.iter().map(|call| not_run(call, end));
            batch.responses.extend(unanswered);
            continue;
        }
        let running = group
            .iter()
            .map(|call| tool_call::run(scope, offer, call, admission));
        let ended = join_all(running).await;
        let place = match groups.peek() {
            Some(_) => Place::BeforeOthers,
            None => Place::Last,
        };
        for (call, end) in group.iter().zip(ended) {
            batch.conclude(scope, call, end, place);
        }
    }
    batch
}

/// Splits calls into groups that only read, which run together, and single others.
fn groups<'c>(offer: &Offer, calls: &'c [FunctionCall]) -> Vec<&'c [FunctionCall]> {
    let reads = |call: &FunctionCall| {
        let tool = offer.toolbox.get(&call.name);
        tool.is_some_and(|tool| tool.declaration().access == Access::Read)
    };
    calls
        .chunk_by(|call, next| reads(call) && reads(next))
        .collect()
}

/// The position of calls in a response.
#[derive(Clone, Copy)]
enum Place {
    /// Others run before the message with all responses, which would come too late for these.
    BeforeOthers,
    /// The message follows directly.
    Last,
}

impl Batch {
    /// Records a finished call everywhere, and adds its response for the model.
    fn conclude(&mut self, scope: &Scope, call: &FunctionCall, ended: CallEnd, place: Place) {
        let CallEnd {
            mut finished,
            result,
        } = ended;
        let response = match result {
            Ok(output) => {
                let response = call.respond(response(&output));
                self.media.extend(output.media.into_iter().map(inline));
                response
            }
            Err(end) => {
                let response = not_run(call, &end);
                self.end(end);
                response
            }
        };
        let last = finished.len().saturating_sub(1);
        for (index, step) in finished.iter().enumerate() {
            let kept = matches!(place, Place::BeforeOthers) && index == last;
            step.record(scope, kept.then_some(&response));
        }
        match place {
            Place::BeforeOthers => finished.iter().for_each(|step| step.show(scope)),
            Place::Last => self.unshown.append(&mut finished),
        }
        self.responses.push(response);
    }

    /// Records how the turn ends: all reasons to stop are reported, and outweigh any other end.
    fn end(&mut self, end: TurnEnd) {
        self.end = Some(match (self.end.take(), end) {
            (Some(TurnEnd::Stopped(earlier)), TurnEnd::Stopped(reason)) => {
                TurnEnd::Stopped(earlier.and(&reason))
            }
            (_, stop @ TurnEnd::Stopped(_)) => stop,
            (Some(earlier), _) => earlier,
            (None, end) => end,
        });
    }
}

/// Builds what the model gets of a result: an error keeps its kind of field, so that the model can
/// distinguish it from output.
fn response(output: &Output) -> Map<String, Value> {
    let field = if output.error.is_some() {
        "error"
    } else {
        "output"
    };
    Map::from_iter([(field.to_owned(), Value::from(output.llm_content.as_str()))])
}

/// Builds the response to a call that got no result because the turn ended.
fn not_run(call: &FunctionCall, end: &TurnEnd) -> FunctionResponse {
    let text = match end {
        TurnEnd::Stopped(reason) => format!("no result: agent execution stopped: {reason}"),
        TurnEnd::Cancelled => "no result: the user cancelled the turn".to_owned(),
        end => format!("no result: the turn ended ({})", end.word()),
    };
    call.respond(Map::from_iter([("error".to_owned(), Value::from(text))]))
}
