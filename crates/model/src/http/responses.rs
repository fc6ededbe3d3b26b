//! The client for `OpenAI`'s responses (MO-2). It resembles the client for chat completions, but
//! thoughts are sent back in encrypted form. The server stores nothing of the conversation.

mod body;
mod decoder;
mod event;
mod input;

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::error::ModelError;
use crate::http::exchange::{Call, Delivery, Exchange};
use crate::http::listing::list;
use crate::http::offer::reject_native_tools;
use crate::http::openai::OpenAiOptions;
use crate::http::unsent::UnsentOnce;
use crate::http_error::HttpError;
use crate::native_tool::NativeTool;
use crate::request::Request;
use crate::stream::ChunkStream;
use decoder::{ResponsesDecoder, read_whole};

/// Calls models through `OpenAI`'s responses (MO-2). It takes the same options as the client for
/// chat completions, and appends `/responses` to the address.
pub struct ResponsesClient {
    exchange: Exchange,
    unsent: UnsentOnce,
}

impl ResponsesClient {
    /// Creates a client. It connects at its first call.
    ///
    /// # Errors
    /// The address isn't an HTTP address, or the key can't appear in a header.
    pub fn new(options: OpenAiOptions) -> Result<Self, Box<HttpError>> {
        let (exchange, unsent) = options.connect()?;
        Ok(Self { exchange, unsent })
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
            address: connection.address(&["responses"]),
            body: Some(body::of(request, delivery)),
            model: request.model.clone(),
        })
    }
}

impl ModelClient for ResponsesClient {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            let call = self.call(request, Delivery::Chunks)?;
            self.exchange
                .stream::<ResponsesDecoder>(&call, cancel)
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
        list(&self.exchange, &["models"], None, cancel)
    }

    /// This client doesn't request what these services run themselves.
    fn has_native_tool(&self, _model: &str, _tool: NativeTool) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
