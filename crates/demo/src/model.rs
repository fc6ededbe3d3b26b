//! The demo's model: it answers from a script, one per turn, and its responses are recorded.

use std::sync::{Arc, Mutex, PoisonError};

use hookloop_engine::BoxFuture;
use hookloop_model::{
    Chunk, ChunkSource, ChunkStream, ClearedRequest, ModelClient, ModelError, NativeTool, Script,
    ScriptedClient,
};
use tokio_util::sync::CancellationToken;

use crate::recorder::Recorder;

/// A model that answers from the script of the turn.
pub(crate) struct StagedModel {
    client: Mutex<Arc<ScriptedClient>>,
    recorder: Arc<Recorder>,
}

impl StagedModel {
    /// Creates a model with its first script.
    pub(crate) fn new(script: Script, recorder: &Arc<Recorder>) -> Self {
        Self {
            client: Mutex::new(Arc::new(ScriptedClient::new(script))),
            recorder: Arc::clone(recorder),
        }
    }

    /// Switches to another script, and discards the rest of the last one, so that a turn that went
    /// differently doesn't disturb the next.
    pub(crate) fn take_script(&self, script: Script) {
        // Replacing can't be half done, so a poisoned lock guards nothing broken.
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        *client = Arc::new(ScriptedClient::new(script));
    }

    fn client(&self) -> Arc<ScriptedClient> {
        Arc::clone(&self.client.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ModelClient for StagedModel {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        self.recorder.note_request(request);
        let client = self.client();
        Box::pin(async move {
            let stream = client.stream(request, cancel).await?;
            let recorder = Arc::clone(&self.recorder);
            Ok(ChunkStream::new(ObservedStream { stream, recorder }))
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        let client = self.client();
        Box::pin(async move { client.generate(request, cancel).await })
    }

    fn has_native_tool(&self, model: &str, tool: NativeTool) -> bool {
        self.client().has_native_tool(model, tool)
    }
}

/// A stream of chunks that are recorded.
struct ObservedStream {
    stream: ChunkStream,
    recorder: Arc<Recorder>,
}

impl ChunkSource for ObservedStream {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Chunk, ModelError>>> {
        Box::pin(async {
            let next = self.stream.next().await;
            if let Some(Ok(chunk)) = &next {
                self.recorder.note_chunk(chunk.visible_text());
            }
            next
        })
    }
}
