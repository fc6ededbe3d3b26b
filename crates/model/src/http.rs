//! Clients for servers: Gemini's API (MO-1), whatever is compatible with `OpenAI`'s chat completions,
//! `OpenAI`'s responses, and Anthropic's messages (MO-2).
//!
//! A client writes the request in its server's form and reads the answer with a [`decode::Decoder`];
//! everything between is the same for all: [`connection`] sends, [`exchange`] tries again what
//! is worth it, [`answer`] yields the chunks. A call that is cancelled drops its connection at
//! once (LO-4). What was shown can't be taken back, so nothing is tried again after the first
//! chunk.

mod answer;
mod anthropic;
mod calls;
mod connection;
mod decode;
mod exchange;
mod failure;
mod form;
mod gemini;
mod key;
mod offer;
mod openai;
mod pause;
mod responses;
mod signature;
mod sse;
mod transport;
mod turns;
mod unsent;
mod web_client;

pub use anthropic::{ANTHROPIC_URL, AnthropicClient, AnthropicOptions};
pub use gemini::{GEMINI_URL, GeminiClient, GeminiOptions};
pub use key::ApiKey;
pub use openai::{OpenAiClient, OpenAiOptions};
pub use responses::ResponsesClient;
pub use transport::{Proxies, RetryObserver, Transport};
pub use unsent::{UnsentNotice, UnsentObserver};
pub use web_client::{address_without_secrets, web_client};

#[cfg(test)]
mod tests;
