//! The port for model clients.

use hookloop_engine::{BoxFuture, Cleared};
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::error::ModelError;
use crate::native_tool::NativeTool;
use crate::request::Request;
use crate::stream::ChunkStream;

/// A request that has passed its hooks. Clients accept no other.
pub type ClearedRequest = Cleared<Request>;

/// Calls a model.
///
/// The type of the request proves that hooks have cleared it. A client retries failed attempts by
/// itself if that can help, and returns [`ModelError::Cancelled`] soon after `cancel` (LO-4).
pub trait ModelClient: Send + Sync {
    /// Requests a response in chunks. The future ends when the response begins; the stream lives
    /// without the client and the request.
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>>;

    /// Requests a complete response.
    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>>;

    /// Asks the service which models it offers (TU-2). There are none if the client has no service,
    /// or one that doesn't list them. No conversation is sent, so no hooks run.
    fn models(&self, _: CancellationToken) -> BoxFuture<'_, Result<Vec<String>, ModelError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Returns whether this client's service runs such a tool itself: if it doesn't, the tool isn't
    /// offered to the model either (`agent.md` §4).
    fn has_native_tool(&self, model: &str, tool: NativeTool) -> bool;
}
