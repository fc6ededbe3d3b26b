//! A response in the format of chat completions. Servers leave out what they like, so nearly all of
//! it may be missing or `null`.

use serde::Deserialize;
use serde_json::Value;

use crate::chunk::Usage;

/// One event of a stream, or a complete response.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Event {
    pub(crate) choices: Option<Vec<Choice>>,
    pub(crate) usage: Option<WireUsage>,
    pub(crate) model: Option<String>,
    /// Some servers report an error in the middle of a stream.
    pub(crate) error: Option<Value>,
    /// The text of an error that is just a text.
    pub(crate) message: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Choice {
    pub(crate) index: Option<u32>,
    /// What is new, in a stream.
    pub(crate) delta: Option<Message>,
    /// The complete message otherwise.
    pub(crate) message: Option<Message>,
    pub(crate) finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Message {
    /// A text, or a list of parts.
    pub(crate) content: Option<Value>,
    pub(crate) refusal: Option<String>,
    pub(crate) tool_calls: Option<Vec<CallDelta>>,
}

/// A call of a tool, or a piece of one.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct CallDelta {
    pub(crate) index: Option<usize>,
    pub(crate) id: Option<String>,
    pub(crate) function: Option<FunctionDelta>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct FunctionDelta {
    pub(crate) name: Option<String>,
    /// JSON as text, in pieces; some servers write the object itself.
    pub(crate) arguments: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Debug, Default, Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl Message {
    /// Returns the text, in whichever format it is.
    pub(crate) fn text(&self) -> String {
        let content = match &self.content {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => parts
                .iter()
                .filter_map(|part| part["text"].as_str().or_else(|| part["refusal"].as_str()))
                .collect(),
            _ => String::new(),
        };
        content + self.refusal.as_deref().unwrap_or_default()
    }

    /// Returns whether the model says that it won't answer.
    pub(crate) fn refuses(&self) -> bool {
        let says_something = |refusal: &str| !refusal.is_empty();
        let parts = self.content.as_ref().and_then(Value::as_array);
        let mut in_parts = parts
            .into_iter()
            .flatten()
            .filter_map(|it| it["refusal"].as_str());
        self.refusal.as_deref().is_some_and(says_something) || in_parts.any(says_something)
    }
}

impl From<WireUsage> for Usage {
    /// Thoughts are counted separately here, and with the response there.
    fn from(usage: WireUsage) -> Self {
        let thoughts = usage
            .completion_tokens_details
            .and_then(|details| details.reasoning_tokens)
            .filter(|tokens| *tokens > 0);
        Self {
            prompt_token_count: usage.prompt_tokens,
            candidates_token_count: usage
                .completion_tokens
                .map(|tokens| tokens.saturating_sub(thoughts.unwrap_or(0))),
            total_token_count: usage.total_tokens,
            cached_content_token_count: usage
                .prompt_tokens_details
                .and_then(|details| details.cached_tokens)
                .filter(|tokens| *tokens > 0),
            thoughts_token_count: thoughts,
            ..Self::default()
        }
    }
}
