//! Conversations with models: conversation types in the format of Gemini's REST API; the port for
//! model clients; clients for Gemini's API, OpenAI-compatible servers, `OpenAI`'s responses and
//! Anthropic's messages (feature `http`); a scripted and a recording client; and the translator
//! between a request and what hooks see of it.
//!
//! A conversation contains more than hooks can read: function calls and their responses, images,
//! thoughts and their signatures. The translator shows the text to hooks, and merges their changes
//! into the conversation without losing the rest (BM-2). Ids such as `MO-3` refer to `agent.md`,
//! and ids such as `BM-1` to `hooks.md`.
//!
//! A client accepts only requests that have passed the hooks:
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use hookloop_engine::Hooks;
//! use hookloop_engine::events::{BeforeModelOutcome, SessionIdentity};
//! use hookloop_model::{Content, Matching, ModelClient, Request, Script, ScriptedClient};
//! use tokio_util::sync::CancellationToken;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let line = r#"{"method": "generateContent", "response": {"candidates": [{
//! #     "content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}]}}"#;
//! # let line = line.replace('\n', "");
//! let script = Script::parse(Path::new("script.jsonl"), &line, Matching::Strict)?;
//! let client = ScriptedClient::new(script);
//! let request = Request::new("gemini-2.5-pro", vec![Arc::new(Content::user("Hi!"))]);
//!
//! let hooks = Hooks::none().session(SessionIdentity {
//!     session_id: "6f8e8a3c-5b0e-4d38-9b6e-0a2a6f5d9a11".to_owned(),
//!     transcript_path: "/tmp/transcript.json".into(),
//!     cwd: "/tmp".into(),
//!     agent: None,
//! });
//! let BeforeModelOutcome::Send(cleared) = hooks.before_model(request).await?.outcome else {
//!     return Err("the hooks refuse the request, or answer it themselves".into());
//! };
//! let answer = client.generate(&cleared, CancellationToken::new()).await?;
//! assert_eq!(answer.visible_text(), "Hello.");
//! # Ok(())
//! # }
//! ```

mod call;
mod chunk;
mod chunk_view;
mod client;
mod content;
mod error;
mod function;
mod hook_prompt;
#[cfg(feature = "http")]
mod http;
mod http_error;
mod native_tool;
mod part;
mod recording;
mod request;
mod script;
mod scripted;
mod stream;
mod tokens;
mod tool_access;
mod translate;

pub use call::{CallDescription, Method};
pub use chunk::{Candidate, Chunk, Usage};
pub use client::{ClearedRequest, ModelClient};
pub use content::{Content, Speaker};
pub use error::{ModelError, NoModelConfigured, RecordError, ScriptError};
pub use function::{FunctionCall, FunctionDeclaration, FunctionResponse};
pub use hook_prompt::{AskedModel, PromptHooks};
#[cfg(feature = "http")]
pub use http::{
    ANTHROPIC_URL, AnthropicClient, AnthropicOptions, ApiKey, GEMINI_URL, GeminiClient,
    GeminiOptions, ModelOrigins, OpenAiClient, OpenAiOptions, Proxies, ResponsesClient,
    RetryObserver, Transport, UnsentNotice, UnsentObserver, address_without_secrets, web_client,
};
pub use http_error::{HttpError, HttpProblem, RetryNotice};
pub use native_tool::NativeTool;
pub use part::{FileReference, InlineData, Part, PartData};
pub use recording::RecordingClient;
pub use request::{Request, RequestParts};
pub use script::{Matching, Script};
pub use scripted::ScriptedClient;
pub use stream::{ChunkSource, ChunkStream};
pub use tokens::{estimate_tokens, estimate_tokens_of_text, window_tokens};
pub use tool_access::AllowedTools;

#[cfg(test)]
mod test_support;
