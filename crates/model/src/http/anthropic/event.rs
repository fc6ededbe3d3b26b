//! A response in the format of Anthropic's messages.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::chunk::Usage;

/// One event of a stream.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Event {
    /// The response begins.
    MessageStart { message: Message },
    /// A block begins.
    ContentBlockStart { index: usize, content_block: Block },
    /// A block continues.
    ContentBlockDelta { index: usize, delta: Delta },
    /// A block is complete.
    ContentBlockStop { index: usize },
    /// The model ended.
    MessageDelta {
        delta: Ending,
        usage: Option<WireUsage>,
    },
    /// Nothing follows.
    MessageStop,
    /// The server failed in the middle of its response.
    Error { error: Value },
    /// Something else, such as `ping`.
    #[serde(other)]
    Other,
}

/// A message: its head in a stream, or a complete response.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) model: Option<String>,
    #[serde(default)]
    pub(crate) content: Vec<Block>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) usage: Option<WireUsage>,
}

/// A block, or the beginning of one.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    /// Text.
    Text { text: String },
    /// A thought.
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    /// A thought that nobody else can read.
    RedactedThinking { data: String },
    /// A call.
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Map<String, Value>,
    },
    /// Something of a newer version.
    #[serde(other)]
    Other,
}

/// What is new in a block.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum Delta {
    /// More of a text.
    #[serde(rename = "text_delta")]
    Text { text: String },
    /// More of a thought.
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    /// More of a thought's signature.
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    /// More of a call's arguments.
    #[serde(rename = "input_json_delta")]
    Arguments { partial_json: String },
    /// Something of a newer version.
    #[serde(other)]
    Other,
}

/// Why the model ended.
#[derive(Debug, Deserialize)]
pub(crate) struct Ending {
    pub(crate) stop_reason: Option<String>,
}

/// Token counts: of the request, without cached ones, which are counted separately.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct WireUsage {
    #[serde(rename = "input_tokens")]
    input: Option<u64>,
    #[serde(rename = "cache_creation_input_tokens")]
    newly_cached: Option<u64>,
    #[serde(rename = "cache_read_input_tokens")]
    cached: Option<u64>,
    #[serde(rename = "output_tokens")]
    output: Option<u64>,
}

impl WireUsage {
    /// Adopts newer counts, if there are any.
    pub(crate) fn and(self, newer: Self) -> Self {
        Self {
            input: newer.input.or(self.input),
            newly_cached: newer.newly_cached.or(self.newly_cached),
            cached: newer.cached.or(self.cached),
            output: newer.output.or(self.output),
        }
    }
}

impl From<WireUsage> for Usage {
    fn from(usage: WireUsage) -> Self {
        let parts = [usage.input, usage.newly_cached, usage.cached];
        let prompt: u64 = parts.into_iter().flatten().sum();
        Self {
            prompt_token_count: Some(prompt),
            candidates_token_count: usage.output,
            total_token_count: Some(prompt + usage.output.unwrap_or_default()),
            cached_content_token_count: usage.cached.filter(|it| *it > 0),
            ..Self::default()
        }
    }
}
