//! The client for Anthropic's messages (MO-2): streaming, tools, cached prompts, and thoughts that
//! are returned with their signatures.

mod body;
mod decoder;
mod event;
mod messages;

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::error::ModelError;
use crate::http::connection::{Connection, Credential};
use crate::http::exchange::{Call, Delivery, Exchange};
use crate::http::key::ApiKey;
use crate::http::listing::list;
use crate::http::offer::reject_native_tools;
use crate::http::transport::Transport;
use crate::http::unsent::{UnsentObserver, UnsentOnce};
use crate::http_error::HttpError;
use crate::native_tool::NativeTool;
use crate::request::Request;
use crate::stream::ChunkStream;
use decoder::{AnthropicDecoder, read_whole};

/// The default address of Anthropic's API.
pub const ANTHROPIC_URL: &str = "https://api.anthropic.com";

/// The version of the API that the client speaks.
const VERSION: &str = "2023-06-01";

/// How to reach a server that speaks Anthropic's messages.
#[derive(Debug, Clone)]
pub struct AnthropicOptions {
    /// The server's address. The client appends `/v1/messages`.
    pub base_url: String,
    /// The key, if the server requires one.
    pub api_key: Option<ApiKey>,
    /// Time limits, retries, proxies.
    pub transport: Transport,
    /// Receives each parameter that this API doesn't support, once.
    pub on_unsent: UnsentObserver,
}

/// Calls models through Anthropic's messages (MO-2).
pub struct AnthropicClient {
    exchange: Exchange,
    unsent: UnsentOnce,
}

impl AnthropicOptions {
    /// Creates the options for a server that requires no key.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key: None,
            transport: Transport::default(),
            on_unsent: UnsentObserver::default(),
        }
    }
}

impl AnthropicClient {
    /// Creates a client. It connects at its first call.
    ///
    /// # Errors
    /// The address isn't an HTTP address, or the key can't appear in a header.
    pub fn new(options: AnthropicOptions) -> Result<Self, Box<HttpError>> {
        let key = options.api_key.filter(|key| !key.is_empty());
        let credential = key.as_ref().map(|key| Credential {
            header: "x-api-key",
            scheme: "",
            key,
        });
        // Other clients expect the address with the version, so both forms are accepted.
        let base_url = options.base_url.trim().trim_end_matches('/');
        let base_url = base_url.strip_suffix("/v1").unwrap_or(base_url);
        let connection = Connection::new(base_url, credential.as_ref(), options.transport)?;
        let connection = connection.with_header("anthropic-version", VERSION);
        Ok(Self {
            exchange: Exchange::new(connection, key, ""),
            unsent: UnsentOnce::new(options.on_unsent),
        })
    }

    #[cfg(test)]
    pub(crate) fn exchange_mut(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    fn call(&self, request: &Request, delivery: Delivery) -> Result<Call, ModelError> {
        reject_native_tools(request)?;
        let connection = self.exchange.connection();
        let unsayable = body::unsayable(&request.config);
        self.unsent.tell(connection.server(), unsayable);
        Ok(Call {
            address: connection.address(&["v1", "messages"]),
            body: Some(body::of(request, delivery)),
            model: request.model.clone(),
        })
    }
}

impl ModelClient for AnthropicClient {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            let call = self.call(request, Delivery::Chunks)?;
            self.exchange
                .stream::<AnthropicDecoder>(&call, cancel)
                .await
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        Box::pin(async move {
            let call = self.call(request, Delivery::Whole)?;
            self.exchange.send(&call, read_whole, &cancel).await
        })
    }

    fn models(&self, cancel: CancellationToken) -> BoxFuture<'_, Result<Vec<String>, ModelError>> {
        list(
            &self.exchange,
            &["v1", "models"],
            Some("limit=1000"),
            cancel,
        )
    }

    /// This client doesn't request what these services run themselves.
    fn has_native_tool(&self, _model: &str, _tool: NativeTool) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
