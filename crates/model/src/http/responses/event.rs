//! A response in the format of `OpenAI`'s responses.

use serde::Deserialize;
use serde_json::Value;

use crate::chunk::Usage;

/// One event of a stream.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum Event {
    /// More text.
    #[serde(rename = "response.output_text.delta")]
    Text { delta: String },
    /// More of the text in which the model says that it won't answer.
    #[serde(rename = "response.refusal.delta")]
    Refusal { delta: String },
    /// A thought, a message or a call is complete.
    #[serde(rename = "response.output_item.done")]
    Done { item: Item },
    /// The response is complete.
    #[serde(rename = "response.completed")]
    Completed { response: Response },
    /// The response ended early.
    #[serde(rename = "response.incomplete")]
    Incomplete { response: Response },
    /// The response failed.
    #[serde(rename = "response.failed", alias = "response.cancelled")]
    Failed { response: Response },
    /// The server failed in the middle of its response.
    #[serde(rename = "error")]
    Error(Value),
    /// Something else.
    #[serde(other)]
    Other,
}

/// A complete response.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    pub(crate) status: Option<String>,
    pub(crate) model: Option<String>,
    #[serde(default)]
    pub(crate) output: Vec<Item>,
    pub(crate) incomplete_details: Option<Incomplete>,
    pub(crate) error: Option<Value>,
    pub(crate) usage: Option<WireUsage>,
}

/// Why a response is incomplete.
#[derive(Debug, Deserialize)]
pub(crate) struct Incomplete {
    pub(crate) reason: Option<String>,
}

/// One item of a response.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Item {
    /// A thought.
    Reasoning {
        #[serde(default)]
        id: String,
        #[serde(default)]
        summary: Vec<Text>,
        encrypted_content: Option<String>,
    },
    /// Text.
    Message {
        #[serde(default)]
        content: Vec<Text>,
    },
    /// A call.
    FunctionCall {
        call_id: String,
        name: String,
        #[serde(default)]
        arguments: String,
    },
    /// Something of a newer version.
    #[serde(other)]
    Other,
}

impl Item {
    /// Returns whether the model says in it that it won't answer.
    pub(crate) fn refuses(&self) -> bool {
        match self {
            Self::Message { content } => content.iter().any(|it| !it.refusal.is_empty()),
            Self::Reasoning { .. } | Self::FunctionCall { .. } | Self::Other => false,
        }
    }
}

/// A text in an item, or a refusal.
#[derive(Debug, Deserialize)]
pub(crate) struct Text {
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) refusal: String,
}

/// Token counts.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct WireUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    total_tokens: Option<u64>,
    input_tokens_details: Option<Cached>,
    output_tokens_details: Option<Thought>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Cached {
    cached_tokens: Option<u64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Thought {
    reasoning_tokens: Option<u64>,
}

impl From<WireUsage> for Usage {
    /// Thoughts are counted separately here, and with the response there.
    fn from(usage: WireUsage) -> Self {
        let thoughts = usage.output_tokens_details;
        let thoughts = thoughts
            .and_then(|it| it.reasoning_tokens)
            .filter(|it| *it > 0);
        let cached = usage.input_tokens_details.and_then(|it| it.cached_tokens);
        Self {
            prompt_token_count: usage.input_tokens,
            candidates_token_count: usage
                .output_tokens
                .map(|tokens| tokens.saturating_sub(thoughts.unwrap_or(0))),
            total_token_count: usage.total_tokens,
            cached_content_token_count: cached.filter(|it| *it > 0),
            thoughts_token_count: thoughts,
            ..Self::default()
        }
    }
}
