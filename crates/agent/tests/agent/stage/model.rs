//! A model that says what a test specifies.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hookloop_engine::BoxFuture;
use hookloop_model::{
    Chunk, ChunkSource, ChunkStream, ClearedRequest, HttpError, HttpProblem, ModelClient,
    ModelError, NativeTool, Script, ScriptedClient,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Log, Step, describe_content};

/// What the model answers to one request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Chunks, in Gemini's form.
    Chunks(Vec<Value>),
    /// Chunks, and then the connection breaks.
    Breaks(Vec<Value>),
    /// A complete response, to a request that wants one.
    Whole(Value),
    /// The connection breaks, or the service refuses.
    Fails,
    /// The user cancels while the model thinks.
    Cancels,
}

/// A chunk with these parts; the last one of a response says why it ends.
pub(crate) fn chunk(parts: Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(reason) = finish {
        candidate["finishReason"] = json!(reason);
    }
    json!({"candidates": [candidate]})
}

pub(crate) fn text(text: &str) -> Answer {
    Answer::Chunks(vec![chunk(json!([{"text": text}]), Some("STOP"))])
}

pub(crate) fn call(tool: &str, args: Value) -> Value {
    json!({"functionCall": {"name": tool, "args": args}})
}

pub(crate) fn calls(calls: &[Value]) -> Answer {
    Answer::Chunks(vec![chunk(json!(calls), Some("STOP"))])
}

/// Calls of tools, each with its number.
pub(crate) fn numbered(tools: &[(&str, u64)]) -> Answer {
    let numbered = tools.iter().map(|(tool, n)| call(tool, json!({"n": n})));
    calls(&numbered.collect::<Vec<_>>())
}

pub(crate) fn thought() -> Value {
    json!({"text": "hm", "thought": true})
}

/// A response that breaks off.
pub(crate) fn unfinished(text: &str) -> Answer {
    Answer::Chunks(vec![chunk(json!([{"text": text}]), None)])
}

/// The model.
pub(crate) struct ScriptedModel {
    answers: Mutex<VecDeque<Answer>>,
    log: Log,
    requests: Mutex<Vec<Asked>>,
}

/// What the model was sent.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) contents: Vec<String>,
    pub(crate) tools: Vec<String>,
    /// Everything that was sent, as JSON.
    pub(crate) json: String,
}

impl ScriptedModel {
    pub(crate) fn new(answers: Vec<Answer>, log: Log) -> Self {
        Self {
            answers: Mutex::new(answers.into()),
            log,
            requests: Mutex::default(),
        }
    }

    pub(crate) fn requests(&self) -> Vec<Asked> {
        self.requests.lock().unwrap().clone()
    }

    /// Adds what comes after what is written down already.
    pub(crate) fn then(&self, answers: impl IntoIterator<Item = Answer>) {
        self.answers.lock().unwrap().extend(answers);
    }

    fn next(
        &self,
        request: &ClearedRequest,
        cancel: &CancellationToken,
    ) -> Result<Answer, ModelError> {
        let contents: Vec<String> = request
            .contents
            .iter()
            .map(|it| describe_content(it))
            .collect();
        self.log.push(Step::Asked(contents.join("\n")));
        self.requests.lock().unwrap().push(Asked {
            contents,
            tools: request.tools.iter().map(|it| it.name.clone()).collect(),
            json: json!(request.contents).to_string(),
        });
        match self.answers.lock().unwrap().pop_front() {
            Some(Answer::Cancels) => {
                cancel.cancel();
                Err(ModelError::Cancelled)
            }
            Some(Answer::Fails) | None => Err(ModelError::NoNativeTool {
                model: "the model".to_owned(),
                tool: NativeTool::UrlContext,
            }),
            Some(answer) => Ok(answer),
        }
    }
}

impl ModelClient for ScriptedModel {
    fn stream<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<ChunkStream, ModelError>> {
        Box::pin(async move {
            match self.next(request, &cancel)? {
                Answer::Chunks(chunks) => Ok(ChunkStream::from_chunks(read(chunks), cancel)),
                Answer::Breaks(chunks) => Ok(ChunkStream::new(Breaking(read(chunks).into()))),
                other => panic!("{other:?} isn't an answer in chunks"),
            }
        })
    }

    fn generate<'a>(
        &'a self,
        request: &'a ClearedRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Chunk, ModelError>> {
        Box::pin(async move {
            match self.next(request, &cancel)? {
                Answer::Whole(chunk) => Ok(serde_json::from_value(chunk).unwrap()),
                other => panic!("{other:?} isn't a whole answer"),
            }
        })
    }

    fn has_native_tool(&self, model: &str, tool: NativeTool) -> bool {
        // The same for every script.
        let script = Script::parse("script".as_ref(), "", hookloop_model::Matching::Strict);
        let scripted: Arc<dyn ModelClient> = Arc::new(ScriptedClient::new(script.unwrap()));
        scripted.has_native_tool(model, tool)
    }
}

/// Chunks of a connection that breaks after them.
struct Breaking(VecDeque<Chunk>);

impl ChunkSource for Breaking {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Chunk, ModelError>>> {
        let next = self.0.pop_front().ok_or_else(|| {
            ModelError::Http(Box::new(HttpError {
                server: "http://127.0.0.1".to_owned(),
                problem: HttpProblem::CutOff("connection reset".to_owned()),
                attempts: 1,
            }))
        });
        Box::pin(std::future::ready(Some(next)))
    }
}

fn read(chunks: Vec<Value>) -> Vec<Chunk> {
    let chunks = chunks.into_iter().map(serde_json::from_value);
    chunks.collect::<Result<_, _>>().unwrap()
}
