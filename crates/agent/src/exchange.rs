//! The only path to the model: a request passes its hooks, and so does the response. Turns of a
//! conversation, summaries, web answers and sub-agents all use it (EV-4).

use std::time::Instant;

use hookloop_engine::{ArrivedChunk, Cleared, ResponseFlow};
use hookloop_events::llm::GivenResponse;
use hookloop_model::{AllowedTools, Chunk, ChunkStream, ModelError, Request};

use crate::apply::before_model::RequestFate;
use crate::apply::{after_model, before_model};
use crate::arrived::{Arrived, Flaw, Purpose, Sent};
use crate::scope::Scope;
use crate::spans;
use crate::telemetry::RequestReport;
use crate::turn_end::TurnEnd;

/// Receives a response as hooks left it, chunk by chunk, each only after its hooks (AM-1).
pub(crate) trait Sink: Send {
    fn take(&mut self, chunk: &Chunk);

    /// Returns the text received so far: hooks read it as the text before a chunk.
    fn text(&self) -> &str;
}

/// What is known about a finished exchange.
pub(crate) struct Exchange {
    /// The tools that the model was allowed to call.
    pub(crate) allowed: AllowedTools,
    /// The model that answered, which a hook may have chosen (BM-1); `None` if a hook answered
    /// instead.
    pub(crate) model: Option<String>,
    /// What the model sent, before hooks changed it; `None` if a hook answered instead.
    pub(crate) arrived: Option<Arrived>,
}

impl Exchange {
    /// Returns why the model ended its response early, if it did (LO-3).
    pub(crate) fn early_end(&self) -> Option<&str> {
        self.arrived.as_ref().and_then(Arrived::early_end)
    }

    /// Returns why the requested response is incomplete, if it is (LO-3). It is for responses that
    /// are used once: a turn asks again if one was cut.
    pub(crate) fn half(&self, what: &str) -> Option<String> {
        let early = self.early_end().map(|reason| early_end_text(what, reason));
        early.or_else(|| {
            let flaw = self.arrived.as_ref()?.flaw().filter(Flaw::is_cut)?;
            Some(format!("the model didn't end {what}: it {flaw}"))
        })
    }
}

/// How an exchange ended before its response was complete.
#[derive(Debug)]
pub(crate) struct Unfinished {
    /// How the turn ends if the request belongs to the turn itself.
    pub(crate) end: TurnEnd,
    /// Whose words the sink received.
    pub(crate) words: WordsOf,
}

/// Whose words a sink received before an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordsOf {
    /// A hook's: they are all that it said (BM-4).
    Hook,
    /// The model's: it may have had more to say (LO-3).
    Model,
}

impl From<Unfinished> for TurnEnd {
    fn from(unfinished: Unfinished) -> Self {
        unfinished.end
    }
}

/// Returns the text that the model ended prematurely.
pub(crate) fn early_end_text(what: &str, reason: &str) -> String {
    format!("the model ended {what} early ({reason}), so it is incomplete")
}

/// Sends a request, and passes the response to a sink.
///
/// # Errors
/// Returns how the turn ends. What the sink received until then was shown, and stays.
pub(crate) async fn exchange(
    scope: &Scope,
    request: Request,
    purpose: Purpose,
    sink: &mut dyn Sink,
) -> Result<Exchange, Unfinished> {
    let (scope, span) = scope.step(|hooks| spans::model_call(hooks, purpose));
    let mut sent = None;
    let ended = through_hooks(&scope, request, purpose, sink, &mut sent).await;
    spans::end_model_call(span, sent.as_ref(), ended.as_ref().err());
    let allowed = ended.map_err(|end| Unfinished {
        end,
        words: match sent {
            Some(_) => WordsOf::Model,
            None => WordsOf::Hook,
        },
    })?;
    let (model, arrived) = sent.map(|sent| (sent.model, sent.arrived)).unzip();
    Ok(Exchange {
        allowed,
        model,
        arrived,
    })
}

async fn through_hooks(
    scope: &Scope,
    request: Request,
    purpose: Purpose,
    sink: &mut dyn Sink,
    sent: &mut Option<Sent>,
) -> Result<AllowedTools, TurnEnd> {
    let request = match before_model::apply(scope.hooks.before_model(request).await?.outcome) {
        RequestFate::Sent(request) => request,
        RequestFate::Answered(chunk) => {
            sink.take(&chunk);
            return Ok(AllowedTools::All);
        }
        RequestFate::Ended(end, answer) => {
            if let Some(chunk) = answer {
                sink.take(&chunk);
            }
            return Err(end);
        }
    };
    // If no tool can be called, there is nothing to select.
    let request = match purpose {
        Purpose::Conversation => scope.hooks.before_tool_selection(request).await?,
        Purpose::Compression | Purpose::Web => request,
    };
    // If the user cancelled while hooks ran, nothing is sent, even if they let it through (LO-4).
    scope.proceed()?;
    let sent = sent.insert(Sent {
        model: request.model.clone(),
        arrived: Arrived::default(),
    });
    send(scope, &request, purpose, sink, &mut sent.arrived).await?;
    Ok(request.allowed_tools())
}

/// Sends a cleared request and counts it.
async fn send(
    scope: &Scope,
    request: &Cleared<Request>,
    purpose: Purpose,
    sink: &mut dyn Sink,
    arrived: &mut Arrived,
) -> Result<(), TurnEnd> {
    let services = &scope.services;
    let identity = scope.hooks.identity();
    services.telemetry.api_request(identity, request, purpose);
    services.stats.lock().count_request(&request.model);
    let started = Instant::now();
    let ended = receive(scope, request, purpose, sink, arrived).await;
    let latency = started.elapsed();
    let mut stats = services.stats.lock();
    stats.count_latency(&request.model, latency);
    if let Some(usage) = &arrived.usage {
        stats.count_usage(&request.model, usage);
    }
    if matches!(ended, Err(TurnEnd::Failed(_))) {
        stats.count_error(&request.model);
    }
    drop(stats);
    let report = RequestReport {
        model: &request.model,
        purpose,
        duration: latency,
        arrived,
        end: ended.as_ref().err(),
    };
    services.telemetry.api_end(identity, &report);
    ended
}

async fn receive(
    scope: &Scope,
    request: &Cleared<Request>,
    purpose: Purpose,
    sink: &mut dyn Sink,
    arrived: &mut Arrived,
) -> Result<(), TurnEnd> {
    let mut stream = ask(scope, request, purpose).await?;
    if let Some(flow) = scope.hooks.response_flow(request) {
        return relay(stream, flow, sink, arrived).await;
    }
    while let Some(chunk) = next_of(&mut stream, arrived).await? {
        arrived.note(&chunk);
        let outcome = {
            let arrived = ArrivedChunk {
                response: &chunk.view(),
                text_before: sink.text(),
            };
            scope.hooks.after_model(request, arrived).await?.outcome
        };
        sink.take(&after_model::apply(outcome, chunk)?);
    }
    Ok(())
}

/// Receives a response whose text hooks hold back or read joined: what they release is passed on,
/// while the stream is still read (AM-6, AM-7). Function calls and thoughts are passed on at once;
/// calls run when the response is complete, and so after all its hooks.
async fn relay(
    mut stream: ChunkStream,
    mut flow: ResponseFlow,
    sink: &mut dyn Sink,
    arrived: &mut Arrived,
) -> Result<(), TurnEnd> {
    let of_text = |text: String| GivenResponse {
        text: Some(text),
        ..GivenResponse::default()
    };
    let mut is_open = true;
    loop {
        tokio::select! {
            biased;
            passed = flow.passed() => match passed {
                Some(text) => sink.take(&Chunk::from_given(&of_text(text?))),
                None => return Ok(()),
            },
            chunk = next_of(&mut stream, arrived), if is_open => if let Some(mut chunk) = chunk? {
                arrived.note(&chunk);
                flow.push(&chunk.view());
                chunk.replace_text(&of_text(String::new()));
                sink.take(&chunk);
            } else {
                is_open = false;
                flow.finish();
            },
        }
    }
}

/// Waits for the next chunk. If the connection breaks there are no more. Unless the response had
/// already ended, it counts as cut, and the model is asked again (LO-3).
async fn next_of(
    stream: &mut ChunkStream,
    arrived: &mut Arrived,
) -> Result<Option<Chunk>, ModelError> {
    match stream.next().await.transpose() {
        Err(error) if error.broke_off() => {
            arrived.note_break(&error);
            Ok(None)
        }
        next => next,
    }
}

/// Asks the model: for a response in chunks if somebody watches it, and otherwise for a complete
/// one (MO-3).
async fn ask(
    scope: &Scope,
    request: &Cleared<Request>,
    purpose: Purpose,
) -> Result<ChunkStream, ModelError> {
    let model = &scope.services.model;
    let cancel = scope.cancel.clone();
    match purpose {
        Purpose::Conversation => model.stream(request, cancel).await,
        Purpose::Compression | Purpose::Web => {
            let chunk = model.generate(request, cancel.clone()).await?;
            Ok(ChunkStream::from_chunks(vec![chunk], cancel))
        }
    }
}

/// Receives the single chunk of a complete response, for a caller that processes it without showing
/// it.
#[derive(Debug, Default)]
pub(crate) struct WholeAnswer {
    /// The response, as hooks left it.
    pub(crate) chunk: Chunk,
    text: String,
}

impl Sink for WholeAnswer {
    fn take(&mut self, chunk: &Chunk) {
        self.text = chunk.visible_text();
        self.chunk = chunk.clone();
    }

    fn text(&self) -> &str {
        &self.text
    }
}
