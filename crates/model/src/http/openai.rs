//! The client for servers compatible with `OpenAI`'s chat completions: Ollama, llama.cpp,
//! vLLM, `OpenRouter`, `OpenAI` (MO-2).

mod body;
mod decoder;
mod event;
mod messages;
mod tool_calls;

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::error::ModelError;
use crate::http::connection::{Connection, Credential};
use crate::http::exchange::{Call, Exchange};
use crate::http::key::ApiKey;
use crate::http::transport::Transport;
use crate::http_error::HttpError;
use crate::request::Request;
use crate::stream::ChunkStream;
use body::Delivery;
use decoder::{OpenAiDecoder, read_whole};

/// What users forget most often in an address.
const VERSION_HINT: &str = " does the base URL end with the API's version, such as /v1?";

/// How to reach a server that is compatible with `OpenAI`'s.
#[derive(Debug, Clone)]
pub struct OpenAiOptions {
    /// The server's address with the API's version, such as `http://localhost:11434/v1`; the
    /// client adds `/chat/completions`.
    pub base_url: String,
    /// The key, if the server wants one.
    pub api_key: Option<ApiKey>,
    /// Time limits, retries, proxies.
    pub transport: Transport,
}

/// Asks models through chat completions as `OpenAI` defines them (MO-2).
pub struct OpenAiClient {
    exchange: Exchange,
}

impl OpenAiOptions {
    /// Builds the options for a server that wants no key.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key: None,
            transport: Transport::default(),
        }
    }
}

impl OpenAiClient {
    /// Builds a client. It connects with its first call.
    ///
    /// # Errors
    /// The address is no HTTP address, or the key can't stand in a header.
    pub fn new(options: OpenAiOptions) -> Result<Self, Box<HttpError>> {
        let key = options.api_key.filter(|key| !key.is_empty());
        let credential = key.as_ref().map(|key| Credential {
            header: "authorization",
            scheme: "Bearer ",
            key,
        });
        let connection =
            Connection::new(&options.base_url, credential.as_ref(), options.transport)?;
        Ok(Self {
            exchange: Exchange::new(connection, key, VERSION_HINT),
        })
    }

    #[cfg(test)]
    pub(crate) fn exchange_mut(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    fn call(&self, request: &Request, delivery: Delivery) -> Result<Call, ModelError> {
        if let Some(tool) = request.native_tools.first() {
            return Err(ModelError::NoNativeTool {
                model: request.model.clone(),
                tool: *tool,
            });
        }
        Ok(Call {
            address: self.exchange.connection().address(&["chat", "completions"]),
            body: body::of(request, delivery),
            model: request.model.clone(),
        })
    }
}

impl ModelClient for OpenAiClient {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            let call = self.call(request, Delivery::Chunks)?;
            self.exchange.stream::<OpenAiDecoder>(&call, cancel).await
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        Box::pin(async move {
            let call = self.call(request, Delivery::Whole)?;
            self.exchange.whole(&call, read_whole, &cancel).await
        })
    }
}

#[cfg(test)]
mod tests;
