//! Blocking requests to a collector; the exporter has its own thread.

use std::error::Error;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hookloop_model::{Transport, web_client};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use prost::Message;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use tokio::runtime::Runtime;

use crate::endpoint::Endpoint;

/// The time limit of a request, including its response.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// The pauses before another attempt, if the collector's response says that one may help.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(600)];

/// How many bytes of a response are read at most.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

const PROTOBUF: HeaderValue = HeaderValue::from_static("application/x-protobuf");

/// A server that accepts spans.
pub(crate) struct Collector {
    endpoint: Endpoint,
    transport: Transport,
    /// Created by the first request, because it may load the system's certificates.
    link: Mutex<Option<Link>>,
}

struct Link {
    runtime: Runtime,
    client: Client,
}

/// Spans that a collector didn't accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The request failed.
    All(String),
    /// The collector accepted the others (`partial_success`).
    Some {
        /// How many it rejected.
        rejected: usize,
        /// The reason.
        cause: String,
    },
}

/// Why an attempt failed.
enum Fault {
    /// Another attempt may help.
    Passing(String),
    /// It wouldn't help.
    Lasting(String),
}

impl Collector {
    pub(crate) fn new(endpoint: Endpoint, transport: Transport) -> Self {
        Self {
            endpoint,
            transport,
            link: Mutex::default(),
        }
    }

    /// Sends a request in protobuf, and waits for the response.
    pub(crate) fn send(&self, body: &[u8]) -> Result<(), Loss> {
        // The link is set only when it is complete, so a poisoned lock guards nothing broken.
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let link = match &mut *link {
            Some(link) => link,
            none => none.insert(self.connect().map_err(Loss::All)?),
        };
        link.runtime.block_on(self.deliver(&link.client, body))
    }

    fn connect(&self) -> Result<Link, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let client = web_client(self.endpoint.url(), &self.transport)?;
        Ok(Link { runtime, client })
    }

    async fn deliver(&self, client: &Client, body: &[u8]) -> Result<(), Loss> {
        let mut pauses = PAUSES.iter();
        loop {
            let attempt = tokio::time::timeout(REQUEST_LIMIT, self.attempt(client, body)).await;
            let silent = || {
                let seconds = REQUEST_LIMIT.as_secs();
                Err(Fault::Lasting(format!("no answer within {seconds} s")))
            };
            match attempt.unwrap_or_else(|_| silent()) {
                Ok(answer) => return judge(&answer),
                Err(Fault::Lasting(cause)) => return Err(Loss::All(cause)),
                Err(Fault::Passing(cause)) => match pauses.next() {
                    Some(pause) => tokio::time::sleep(*pause).await,
                    None => return Err(Loss::All(cause)),
                },
            }
        }
    }

    async fn attempt(&self, client: &Client, body: &[u8]) -> Result<Vec<u8>, Fault> {
        let failed = |error: reqwest::Error| Fault::Lasting(root_cause(&error.without_url()));
        let response = client
            .post(self.endpoint.url().clone())
            .header(CONTENT_TYPE, PROTOBUF)
            .body(body.to_vec())
            .send()
            .await
            .map_err(failed)?;
        let status = response.status();
        if status.is_success() {
            return read(response).await.map_err(failed);
        }
        let cause = format!("it answers {status}");
        // OTLP permits retries for these statuses.
        Err(match status {
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Fault::Passing(cause),
            _ => Fault::Lasting(cause),
        })
    }
}

/// Reads a response, up to the limit.
async fn read(mut response: Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut answer = Vec::new();
    while answer.len() < MAX_ANSWER_BYTES
        && let Some(piece) = response.chunk().await?
    {
        answer.extend_from_slice(&piece);
    }
    Ok(answer)
}

/// Determines whether everything was accepted. A response that isn't protobuf tells nothing beyond
/// its status.
fn judge(answer: &[u8]) -> Result<(), Loss> {
    let partial = ExportTraceServiceResponse::decode(answer)
        .ok()
        .and_then(|response| response.partial_success);
    match partial {
        Some(partial) if partial.rejected_spans > 0 => Err(Loss::Some {
            rejected: usize::try_from(partial.rejected_spans).unwrap_or(usize::MAX),
            cause: format!("it rejects them: {}", partial.error_message),
        }),
        _ => Ok(()),
    }
}

/// Returns the root cause of an error; the levels above only repeat that it failed.
fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    cause.to_string()
}

impl fmt::Debug for Collector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Collector")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
