//! Clients for model servers: Gemini's API (MO-1), servers compatible with `OpenAI`'s chat
//! completions, `OpenAI`'s responses, and Anthropic's messages (MO-2).
//!
//! A client encodes the request in its server's format and decodes the response with a
//! [`decode::Decoder`]. The rest is common to all: [`connection`] sends, [`exchange`] retries
//! failed attempts if that can help, and [`answer`] yields the chunks. A cancelled call closes its
//! connection at once (LO-4). There are no retries after the first chunk, because text that was
//! shown can't be taken back.

mod answer;
mod anthropic;
mod calls;
mod connection;
mod decode;
mod ending;
mod exchange;
mod failure;
mod form;
mod gemini;
mod key;
mod listing;
mod offer;
mod openai;
mod pause;
mod responses;
mod signature;
mod sse;
mod thinking;
mod transport;
mod turns;
mod unsent;
mod web_client;

pub use anthropic::{ANTHROPIC_URL, AnthropicClient, AnthropicOptions};
pub use gemini::{GEMINI_URL, GeminiClient, GeminiOptions};
pub use key::ApiKey;
pub use openai::{OpenAiClient, OpenAiOptions};
pub use responses::ResponsesClient;
pub use transport::{ModelOrigins, Proxies, RetryObserver, Transport};
pub use unsent::{UnsentNotice, UnsentObserver};
pub use web_client::{address_without_secrets, web_client};

#[cfg(test)]
mod tests;
