//! The client for Gemini's API (MO-1).

mod answer;
mod body;

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::error::ModelError;
use crate::http::connection::{Connection, Credential};
use crate::http::exchange::{Call, Exchange};
use crate::http::key::ApiKey;
use crate::http::listing::list;
use crate::http::transport::Transport;
use crate::http_error::HttpError;
use crate::native_tool::NativeTool;
use crate::request::Request;
use crate::stream::ChunkStream;
use answer::{GeminiDecoder, read_whole};

/// The default address of Gemini's API.
pub const GEMINI_URL: &str = "https://generativelanguage.googleapis.com";

/// The version of the API that the client speaks.
const VERSION: &str = "v1beta";

/// What a model's full name may begin with; the first one is meant if nothing is said.
const COLLECTIONS: [&str; 2] = ["models", "tunedModels"];

/// How to reach Gemini's API.
#[derive(Debug, Clone)]
pub struct GeminiOptions {
    /// The server's address. The client appends `/v1beta/models/…`.
    pub base_url: String,
    /// The key.
    pub api_key: ApiKey,
    /// Time limits, retries, proxies.
    pub transport: Transport,
}

/// Asks models through Gemini's API (MO-1).
pub struct GeminiClient {
    exchange: Exchange,
}

impl GeminiOptions {
    /// Creates the options for Google's own server.
    pub fn new(api_key: ApiKey) -> Self {
        Self {
            base_url: GEMINI_URL.to_owned(),
            api_key,
            transport: Transport::default(),
        }
    }
}

impl GeminiClient {
    /// Creates a client. It connects at its first call.
    ///
    /// # Errors
    /// The address isn't an HTTP address, or the key can't appear in a header.
    pub fn new(options: GeminiOptions) -> Result<Self, Box<HttpError>> {
        let credential = Credential {
            header: "x-goog-api-key",
            scheme: "",
            key: &options.api_key,
        };
        let connection = Connection::new(&options.base_url, Some(&credential), options.transport)?;
        Ok(Self {
            exchange: Exchange::new(connection, Some(options.api_key), ""),
        })
    }

    #[cfg(test)]
    pub(crate) fn exchange_mut(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    fn call(&self, request: &Request, method: &str, query: Option<&str>) -> Call {
        let model = &request.model;
        let named = model
            .split_once('/')
            .filter(|(collection, _)| COLLECTIONS.contains(collection));
        let (collection, name) = named.unwrap_or((COLLECTIONS[0], model));
        let resource = format!("{name}:{method}");
        let connection = self.exchange.connection();
        let mut address = connection.address(&[VERSION, collection, &resource]);
        address.set_query(query);
        Call {
            address,
            body: Some(body::of(request)),
            model: model.clone(),
        }
    }
}

impl ModelClient for GeminiClient {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            let call = self.call(request, "streamGenerateContent", Some("alt=sse"));
            self.exchange.stream::<GeminiDecoder>(&call, cancel).await
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        Box::pin(async move {
            let call = self.call(request, "generateContent", None);
            self.exchange.send(&call, read_whole, &cancel).await
        })
    }

    fn models(&self, cancel: CancellationToken) -> BoxFuture<'_, Result<Vec<String>, ModelError>> {
        list(
            &self.exchange,
            &[VERSION, "models"],
            Some("pageSize=1000"),
            cancel,
        )
    }

    fn has_native_tool(&self, _model: &str, _tool: NativeTool) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
