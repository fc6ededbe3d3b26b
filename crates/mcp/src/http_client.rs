//! Sends messages over HTTP, and limits the size of responses.
//!
//! It differs from the SDK's own client in three ways: JSON responses have a size limit, as events
//! have; errors don't contain the address, which may contain a key; and a token is sent only if the
//! server demands it.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use crate::client::cause;
use crate::grant::{self, Grant};
use crate::reading::MAX_MESSAGE_BYTES;

pub(crate) const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: &str = "mcp-session-id";

/// How many bytes of a response that isn't a message are shown.
const MAX_SHOWN: usize = 300;

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// What responses reveal about a server.
#[derive(Debug, Default)]
pub(crate) struct Speaks {
    /// The server doesn't accept messages at its address, which is typical of servers older than
    /// streamable HTTP.
    no_messages: AtomicBool,
}

impl Speaks {
    /// Returns whether the server may use the older transport (SSE).
    pub(crate) fn may_be_older(&self) -> bool {
        self.no_messages.load(Ordering::Relaxed)
    }

    fn note(&self, status: StatusCode) {
        let is_older = matches!(
            status,
            StatusCode::BAD_REQUEST
                | StatusCode::NOT_FOUND
                | StatusCode::METHOD_NOT_ALLOWED
                | StatusCode::NOT_ACCEPTABLE
                | StatusCode::UNSUPPORTED_MEDIA_TYPE
        );
        if is_older {
            self.no_messages.store(true, Ordering::Relaxed);
        }
    }
}

/// A client that limits the size of responses.
#[derive(Clone)]
pub(crate) struct BoundedClient {
    client: Client,
    grant: Option<Arc<Grant>>,
    speaks: Arc<Speaks>,
}

impl BoundedClient {
    pub(crate) fn new(client: Client, grant: Option<Arc<Grant>>, speaks: Arc<Speaks>) -> Self {
        Self {
            client,
            grant,
            speaks,
        }
    }

    /// Returns the token for a request, if the server has demanded one.
    async fn token(&self, other: Option<String>) -> Option<String> {
        match &self.grant {
            Some(grant) => grant.in_use().await,
            None => other,
        }
    }
}

impl StreamableHttpClient for BoundedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let mut request = self
            .client
            .post(uri.as_ref())
            .header(ACCEPT, [EVENTS, JSON].join(", "))
            .headers(custom_headers.into_iter().collect())
            .json(&message);
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        if let Some(session_id) = &session_id {
            request = request.header(SESSION, session_id.as_ref());
        }
        let sent = grant::send(self.grant.as_deref(), request).await;
        let response = sent.map_err(Failure::Io)?;
        self.speaks.note(response.status());
        if response.status() == StatusCode::NOT_FOUND && session_id.is_some() {
            return Err(Failure::SessionExpired);
        }
        answer(response, &message).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        let client = &self.client;
        let auth_header = self.token(auth_header).await;
        StreamableHttpClient::delete_session(client, uri, session_id, auth_header, custom_headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let auth_header = self.token(auth_header).await;
        self.client
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                custom_headers,
                MAX_MESSAGE_BYTES,
            )
            .await
    }
}

/// Reads the response to a message.
async fn answer(
    response: Response,
    message: &ClientJsonRpcMessage,
) -> Result<StreamableHttpPostResponse, Failure> {
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    let header = |name: &str| {
        let value = response.headers().get(name)?;
        Some(value.to_str().ok()?.to_owned())
    };
    let session_id = header(SESSION);
    let kind = header(CONTENT_TYPE.as_str()).unwrap_or_default();
    if status.is_success() && kind.starts_with(EVENTS) {
        return Ok(StreamableHttpPostResponse::Sse(
            events(response),
            session_id,
        ));
    }
    let body = read(response).await.map_err(Failure::Io)?;
    let parsed = serde_json::from_slice::<ServerJsonRpcMessage>(&body);
    let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    match parsed {
        Ok(answer) if status.is_success() => {
            Ok(StreamableHttpPostResponse::Json(answer, session_id))
        }
        Ok(answer @ JsonRpcMessage::Error(_)) if !is_refused => {
            Ok(StreamableHttpPostResponse::Json(answer, session_id))
        }
        // Only a request expects a response.
        _ if status.is_success() && !matches!(message, JsonRpcMessage::Request(_)) => {
            Ok(StreamableHttpPostResponse::Accepted)
        }
        _ => Err(Failure::UnexpectedServerResponse(
            format!("HTTP {status}: {}", excerpt(&body)).into(),
        )),
    }
}

/// Reads a body, up to the limit.
pub(crate) async fn read(response: Response) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece.map_err(cause)?);
        if body.len() > MAX_MESSAGE_BYTES {
            return Err(too_large());
        }
    }
    Ok(body)
}

/// Reads a body as events, each up to the limit.
pub(crate) fn events(response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut bound = EventBound::default();
    let pieces = response.bytes_stream().map(move |piece| {
        let piece = piece.map_err(cause)?;
        if bound.exceeds_limit_with(&piece) {
            return Err(too_large());
        }
        Ok(piece)
    });
    SseStream::from_bytes_stream(pieces).boxed()
}

/// Counts the bytes of an event, which ends with an empty line.
#[derive(Default)]
struct EventBound {
    length: usize,
    line_is_empty: bool,
}

impl EventBound {
    fn exceeds_limit_with(&mut self, piece: &[u8]) -> bool {
        for &byte in piece {
            match byte {
                b'\n' if self.line_is_empty => self.length = 0,
                b'\n' => self.line_is_empty = true,
                b'\r' => {}
                _ => self.line_is_empty = false,
            }
            self.length += 1;
            if self.length > MAX_MESSAGE_BYTES {
                return true;
            }
        }
        false
    }
}

fn too_large() -> io::Error {
    io::Error::other(format!(
        "it sent a message of more than {MAX_MESSAGE_BYTES} bytes"
    ))
}

/// Returns the beginning of a response that isn't a message.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let piece = body.get(..MAX_SHOWN).unwrap_or(body);
    let text = String::from_utf8_lossy(piece);
    match text.trim().trim_end_matches('\u{fffd}') {
        "" => "(no text)".to_owned(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-3: a stream of small events may continue forever, but not a single event.
    #[test]
    fn one_event_has_a_bound_and_a_stream_has_none() {
        let small = b"data: x\r\n\r\n".repeat(100_000);
        let mut bound = EventBound::default();
        for _ in 0..40 {
            assert!(!bound.exceeds_limit_with(&small));
        }
        let endless = b"data: x\n".repeat(100_000);
        let mut bound = EventBound::default();
        assert!((0..40).any(|_| bound.exceeds_limit_with(&endless)));
    }
}
