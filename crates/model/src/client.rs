//! The port that model clients stand behind.

use hookloop_engine::{BoxFuture, Cleared};
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::error::ModelError;
use crate::native_tool::NativeTool;
use crate::request::Request;
use crate::stream::ChunkStream;

/// A request that went through its hooks, the only kind that a client takes.
pub type ClearedRequest = Cleared<Request>;

/// Asks a model.
///
/// Anyone who calls has cleared the request with the hooks. A client retries on its own what is
/// worth retrying, and ends with [`ModelError::Cancelled`] soon after `cancel` (LO-4).
pub trait ModelClient: Send + Sync {
    /// Asks for an answer in chunks. The future ends when the answer begins; the stream lives
    /// without the client and the request.
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>>;

    /// Asks for a whole answer.
    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>>;

    /// Returns whether the service of this client runs such a tool itself for a model: what it
    /// doesn't have isn't offered to the model either (`agent.md` §4).
    fn has_native_tool(&self, model: &str, tool: NativeTool) -> bool;
}
