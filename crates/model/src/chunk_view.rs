//! Converts between a chunk and the part that hooks see (BM-3, AM-2).

use hookloop_events::llm::{GivenResponse, LlmCandidate, LlmContent, LlmResponse, Role};

use crate::chunk::{Candidate, Chunk};
use crate::content::{Content, Speaker};
use crate::function::FunctionCall;
use crate::part::{Part, PartData};

/// Why a response that a hook gave ends, if the hook didn't say so.
const ENDED: &str = "STOP";

impl Chunk {
    /// Creates the response that a hook gave instead of the model (BM-3).
    pub fn from_given(given: &GivenResponse) -> Self {
        let text = given.text.iter().filter(|text| !text.is_empty());
        let calls = given.function_calls.iter().map(FunctionCall::from);
        let parts = text
            .map(Part::text)
            .chain(calls.map(|call| Part::new(PartData::FunctionCall(call))))
            .collect();
        let finish_reason = given.finish_reason.clone();
        Self {
            candidates: vec![Candidate {
                content: Some(Content::new(Speaker::Model, parts)),
                finish_reason: Some(finish_reason.unwrap_or_else(|| ENDED.to_owned())),
                index: Some(0),
                ..Candidate::default()
            }],
            ..Self::default()
        }
    }

    /// Returns the part of the chunk that hooks see.
    pub fn view(&self) -> LlmResponse {
        LlmResponse {
            text: self.visible_text(),
            candidates: self.candidates.iter().map(Candidate::view).collect(),
            usage_metadata: self
                .usage_metadata
                .as_ref()
                .and_then(|usage| serde_json::to_value(usage).ok()),
        }
    }

    /// Replaces the chunk's text by the text that a hook gave. Function calls, thoughts and
    /// everything else stay (AM-2). If the hook gave no text, the chunk's text stays.
    pub fn replace_text(&mut self, given: &GivenResponse) {
        if let Some(text) = &given.text {
            if self.candidates.is_empty() && !text.is_empty() {
                self.candidates.push(Candidate {
                    index: Some(0),
                    ..Candidate::default()
                });
            }
            // Only the first candidate is used, but text that a hook removed must not remain in
            // others.
            let texts = std::iter::once(text.as_str()).chain(std::iter::repeat(""));
            for (candidate, text) in self.candidates.iter_mut().zip(texts) {
                candidate.replace_text(text);
            }
        }
        if let (Some(reason), Some(candidate)) = (&given.finish_reason, self.candidates.first_mut())
        {
            candidate.finish_reason = Some(reason.clone());
        }
    }
}

impl Candidate {
    fn view(&self) -> LlmCandidate {
        let parts = self.content.iter().flat_map(|content| &content.parts);
        LlmCandidate {
            content: LlmContent {
                role: Role::Model,
                parts: parts
                    .filter_map(Part::visible_text)
                    .filter(|text| !text.is_empty())
                    .map(str::to_owned)
                    .collect(),
            },
            finish_reason: self.finish_reason.clone(),
            index: self.index.unwrap_or(0),
            safety_ratings: self.safety_ratings.clone(),
        }
    }

    fn replace_text(&mut self, text: &str) {
        match &mut self.content {
            Some(content) => content.replace_text(text),
            None if text.is_empty() => {}
            None => self.content = Some(Content::model(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use hookloop_events::llm::SyntheticCall;
    use serde_json::{Map, json};

    use super::*;

    fn text(text: &str) -> GivenResponse {
        GivenResponse {
            text: Some(text.to_owned()),
            ..GivenResponse::default()
        }
    }

    /// BM-3: a given response becomes an answer with text, calls and an end.
    #[test]
    fn a_given_response_is_an_answer() {
        let given = GivenResponse {
            function_calls: vec![SyntheticCall {
                name: "glob".to_owned(),
                args: Map::new(),
            }],
            ..text("Done.")
        };
        let chunk = Chunk::from_given(&given);
        assert_eq!(chunk.visible_text(), "Done.");
        assert_eq!(chunk.finish_reason(), Some("STOP"));
        let names: Vec<_> = chunk.function_calls().map(|call| &call.name).collect();
        assert_eq!(names, ["glob"]);
        let none = Chunk::from_given(&GivenResponse::default());
        assert_eq!(none.content().map(|content| content.parts.len()), Some(0));
    }

    /// AM-2: the text is replaced; calls, thoughts, signatures and usage stay.
    #[test]
    fn replacing_text_keeps_everything_else() {
        let mut chunk: Chunk = serde_json::from_value(json!({"candidates": [
            {"content": {"role": "model", "parts": [
                {"text": "hm", "thought": true},
                {"text": "secret"},
                {"functionCall": {"name": "glob", "args": {"pattern": "*"}}, "thoughtSignature": "s"},
                {"text": " more secret"}]}, "index": 0},
            {"content": {"role": "model", "parts": [{"text": "secret"}]}, "index": 1}],
            "usageMetadata": {"totalTokenCount": 5}}))
        .unwrap();
        chunk.replace_text(&text("[redacted]"));
        assert_eq!(
            serde_json::to_value(&chunk).unwrap(),
            json!({"candidates": [
                {"content": {"role": "model", "parts": [
                    {"text": "hm", "thought": true},
                    {"text": "[redacted]"},
                    {"functionCall": {"name": "glob", "args": {"pattern": "*"}},
                        "thoughtSignature": "s"}]}, "index": 0},
                {"content": {"role": "model"}, "index": 1}],
                "usageMetadata": {"totalTokenCount": 5}})
        );
        assert_eq!(chunk.view().text, "[redacted]");
    }

    /// AM-2: text is inserted into a chunk that had none, and no replacement leaves the text
    /// unchanged.
    #[test]
    fn text_can_be_added_and_left_alone() {
        let mut chunk = Chunk::default();
        chunk.replace_text(&text("new"));
        assert_eq!(chunk.visible_text(), "new");
        let said_nothing = GivenResponse {
            finish_reason: Some("MAX_TOKENS".to_owned()),
            ..GivenResponse::default()
        };
        chunk.replace_text(&said_nothing);
        assert_eq!(chunk.visible_text(), "new");
        assert_eq!(chunk.finish_reason(), Some("MAX_TOKENS"));
        chunk.replace_text(&text(""));
        assert_eq!(chunk.visible_text(), "");
    }

    /// AM-2: hooks see the texts, never thoughts or calls.
    #[test]
    fn the_view_holds_text_only() {
        let chunk: Chunk = serde_json::from_value(json!({"candidates": [{"content": {"parts": [
            {"text": "hm", "thought": true}, {"text": "a"}, {"text": ""}, {"text": "b"},
            {"functionCall": {"name": "glob"}}]}, "finishReason": "STOP",
            "safetyRatings": [1]}], "usageMetadata": {"totalTokenCount": 5}}))
        .unwrap();
        assert_eq!(
            serde_json::to_value(chunk.view()).unwrap(),
            json!({"text": "ab", "candidates": [{"content": {"role": "model", "parts": ["a", "b"]},
                "finishReason": "STOP", "index": 0, "safetyRatings": [1]}],
                "usageMetadata": {"totalTokenCount": 5}})
        );
    }
}
