//! The HTTP transport that preceded streamable HTTP (TO-3): the server sends everything on one
//! stream of events, the first of which contains the address for messages.

use std::io;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Response, Url};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use sse_stream::{Error, Sse};

use crate::grant::{self, Grant};
use crate::http::Prepared;
use crate::http_client::{EVENTS, events, excerpt, read};

/// How many events may precede the one with the address.
const MAX_EVENTS_BEFORE_ADDRESS: usize = 100;

/// A connection to such a server.
pub(crate) struct SseTransport {
    client: Client,
    grant: Option<Arc<Grant>>,
    headers: HeaderMap,
    /// The address for messages.
    address: Url,
    events: BoxStream<'static, Result<Sse, Error>>,
}

impl SseTransport {
    /// Opens the stream, and waits for the address for messages.
    ///
    /// # Errors
    /// There is no stream, or no address that may be used: another server's must not receive the
    /// headers. Errors don't contain the address, which may contain a key.
    pub(crate) async fn open(way: &Prepared) -> io::Result<Self> {
        let headers: HeaderMap = way.headers.clone().into_iter().collect();
        let request = way.client.get(way.url.clone()).header(ACCEPT, EVENTS);
        let request = request.headers(headers.clone());
        let response = grant::send(way.grant.as_deref(), request).await?;
        let response = check_status(response).await?;
        let kind = response.headers().get(CONTENT_TYPE);
        if !kind.is_some_and(|it| it.as_bytes().starts_with(EVENTS.as_bytes())) {
            return Err(io::Error::other(
                "it answers with something other than events",
            ));
        }
        let mut events = events(response);
        let address = address(&mut events).await?;
        let wrong = |_| io::Error::other("the address that it names for messages can't be read");
        let address = way.url.join(address.trim()).map_err(wrong)?;
        if address.origin() != way.url.origin() {
            return Err(io::Error::other(
                "it names an address on another server for messages, which isn't used",
            ));
        }
        Ok(Self {
            client: way.client.clone(),
            grant: way.grant.clone(),
            headers,
            address,
            events,
        })
    }
}

/// Waits for the event that names the address for messages.
async fn address(events: &mut BoxStream<'static, Result<Sse, Error>>) -> io::Result<String> {
    for _ in 0..MAX_EVENTS_BEFORE_ADDRESS {
        match events.next().await {
            Some(Ok(event)) if event.event.as_deref() == Some("endpoint") => {
                return Ok(event.data.unwrap_or_default());
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(io::Error::other(error)),
            None => break,
        }
    }
    Err(io::Error::other("it names no address for messages"))
}

/// Returns a response, unless its status is an error.
async fn check_status(response: Response) -> io::Result<Response> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body = read(response).await.unwrap_or_default();
    Err(io::Error::other(format!(
        "HTTP {status}: {}",
        excerpt(&body)
    )))
}

impl Transport<RoleClient> for SseTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let request = self.client.post(self.address.clone());
        let request = request.headers(self.headers.clone()).json(&message);
        let granted = self.grant.clone();
        async move {
            let response = grant::send(granted.as_deref(), request).await?;
            check_status(response).await.map(drop)
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            // An event that can't be read ends the connection, because its content is unknown.
            let event = self.events.next().await?.ok()?;
            let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
            let message = event.data.filter(|_| is_message);
            // Other events are ignored, like other lines in a program's output.
            if let Some(message) = message.and_then(|it| serde_json::from_str(&it).ok()) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.events = stream::empty().boxed();
        Ok(())
    }
}
