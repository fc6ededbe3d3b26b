//! A model's response, as a whole or in chunks (`GenerateContentResponse`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::Content;
use crate::function::FunctionCall;
#[cfg(feature = "http")]
use crate::part::{Part, PartData};

/// A response of the model, or one chunk of it, in the format of Gemini's REST API.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Chunk {
    /// The candidates. Only the first one is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// Token counts so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_metadata: Option<Usage>,
    /// The model that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_version: Option<String>,
    /// All other fields: `responseId`, `promptFeedback`, …
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One candidate of a response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The content. It is often missing in the last chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Content>,
    /// Why the response ended: `STOP`, `MAX_TOKENS`, `SAFETY`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The candidate's index, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Safety ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety_ratings: Option<Value>,
    /// All other fields: `groundingMetadata`, `citationMetadata`, …
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Token counts, as reported by the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_token_count: Option<u64>,
    /// Tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates_token_count: Option<u64>,
    /// All tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_token_count: Option<u64>,
    /// Tokens of the request that were cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_content_token_count: Option<u64>,
    /// Tokens of the model's thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thoughts_token_count: Option<u64>,
    /// Tokens of the results of tools that the model's service ran itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_prompt_token_count: Option<u64>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Chunk {
    /// Returns the content of the first candidate, if there is one.
    pub fn content(&self) -> Option<&Content> {
        self.candidates.first()?.content.as_ref()
    }

    /// Returns the text of the first candidate that users and hooks can see.
    pub fn visible_text(&self) -> String {
        self.content()
            .map(Content::visible_text)
            .unwrap_or_default()
    }

    /// Returns the function calls of the first candidate, in order.
    pub fn function_calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.content().into_iter().flat_map(Content::function_calls)
    }

    /// Returns whether the chunk brings the response forward: an empty one only keeps a connection
    /// alive.
    #[cfg(feature = "http")]
    pub(crate) fn continues_response(&self) -> bool {
        let parts = self.content().map(|content| content.parts.as_slice());
        let says_something = |part: &Part| match &part.data {
            PartData::Text(text) => !text.is_empty(),
            _ => true,
        };
        self.finish_reason().is_some() || parts.unwrap_or_default().iter().any(says_something)
    }

    /// Returns why the response ended, if this is its last chunk.
    pub fn finish_reason(&self) -> Option<&str> {
        let reason = self.candidates.first()?.finish_reason.as_deref();
        reason.filter(|reason| !reason.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// MO-3, MO-5: a chunk is written as it was read.
    #[test]
    fn reading_and_writing_a_chunk_loses_nothing() {
        for chunk in [
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]},
                "index": 0, "safetyRatings": [{"category": "X"}], "citationMetadata": {}}],
                "modelVersion": "gemini", "responseId": "r"}),
            json!({"candidates": [{"finishReason": "STOP", "content": {}}],
                "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 4,
                    "promptTokensDetails": [{"modality": "TEXT"}]}}),
            json!({"promptFeedback": {"blockReason": "SAFETY"}}),
        ] {
            let read: Chunk = serde_json::from_value(chunk.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), chunk);
        }
    }
}
