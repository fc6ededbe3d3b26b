//! The client that takes its responses from a script (MO-3).

use std::sync::{Mutex, PoisonError};

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::call::{CallDescription, Method};
use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::error::ModelError;
use crate::native_tool::NativeTool;
use crate::script::{Answer, Matching, Script, ScriptedAnswer};
use crate::stream::ChunkStream;

/// Takes the response to each call from one line of a script (MO-3).
#[derive(Debug)]
pub struct ScriptedClient {
    script: Mutex<Script>,
}

impl ScriptedClient {
    /// Creates a client with a script.
    pub fn new(script: Script) -> Self {
        Self {
            script: Mutex::new(script),
        }
    }

    /// Takes the answer to a call out of the script, if it is of the wanted kind.
    fn next<T>(
        &self,
        method: Method,
        request: &ClearedRequest,
        cancel: &CancellationToken,
        take: impl FnOnce(Answer) -> Result<T, Answer>,
    ) -> Result<T, ModelError> {
        if cancel.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        // A script is never half changed, so a poisoned lock guards nothing broken.
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        let call = || Box::new(CallDescription::new(method, request));
        let place = match script.matching {
            Matching::Strict => 0,
            Matching::ByMethod => script
                .answers
                .iter()
                .position(|next| next.answer.method() == method)
                .unwrap_or(script.answers.len()),
        };
        let Some(ScriptedAnswer { line, answer }) = script.answers.remove(place) else {
            return Err(ModelError::ScriptExhausted {
                script: script.path.clone(),
                call: call(),
            });
        };
        take(answer).map_err(|answer| {
            let scripted = answer.method();
            script
                .answers
                .insert(place, ScriptedAnswer { line, answer });
            ModelError::WrongMethod {
                script: script.path.clone(),
                line,
                scripted,
                call: call(),
            }
        })
    }
}

impl ModelClient for ScriptedClient {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            let chunks = self.next(Method::Stream, request, &cancel, Answer::into_chunks)?;
            Ok(ChunkStream::from_chunks(chunks, cancel))
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        Box::pin(async move { self.next(Method::Whole, request, &cancel, Answer::into_whole) })
    }

    /// A script stands for the Gemini API.
    fn has_native_tool(&self, _model: &str, _tool: NativeTool) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
