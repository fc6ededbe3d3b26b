//! Conversations with models: conversation types in the format of Gemini's REST API; the port for
//! model clients; clients for Gemini's API, OpenAI-compatible servers, `OpenAI`'s responses and
//! Anthropic's messages (feature `http`); a scripted and a recording client; and the translator
//! between a request and what hooks see of it.
//!
//! A conversation contains more than hooks can read: function calls and their responses, images,
//! thoughts and their signatures. The translator shows the text to hooks, and merges their changes
//! into the conversation without losing the rest (BM-2). Ids such as `MO-3` refer to `agent.md`,
//! and ids such as `BM-1` to `hooks.md`.

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
    GeminiOptions, OpenAiClient, OpenAiOptions, Proxies, ResponsesClient, RetryObserver, Transport,
    UnsentNotice, UnsentObserver, address_without_secrets, web_client,
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
