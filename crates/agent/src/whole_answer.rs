//! A call of the model that wants no more than one whole answer: a summary, or words from the web.

use std::sync::Arc;
use std::time::Instant;

use hookloop_engine::{ArrivedChunk, SessionHooks};
use hookloop_model::{Chunk, Request};

use crate::apply::before_model::RequestFate;
use crate::apply::{after_model, before_model};
use crate::model_call::failed;
use crate::spans::{self, Exchange, Purpose};
use crate::turn::Turn;
use crate::turn_end::TurnEnd;

/// What the model answered.
pub(crate) struct WholeAnswer {
    /// The answer, as hooks left it.
    pub(crate) chunk: Chunk,
    /// Its text as the model said it.
    pub(crate) original_text: String,
}

/// Asks the model. This is a request like any other, so the hooks of its step see it (EV-4):
/// `BeforeModel`, and `AfterModel` for the answer. There is no `BeforeToolSelection` where no tool
/// can be selected.
///
/// # Errors
/// Says how the turn would end if the request were its own: whoever asks decides what becomes of
/// it. What the user cancelled and hooks stopped ends the turn in any case.
pub(crate) async fn ask(
    turn: &Turn<'_>,
    hooks: &SessionHooks,
    request: Request,
    purpose: Purpose,
) -> Result<WholeAnswer, TurnEnd> {
    let (hooks, span) = spans::model_call(hooks, purpose);
    let mut exchange = Exchange::default();
    let answer = through_hooks(turn, &hooks, request, &mut exchange).await;
    spans::end_model_call(span, &exchange, answer.as_ref().err());
    answer
}

async fn through_hooks(
    turn: &Turn<'_>,
    hooks: &SessionHooks,
    request: Request,
    exchange: &mut Exchange,
) -> Result<WholeAnswer, TurnEnd> {
    let conclusion = hooks.before_model(request).await?;
    let request = match before_model::apply(conclusion.outcome) {
        RequestFate::Sent(request) => request,
        RequestFate::Answered(chunk) => {
            let original_text = chunk.visible_text();
            return Ok(WholeAnswer {
                chunk,
                original_text,
            });
        }
        RequestFate::Ended(end, _) => return Err(end),
    };
    let session = &turn.session;
    let identity = hooks.identity();
    session.parts.telemetry.api_request(identity, &request);
    session.stats.running().count_request(&request.model);
    exchange.model = Some(request.model.clone());
    let model = Arc::clone(&session.parts.model);
    let started = Instant::now();
    let answer = model.generate(&request, turn.cancel.clone()).await;
    let latency = started.elapsed();
    session
        .stats
        .running()
        .count_latency(&request.model, latency);
    let chunk = match answer {
        Ok(chunk) => chunk,
        Err(error) => {
            let end = failed(error);
            if matches!(end, TurnEnd::Failed(_)) {
                session.stats.running().count_error(&request.model);
            }
            return Err(end);
        }
    };
    if let Some(usage) = &chunk.usage_metadata {
        session.stats.running().count_usage(&request.model, usage);
    }
    exchange.usage.clone_from(&chunk.usage_metadata);
    exchange.finish_reason = chunk.finish_reason().map(str::to_owned);
    let arrived = ArrivedChunk {
        response: &chunk.view(),
        text_before: "",
    };
    let conclusion = hooks.after_model(&request, arrived).await?;
    let original_text = chunk.visible_text();
    Ok(WholeAnswer {
        chunk: after_model::apply(conclusion.outcome, chunk)?,
        original_text,
    })
}
