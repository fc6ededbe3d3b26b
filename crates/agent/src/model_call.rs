//! One call of the model, from the request to the last chunk.

use std::sync::Arc;
use std::time::Instant;

use hookloop_engine::{ArrivedChunk, Cleared};
use hookloop_model::{
    AllowedTools, Chunk, Content, ModelError, Part, PartData, Request, RequestParts, Speaker, Usage,
};

use crate::apply::before_model::RequestFate;
use crate::apply::{after_model, before_model};
use crate::frontend::SessionEvent;
use crate::spans::Exchange;
use crate::turn::Turn;
use crate::turn_end::TurnEnd;

/// What came of a call of the model.
pub(crate) struct ModelAnswer {
    /// What the model said, as hooks left it.
    pub(crate) content: Content,
    /// The tools that it was allowed to call.
    pub(crate) allowed: AllowedTools,
    /// How the turn ends, if it does.
    pub(crate) end: Option<TurnEnd>,
    /// What is known of the request, if there was one.
    pub(crate) exchange: Exchange,
}

/// Asks the model through its hooks: `BeforeModel`, `BeforeToolSelection`, the request, and
/// `AfterModel` for each chunk (LO-1).
pub(crate) async fn ask(turn: &mut Turn<'_>) -> ModelAnswer {
    let request = request(turn);
    let outcome = match turn.hooks.before_model(request).await {
        Ok(conclusion) => conclusion.outcome,
        Err(cancelled) => return unasked(cancelled.into()),
    };
    match before_model::apply(outcome) {
        RequestFate::Sent(request) => match turn.hooks.before_tool_selection(request).await {
            Ok(request) => send(turn, &request).await,
            Err(cancelled) => unasked(cancelled.into()),
        },
        RequestFate::Answered(chunk) => answered(turn, &chunk, None),
        RequestFate::Ended(end, Some(chunk)) => answered(turn, &chunk, Some(end)),
        RequestFate::Ended(end, None) => unasked(end),
    }
}

/// The end of a turn whose model was not asked, and that has no answer in its place.
fn unasked(end: TurnEnd) -> ModelAnswer {
    ModelAnswer {
        content: Content::new(Speaker::Model, Vec::new()),
        allowed: AllowedTools::None,
        end: Some(end),
        exchange: Exchange::default(),
    }
}

/// Builds the request for the conversation as it stands; it shares the history (BM-6).
fn request(turn: &Turn<'_>) -> Request {
    let session = &turn.session;
    let instruction = session.parts.system_instruction.as_deref();
    Request::from(RequestParts {
        model: session.parts.model_name.clone(),
        contents: session.history.contents().to_vec(),
        system_instruction: instruction.map(|text| Arc::new(Content::system(text))),
        config: session.parts.generation_config.clone(),
        tools: session.declarations.clone(),
        ..RequestParts::default()
    })
}

/// Shows an answer that a hook gave in the model's place (BM-3, BM-4).
fn answered(turn: &Turn<'_>, chunk: &Chunk, end: Option<TurnEnd>) -> ModelAnswer {
    let mut answer = Gathering::default();
    show_chunk(turn, chunk);
    answer.take(chunk);
    turn.session.show(&SessionEvent::ResponseEnded);
    let content = match end {
        None => answer.content,
        Some(_) => without_calls(answer.content),
    };
    ModelAnswer {
        content,
        allowed: AllowedTools::All,
        end,
        exchange: Exchange::default(),
    }
}

/// Sends a cleared request and takes the answer chunk by chunk.
async fn send(turn: &mut Turn<'_>, request: &Cleared<Request>) -> ModelAnswer {
    let allowed = request.allowed_tools();
    let identity = turn.hooks.identity().clone();
    turn.session.parts.telemetry.api_request(&identity, request);
    turn.session.stats.running().count_request(&request.model);
    let mut answer = Gathering::default();
    let started = Instant::now();
    let end = receive(turn, request, &mut answer).await.err();
    let latency = started.elapsed();
    turn.session
        .stats
        .running()
        .count_latency(&request.model, latency);
    if let Some(usage) = &answer.usage {
        turn.session
            .stats
            .running()
            .count_usage(&request.model, usage);
    }
    warn_of_early_end(turn, &answer);
    if matches!(end, Some(TurnEnd::Failed(_))) {
        turn.session.stats.running().count_error(&request.model);
    }
    if answer.has_text {
        turn.session.show(&SessionEvent::ResponseEnded);
    }
    let content = match end {
        None => answer.content,
        // What was shown stays; calls that will never be answered don't.
        Some(_) => without_calls(answer.content),
    };
    ModelAnswer {
        content,
        allowed,
        end,
        exchange: Exchange {
            model: Some(request.model.clone()),
            usage: answer.usage,
            finish_reason: answer.finish_reason,
        },
    }
}

async fn receive(
    turn: &mut Turn<'_>,
    request: &Cleared<Request>,
    answer: &mut Gathering,
) -> Result<(), TurnEnd> {
    let model = Arc::clone(&turn.session.parts.model);
    let stream = model.stream(request, turn.cancel.clone()).await;
    let mut stream = stream.map_err(failed)?;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(failed)?;
        answer.note(&chunk);
        let arrived = ArrivedChunk {
            response: &chunk.view(),
            text_before: &answer.text,
        };
        let conclusion = turn.hooks.after_model(request, arrived).await?;
        let chunk = after_model::apply(conclusion.outcome, chunk)?;
        show_chunk(turn, &chunk);
        answer.take(&chunk);
    }
    Ok(())
}

/// Tells the user that the model did not end of its own accord.
fn warn_of_early_end(turn: &Turn<'_>, answer: &Gathering) {
    let reason = answer.finish_reason.as_deref();
    if let Some(reason) = reason.filter(|reason| *reason != ORDINARY_END) {
        turn.session.show(&SessionEvent::Warning(&format!(
            "the model ended its answer early: {reason}"
        )));
    }
}

/// Words the failure of a call.
pub(crate) fn failed(error: ModelError) -> TurnEnd {
    match error {
        ModelError::Cancelled => TurnEnd::Cancelled,
        other => TurnEnd::Failed(other.to_string()),
    }
}

fn show_chunk(turn: &Turn<'_>, chunk: &Chunk) {
    let text = chunk.visible_text();
    if !text.is_empty() {
        turn.session.show(&SessionEvent::ModelText(&text));
    }
}

fn without_calls(mut content: Content) -> Content {
    content
        .parts
        .retain(|part| !matches!(part.data, PartData::FunctionCall(_)));
    content
}

/// How a model says that it has said everything.
pub(crate) const ORDINARY_END: &str = "STOP";

/// The answer as far as it arrived.
struct Gathering {
    /// The token counts so far: those of a later chunk include those of the earlier ones.
    usage: Option<Usage>,
    finish_reason: Option<String>,
    content: Content,
    text: String,
    has_text: bool,
}

impl Default for Gathering {
    fn default() -> Self {
        let content = Content::new(Speaker::Model, Vec::new());
        Self {
            usage: None,
            finish_reason: None,
            content,
            text: String::new(),
            has_text: false,
        }
    }
}

impl Gathering {
    /// Notes what a chunk says about the answer as a whole.
    fn note(&mut self, chunk: &Chunk) {
        if let Some(usage) = &chunk.usage_metadata {
            self.usage = Some(usage.clone());
        }
        if let Some(reason) = chunk.finish_reason() {
            self.finish_reason = Some(reason.to_owned());
        }
    }

    fn take(&mut self, chunk: &Chunk) {
        let text = chunk.visible_text();
        self.has_text |= !text.is_empty();
        self.text.push_str(&text);
        let parts = chunk
            .content()
            .map(|content| content.parts.as_slice())
            .unwrap_or_default();
        let says_something =
            |part: &&Part| part.visible_text() != Some("") || part.thought_signature.is_some();
        for part in parts.iter().filter(says_something) {
            self.content.push_streamed(part.clone());
        }
    }
}
