//! The clients against a server on the loopback interface that behaves as badly as told.

mod broken;
mod cancelling;
mod endings;
mod retries;
mod secrets;
mod services;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookloop_engine::BoxFuture;
use hookloop_testkit::model_server::{Gate, ModelServer, Reply};
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::error::ModelError;
use crate::http::exchange::Exchange;
use crate::http::pause::Pause;
use crate::http::{ApiKey, GeminiClient, GeminiOptions, OpenAiClient, OpenAiOptions};
use crate::http_error::{HttpError, HttpProblem};

/// The key of every test.
pub(crate) const KEY: &str = "test-key-0123";

/// Records how long it should wait, and doesn't.
#[derive(Clone, Default)]
pub(crate) struct Waits(Arc<Mutex<Vec<Duration>>>);

impl Waits {
    pub(crate) fn taken(&self) -> Vec<Duration> {
        self.0.lock().unwrap().clone()
    }
}

impl Pause for Waits {
    fn wait(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(time);
        Box::pin(std::future::ready(()))
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}

/// Waits forever.
struct Endless;

impl Pause for Endless {
    fn wait(&self, _: Duration) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

pub(crate) fn gemini_options(server: &ModelServer) -> GeminiOptions {
    GeminiOptions {
        base_url: server.url(),
        ..GeminiOptions::new(ApiKey::new(KEY))
    }
}

pub(crate) fn gemini(server: &ModelServer) -> (GeminiClient, Waits) {
    let mut client = GeminiClient::new(gemini_options(server)).unwrap();
    let waits = paused(client.exchange_mut());
    (client, waits)
}

pub(crate) fn open_ai(server: &ModelServer) -> (OpenAiClient, Waits) {
    let options = OpenAiOptions {
        api_key: Some(ApiKey::new(KEY)),
        ..OpenAiOptions::new(server.url() + "/v1")
    };
    let mut client = OpenAiClient::new(options).unwrap();
    let waits = paused(client.exchange_mut());
    (client, waits)
}

fn paused(exchange: &mut Exchange) -> Waits {
    let waits = Waits::default();
    exchange.set_pause(waits.clone());
    waits
}

/// Streams an answer and collects its chunks, and how it ended.
pub(crate) async fn stream(
    client: &dyn ModelClient,
    request: &ClearedRequest,
) -> (Vec<Chunk>, Option<ModelError>) {
    let mut chunks = Vec::new();
    let mut stream = match client.stream(request, CancellationToken::new()).await {
        Ok(stream) => stream,
        Err(error) => return (chunks, Some(error)),
    };
    while let Some(next) = stream.next().await {
        match next {
            Ok(chunk) => chunks.push(chunk),
            Err(error) => {
                assert!(
                    stream.next().await.is_none(),
                    "nothing comes after an error"
                );
                return (chunks, Some(error));
            }
        }
    }
    (chunks, None)
}

pub(crate) fn texts(chunks: &[Chunk]) -> Vec<String> {
    chunks.iter().map(Chunk::visible_text).collect()
}

pub(crate) fn http_error(error: Option<ModelError>) -> HttpError {
    match error {
        Some(ModelError::Http(error)) => *error,
        other => panic!("no failure of HTTP: {other:?}"),
    }
}

pub(crate) fn problem(error: Option<ModelError>) -> HttpProblem {
    http_error(error).problem
}

/// Writes a chunk of Gemini's API.
pub(crate) fn gemini_text(text: &str) -> String {
    serde_json::json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]},
        "index": 0}]})
    .to_string()
}

/// Writes the chunk of Gemini's API that ends an answer.
pub(crate) fn gemini_last(text: &str) -> String {
    serde_json::json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]},
        "finishReason": "STOP", "index": 0}], "usageMetadata": {"totalTokenCount": 5}})
    .to_string()
}

/// Builds a reply of Gemini's API.
pub(crate) fn gemini_reply() -> Reply {
    Reply::events(&[&gemini_text("Hel"), &gemini_last("lo")])
}

/// Waits for a gate while the runtime continues.
pub(crate) async fn opened(gate: &Gate, what: &'static str) {
    let gate = gate.clone();
    tokio::task::spawn_blocking(move || gate.wait(what))
        .await
        .unwrap();
}
