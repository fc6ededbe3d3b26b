//! A response that arrives in chunks.

use std::fmt;
use std::vec;

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::error::ModelError;

/// Yields the chunks of a response.
pub trait ChunkSource: Send {
    /// Returns the next chunk; `None` at the end of the response. Nothing follows an error.
    ///
    /// Dropping the future before its end loses no chunk.
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Chunk, ModelError>>>;
}

/// A response that arrives in chunks. Dropping it ends the call.
pub struct ChunkStream(Box<dyn ChunkSource>);

impl ChunkStream {
    /// Creates a stream from a source.
    pub fn new(source: impl ChunkSource + 'static) -> Self {
        Self(Box::new(source))
    }

    /// Creates a stream of chunks that already exist. It yields to other tasks between two chunks,
    /// as a real response does.
    pub fn from_chunks(chunks: Vec<Chunk>, cancel: CancellationToken) -> Self {
        Self::new(Ready {
            chunks: chunks.into_iter(),
            cancel,
        })
    }

    /// Returns the next chunk, or `None` at the end of the response.
    pub async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        self.0.next().await
    }
}

impl fmt::Debug for ChunkStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChunkStream")
            .finish_non_exhaustive()
    }
}

/// Chunks that exist already.
struct Ready {
    chunks: vec::IntoIter<Chunk>,
    cancel: CancellationToken,
}

impl ChunkSource for Ready {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Chunk, ModelError>>> {
        Box::pin(async {
            tokio::task::yield_now().await;
            if self.cancel.is_cancelled() {
                // A finished response can't be cancelled any more, and nothing follows an error.
                let cut = self.chunks.len() > 0;
                self.chunks = Vec::new().into_iter();
                return cut.then_some(Err(ModelError::Cancelled));
            }
            self.chunks.next().map(Ok)
        })
    }
}
