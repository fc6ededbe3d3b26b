//! Sends a request to a server, and retries it if that can help (MO-1).

use std::time::Instant;

use hookloop_engine::BoxFuture;
use reqwest::{Response, Url};
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::error::ModelError;
use crate::http::answer::{AnswerReader, Blame, HttpChunks, IDLE_FACTOR, sanitise, too_large};
use crate::http::connection::Connection;
use crate::http::decode::Decoder;
use crate::http::failure::{ErrorAnswer, Failure, plain_line};
use crate::http::key::ApiKey;
use crate::http::pause::{Pause, RealPause, wait_after};
use crate::http_error::{HttpProblem, RetryNotice};
use crate::stream::ChunkStream;

/// How the response should arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// In chunks.
    Chunks,
    /// As a whole.
    Whole,
}

/// How much of an error's body is read, in bytes.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// A server, and how to call it.
pub(crate) struct Exchange {
    connection: Connection,
    key: Option<ApiKey>,
    /// What else may be wrong if the server finds nothing.
    not_found_hint: &'static str,
    pause: Box<dyn Pause>,
}

/// A request in the server's form.
pub(crate) struct Call {
    pub(crate) address: Url,
    /// What is sent; `None` if nothing is.
    pub(crate) body: Option<Vec<u8>>,
    /// The model's name, for messages.
    pub(crate) model: String,
}

impl Exchange {
    pub(crate) fn new(
        connection: Connection,
        key: Option<ApiKey>,
        not_found_hint: &'static str,
    ) -> Self {
        Self {
            connection,
            key,
            not_found_hint,
            pause: Box::new(RealPause),
        }
    }

    /// Waits on another clock.
    #[cfg(test)]
    pub(crate) fn set_pause(&mut self, pause: impl Pause + 'static) {
        self.pause = Box::new(pause);
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Requests a response in chunks; returns when the first one has arrived.
    pub(crate) async fn stream<D: Decoder>(
        &self,
        call: &Call,
        cancel: CancellationToken,
    ) -> Result<ChunkStream, ModelError> {
        let attempt = || -> BoxFuture<'_, Result<(Chunk, AnswerReader<D>), Failure>> {
            Box::pin(async {
                let response = self.ask(call).await?;
                let mut reader = AnswerReader::new(response, self.connection.transport());
                match reader.next().await? {
                    Some(first) => Ok((first, reader)),
                    None => Err(Failure::permanent(HttpProblem::Empty)),
                }
            })
        };
        let ((first, reader), attempts) = self.insist(attempt, &cancel).await?;
        let chunks = HttpChunks::new(first, reader, cancel, self.blame(attempts));
        Ok(ChunkStream::new(chunks))
    }

    /// Requests a complete response.
    pub(crate) async fn send<T: Send>(
        &self,
        call: &Call,
        read: fn(&[u8]) -> Result<T, HttpProblem>,
        cancel: &CancellationToken,
    ) -> Result<T, ModelError> {
        let attempt = || -> BoxFuture<'_, Result<T, Failure>> {
            Box::pin(async {
                let mut response = self.ask(call).await?;
                let bound = self.connection.transport().max_answer_bytes;
                let body = self.body(&mut response, bound).await?;
                if body.len() > bound {
                    return Err(too_large());
                }
                if body.trim_ascii().is_empty() {
                    return Err(Failure::permanent(HttpProblem::Empty));
                }
                read(&body).map_err(Failure::permanent)
            })
        };
        let (answer, _) = self.insist(attempt, cancel).await?;
        Ok(answer)
    }

    /// Tries until it works, or until it isn't worth it any more.
    async fn insist<'a, T>(
        &self,
        attempt: impl Fn() -> BoxFuture<'a, Result<T, Failure>> + Send,
        cancel: &CancellationToken,
    ) -> Result<(T, u32), ModelError> {
        let transport = self.connection.transport();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let failure = match unless_cancelled(cancel, attempt()).await? {
                Ok(answer) => return Ok((answer, attempts)),
                Err(failure) => failure,
            };
            let jitter = self.pause.jitter();
            let Some(wait) = wait_after(&failure, attempts, transport, jitter) else {
                return Err(self.blame(attempts).error(failure.problem));
            };
            transport.on_retry.tell(&RetryNotice {
                server: self.connection.server(),
                problem: sanitise(failure.problem, self.key.as_ref()),
                attempt: attempts,
                attempts: transport.attempts,
                wait,
            });
            unless_cancelled(cancel, self.pause.wait(wait)).await?;
        }
    }

    /// Sends a request; a response with an error status is a failure.
    async fn ask(&self, call: &Call) -> Result<Response, Failure> {
        let mut response = self
            .connection
            .send(call.address.clone(), call.body.clone())
            .await?;
        let status = response.status();
        if status.is_success() {
            return match packing(&response) {
                Some(packing) => {
                    let why = format!("it is compressed ({packing}), which wasn't requested");
                    Err(Failure::permanent(HttpProblem::Unreadable(why)))
                }
                None => Ok(response),
            };
        }
        if let Some(place) = response
            .headers()
            .get("location")
            .filter(|_| status.is_redirection())
        {
            let place = String::from_utf8_lossy(place.as_bytes()).into_owned();
            let message =
                format!("the server has moved to {place}; set the base URL to its new address");
            return Err(Failure::permanent(HttpProblem::Refused {
                status: status.as_u16(),
                message,
            }));
        }
        // If the body can't be read, the status is still known.
        let body = self.body(&mut response, MAX_ERROR_BYTES).await;
        let header = |name| response.headers().get(name)?.to_str().ok();
        Err(Failure::from_answer(&ErrorAnswer {
            status: status.as_u16(),
            retry_after_ms: header("retry-after-ms"),
            retry_after: header("retry-after"),
            body: &body.unwrap_or_default(),
            model: &call.model,
            origins: &self.connection.transport().model_origins,
            hint: self.not_found_hint,
        }))
    }

    /// Reads a body up to a limit, which the result may exceed by one piece.
    async fn body(&self, response: &mut Response, bound: usize) -> Result<Vec<u8>, Failure> {
        let limit = self.connection.transport().idle_timeout;
        // A server that sends a byte now and then could continue forever.
        let patience = limit.saturating_mul(IDLE_FACTOR);
        let began = Instant::now();
        let mut body = Vec::new();
        while body.len() <= bound {
            let left = patience.saturating_sub(began.elapsed());
            match tokio::time::timeout(limit.min(left), response.chunk()).await {
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(Failure::from_transport(&error.without_url())),
                Err(_) => return Err(Failure::permanent(HttpProblem::Silent(limit))),
            }
        }
        Ok(body)
    }

    fn blame(&self, attempts: u32) -> Blame {
        Blame {
            server: self.connection.server(),
            key: self.key.clone(),
            attempts,
        }
    }
}

/// Returns the compression of a response, if there is one: requests ask for none, and compressed
/// data can't be read.
fn packing(response: &Response) -> Option<String> {
    let packing = response.headers().get("content-encoding")?.as_bytes();
    let packing = plain_line(&String::from_utf8_lossy(packing));
    let is_none = packing.trim().is_empty() || packing.trim().eq_ignore_ascii_case("identity");
    (!is_none).then_some(packing)
}

/// Waits for something that a cancellation ends at once, together with its connection (LO-4).
async fn unless_cancelled<T>(
    cancel: &CancellationToken,
    future: impl Future<Output = T>,
) -> Result<T, ModelError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ModelError::Cancelled),
        done = future => Ok(done),
    }
}
