//! The client for servers compatible with `OpenAI`'s chat completions: Ollama, llama.cpp,
//! vLLM, `OpenRouter`, `OpenAI` (MO-2).

mod body;
mod decoder;
mod event;
mod messages;
mod parameters;
mod tool_calls;

use std::sync::atomic::{AtomicBool, Ordering};

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
use decoder::{OpenAiDecoder, read_whole};
use parameters::LimitName;

/// The part of an address that users forget most often.
const VERSION_HINT: &str = " does the base URL end with the API's version, such as /v1?";

/// How to reach a server that is compatible with `OpenAI`'s.
#[derive(Debug, Clone)]
pub struct OpenAiOptions {
    /// The server's address including the API version, such as `http://localhost:11434/v1`. The
    /// client appends `/chat/completions`.
    pub base_url: String,
    /// The key, if the server requires one.
    pub api_key: Option<ApiKey>,
    /// Time limits, retries, proxies.
    pub transport: Transport,
    /// Receives each parameter that this API doesn't support, once.
    pub on_unsent: UnsentObserver,
}

/// Calls models through chat completions as `OpenAI` defines them (MO-2).
pub struct OpenAiClient {
    exchange: Exchange,
    unsent: UnsentOnce,
    /// Whether the server requires the newer name of the response's limit.
    newer_limit: AtomicBool,
}

impl OpenAiOptions {
    /// Creates the options for a server that requires no key.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key: None,
            transport: Transport::default(),
            on_unsent: UnsentObserver::default(),
        }
    }

    /// Prepares calls of the service, of either kind.
    ///
    /// # Errors
    /// The address isn't an HTTP address, or the key can't appear in a header.
    pub(super) fn connect(self) -> Result<(Exchange, UnsentOnce), Box<HttpError>> {
        let key = self.api_key.filter(|key| !key.is_empty());
        let credential = key.as_ref().map(|key| Credential {
            header: "authorization",
            scheme: "Bearer ",
            key,
        });
        let connection = Connection::new(&self.base_url, credential.as_ref(), self.transport)?;
        let exchange = Exchange::new(connection, key, VERSION_HINT);
        Ok((exchange, UnsentOnce::new(self.on_unsent)))
    }
}

impl OpenAiClient {
    /// Creates a client. It connects at its first call.
    ///
    /// # Errors
    /// The address isn't an HTTP address, or the key can't appear in a header.
    pub fn new(options: OpenAiOptions) -> Result<Self, Box<HttpError>> {
        let (exchange, unsent) = options.connect()?;
        Ok(Self {
            exchange,
            unsent,
            newer_limit: AtomicBool::new(false),
        })
    }

    #[cfg(test)]
    pub(crate) fn exchange_mut(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    fn call(&self, request: &Request, delivery: Delivery) -> Result<Call, ModelError> {
        reject_native_tools(request)?;
        let server = self.exchange.connection().server();
        self.unsent
            .tell(server, parameters::unsayable(&request.config));
        Ok(Call {
            address: self.exchange.connection().address(&["chat", "completions"]),
            body: Some(body::of(request, delivery, self.limit_name())),
            model: request.model.clone(),
        })
    }

    fn limit_name(&self) -> LimitName {
        if self.newer_limit.load(Ordering::Relaxed) {
            LimitName::Newer
        } else {
            LimitName::Older
        }
    }

    /// Returns whether a failed call is worth another attempt, because the server requires the
    /// response's limit under its other name. That is remembered.
    fn renames_limit(&self, request: &Request, error: &ModelError, tried: LimitName) -> bool {
        if !parameters::has_limit(&request.config) {
            return false;
        }
        let wanted = tried.replacement_for(error);
        if let Some(name) = wanted {
            let newer = name == LimitName::Newer;
            self.newer_limit.store(newer, Ordering::Relaxed);
        }
        wanted.is_some()
    }
}

impl ModelClient for OpenAiClient {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            let limit = self.limit_name();
            let call = self.call(request, Delivery::Chunks)?;
            let answer = self.exchange.stream::<OpenAiDecoder>(&call, cancel.clone());
            match answer.await {
                Err(error) if self.renames_limit(request, &error, limit) => {
                    let call = self.call(request, Delivery::Chunks)?;
                    self.exchange.stream::<OpenAiDecoder>(&call, cancel).await
                }
                answer => answer,
            }
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        Box::pin(async move {
            let limit = self.limit_name();
            let call = self.call(request, Delivery::Whole)?;
            match self.exchange.send(&call, read_whole, &cancel).await {
                Err(error) if self.renames_limit(request, &error, limit) => {
                    let call = self.call(request, Delivery::Whole)?;
                    self.exchange.send(&call, read_whole, &cancel).await
                }
                answer => answer,
            }
        })
    }

    fn models(&self, cancel: CancellationToken) -> BoxFuture<'_, Result<Vec<String>, ModelError>> {
        list(&self.exchange, &["models"], None, cancel)
    }

    /// This client doesn't request what these services run themselves.
    fn has_native_tool(&self, _model: &str, _tool: NativeTool) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
