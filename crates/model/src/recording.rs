//! A client that records another client's responses as a script (MO-5).

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::error::{ModelError, RecordError};
use crate::native_tool::NativeTool;
use crate::script::Answer;
use crate::stream::{ChunkSource, ChunkStream};

/// Passes calls to another client, and writes each response as one line that a scripted client can
/// replay (MO-5).
///
/// A line is written when its response ends. A response that was cut off, by an error or because
/// its stream was dropped, is recorded up to that point; one that never began isn't recorded.
pub struct RecordingClient {
    inner: Arc<dyn ModelClient>,
    recording: Arc<Recording>,
}

/// The file to which responses are appended.
struct Recording {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    file: File,
    /// Why a response whose stream was dropped wasn't recorded; reported at the next call.
    failure: Option<RecordError>,
}

impl RecordingClient {
    /// Wraps a client, and appends its responses to a file, which is created if necessary.
    ///
    /// # Errors
    /// The file can't be opened.
    pub fn append_to(path: &Path, inner: Arc<dyn ModelClient>) -> Result<Self, RecordError> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|source| RecordError {
                path: path.to_owned(),
                source,
            })?;
        let state = State {
            file,
            failure: None,
        };
        Ok(Self {
            inner,
            recording: Arc::new(Recording {
                path: path.to_owned(),
                state: Mutex::new(state),
            }),
        })
    }

    /// Takes the failure to record a response, if one wasn't reported yet.
    pub fn take_failure(&self) -> Option<RecordError> {
        self.recording.state().failure.take()
    }

    fn check(&self) -> Result<(), ModelError> {
        self.take_failure()
            .map_or(Ok(()), |failure| Err(failure.into()))
    }
}

impl Recording {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a line in one write, so that a crash cuts at most one line.
    fn write(&self, answer: &Answer) -> Result<(), RecordError> {
        let failed = |source| RecordError {
            path: self.path.clone(),
            source,
        };
        let mut line = serde_json::to_vec(answer).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut state = self.state();
        state.file.write_all(&line).map_err(failed)?;
        state.file.flush().map_err(failed)
    }
}

impl ModelClient for RecordingClient {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            self.check()?;
            let inner = self.inner.stream(request, cancel).await?;
            Ok(ChunkStream::new(RecordedStream {
                inner,
                chunks: Vec::new(),
                recording: Some(Arc::clone(&self.recording)),
            }))
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        Box::pin(async move {
            self.check()?;
            let chunk = self.inner.generate(request, cancel).await?;
            self.recording
                .write(&Answer::Whole(Box::new(chunk.clone())))?;
            Ok(chunk)
        })
    }

    fn models(&self, cancel: CancellationToken) -> BoxFuture<'_, Result<Vec<String>, ModelError>> {
        self.inner.models(cancel)
    }

    fn has_native_tool(&self, model: &str, tool: NativeTool) -> bool {
        self.inner.has_native_tool(model, tool)
    }
}

/// A stream whose chunks are kept until they are written.
struct RecordedStream {
    inner: ChunkStream,
    chunks: Vec<Chunk>,
    /// `None` when the line is written.
    recording: Option<Arc<Recording>>,
}

impl ChunkSource for RecordedStream {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Chunk, ModelError>>> {
        Box::pin(async {
            match self.inner.next().await {
                Some(Ok(chunk)) => {
                    self.chunks.push(chunk.clone());
                    Some(Ok(chunk))
                }
                Some(Err(error)) => Some(Err(error)),
                None => {
                    let recording = self.recording.take()?;
                    let answer = Answer::Stream(mem::take(&mut self.chunks));
                    recording
                        .write(&answer)
                        .err()
                        .map(|error| Err(error.into()))
                }
            }
        })
    }
}

impl Drop for RecordedStream {
    fn drop(&mut self) {
        let Some(recording) = self.recording.take().filter(|_| !self.chunks.is_empty()) else {
            return;
        };
        let answer = Answer::Stream(mem::take(&mut self.chunks));
        if let Err(failure) = recording.write(&answer) {
            recording.state().failure = Some(failure);
        }
    }
}

#[cfg(test)]
mod tests;
