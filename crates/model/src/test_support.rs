//! Helpers for several tests of this crate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_engine::Hooks;
use hookloop_events::llm::GivenResponse;
use hookloop_events::{BeforeModelOutcome, SessionIdentity};
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::{ClearedRequest, ModelClient};
use crate::content::Content;
use crate::error::ModelError;
use crate::request::Request;
use crate::script::{Matching, Script};
use crate::scripted::ScriptedClient;

/// Clears a request as a host without hooks does.
pub(crate) async fn cleared(request: Request) -> ClearedRequest {
    let session = Hooks::none().session(SessionIdentity {
        session_id: String::new(),
        transcript_path: PathBuf::new(),
        cwd: PathBuf::new(),
        agent: None,
    });
    match session.before_model(request).await.unwrap().outcome {
        BeforeModelOutcome::Send(cleared) => cleared,
        other => panic!("a request without hooks wasn't cleared: {other:?}"),
    }
}

/// Builds a cleared request with one text of the user.
pub(crate) async fn asking(text: &str) -> ClearedRequest {
    cleared(Request::new("gemini", vec![Arc::new(Content::user(text))])).await
}

/// Builds a client that answers from the lines.
pub(crate) fn scripted(lines: &str, matching: Matching) -> ScriptedClient {
    ScriptedClient::new(Script::parse(Path::new("answers.jsonl"), lines, matching).unwrap())
}

/// Writes a script's line that responds in chunks with these texts.
pub(crate) fn stream_line(texts: &[&str]) -> String {
    let chunks: Vec<_> = texts.iter().map(|text| chunk(text)).collect();
    serde_json::json!({"method": "generateContentStream", "response": chunks}).to_string() + "\n"
}

/// Writes a script's line that responds with this text as a whole.
pub(crate) fn whole_line(text: &str) -> String {
    serde_json::json!({"method": "generateContent", "response": chunk(text)}).to_string() + "\n"
}

/// Requests a response in chunks and collects their texts.
pub(crate) async fn stream_texts(client: &dyn ModelClient) -> Result<Vec<String>, ModelError> {
    let mut stream = client
        .stream(&asking("hello").await, CancellationToken::new())
        .await?;
    let mut texts = Vec::new();
    while let Some(chunk) = stream.next().await {
        texts.push(chunk?.visible_text());
    }
    Ok(texts)
}

/// Requests a complete response and returns its text.
pub(crate) async fn whole_text(client: &dyn ModelClient) -> Result<String, ModelError> {
    let chunk = client
        .generate(&asking("hello").await, CancellationToken::new())
        .await?;
    Ok(chunk.visible_text())
}

fn chunk(text: &str) -> Chunk {
    let given = GivenResponse {
        text: Some(text.to_owned()),
        ..GivenResponse::default()
    };
    Chunk::from_given(&given)
}
