//! One turn of a conversation: a role and the parts of its content.

use std::borrow::Cow;

use hookloop_events::llm::Role;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::function::{FunctionCall, FunctionResponse};
use crate::part::{Part, PartData};

/// One turn of a conversation, in the format of Gemini's REST API.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// The author.
    #[serde(default, skip_serializing_if = "Speaker::is_unsaid")]
    pub role: Speaker,
    /// The parts, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The author of a content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Cow<'_, str>", into = "String")]
pub enum Speaker {
    /// The user, or a tool's result.
    User,
    /// The model.
    Model,
    /// No author is given, as in some responses and in system instructions.
    #[default]
    Unsaid,
    /// A role of another API version, such as `function`.
    Other(String),
}

impl Content {
    /// Creates a content.
    pub fn new(role: Speaker, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            extra: Map::new(),
        }
    }

    /// Creates a text of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Speaker::User, vec![Part::text(text)])
    }

    /// Creates a text of the model.
    pub fn model(text: impl Into<String>) -> Self {
        Self::new(Speaker::Model, vec![Part::text(text)])
    }

    /// Creates a system instruction.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(Speaker::Unsaid, vec![Part::text(text)])
    }

    /// Creates the responses to function calls, in the given order.
    pub fn responses(responses: impl IntoIterator<Item = FunctionResponse>) -> Self {
        let parts = responses
            .into_iter()
            .map(|response| Part::new(PartData::FunctionResponse(response)))
            .collect();
        Self::new(Speaker::User, parts)
    }

    /// Returns all text that users and hooks can see, in order, without thoughts.
    pub fn visible_text(&self) -> String {
        self.parts.iter().filter_map(Part::visible_text).collect()
    }

    /// Returns the function calls, in order.
    pub fn function_calls(&self) -> impl Iterator<Item = &FunctionCall> {
        self.parts.iter().filter_map(Part::function_call)
    }

    /// Returns the function responses, in order.
    pub fn function_responses(&self) -> impl Iterator<Item = &FunctionResponse> {
        self.parts.iter().filter_map(Part::function_response)
    }

    /// Appends a part of a streamed response. Adjacent text parts are merged, so that a response in
    /// a hundred chunks doesn't become a hundred parts in the history. A part with a signature
    /// stays separate.
    pub fn push_streamed(&mut self, part: Part) {
        if let (
            Some(Part {
                data: PartData::Text(text),
                thought,
                thought_signature: None,
                extra,
            }),
            PartData::Text(more),
        ) = (self.parts.last_mut(), &part.data)
            && *thought == part.thought
            && part.thought_signature.is_none()
            && extra.is_empty()
            && part.extra.is_empty()
        {
            text.push_str(more);
        } else {
            self.parts.push(part);
        }
    }

    /// Replaces all visible text: the new text is where the first one was, the other texts are
    /// removed, and what hooks can't see keeps its place (BM-2, AM-2). An empty text removes the
    /// text.
    pub(crate) fn replace_text(&mut self, text: &str) {
        let place = self
            .parts
            .iter()
            .position(|part| part.visible_text().is_some_and(|text| !text.is_empty()));
        match place {
            Some(place) => {
                for (index, part) in self.parts.iter_mut().enumerate() {
                    if part.visible_text().is_some() {
                        part.set_text(if index == place { text } else { "" });
                    }
                }
            }
            None if text.is_empty() => {}
            // If there is no text yet, it is inserted after the thoughts, before everything else.
            None => {
                let place = self
                    .parts
                    .iter()
                    .position(|part| !part.thought)
                    .unwrap_or(self.parts.len());
                self.parts.insert(place, Part::text(text));
            }
        }
        self.parts
            .retain(|part| part.has_hidden() || part.visible_text() != Some(""));
    }
}

impl Speaker {
    /// Returns the role that hooks see: the model, or otherwise the user.
    pub fn as_role(&self) -> Role {
        match self {
            Self::Model => Role::Model,
            Self::User | Self::Unsaid | Self::Other(_) => Role::User,
        }
    }

    fn is_unsaid(&self) -> bool {
        *self == Self::Unsaid
    }
}

impl From<Cow<'_, str>> for Speaker {
    fn from(role: Cow<'_, str>) -> Self {
        match role.as_ref() {
            "user" => Self::User,
            "model" => Self::Model,
            "" => Self::Unsaid,
            _ => Self::Other(role.into_owned()),
        }
    }
}

impl From<Speaker> for String {
    fn from(speaker: Speaker) -> Self {
        match speaker {
            Speaker::User => "user".to_owned(),
            Speaker::Model => "model".to_owned(),
            Speaker::Unsaid => Self::new(),
            Speaker::Other(role) => role,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// MO-5: a content is written as it was read.
    #[test]
    fn reading_and_writing_a_content_loses_nothing() {
        for content in [
            json!({"role": "user", "parts": [{"text": "a"}]}),
            json!({"role": "function", "parts": [], "note": 1}),
            json!({"parts": [{"text": "a"}]}),
            json!({}),
        ] {
            let read: Content = serde_json::from_value(content.clone()).unwrap();
            let mut expected = content;
            // Missing parts and an empty list of parts are equivalent.
            if expected["parts"].as_array().is_some_and(Vec::is_empty) {
                expected.as_object_mut().unwrap().shift_remove("parts");
            }
            assert_eq!(serde_json::to_value(&read).unwrap(), expected);
        }
    }

    /// AM-2: streamed text becomes one part; signatures and thoughts stay separate.
    #[test]
    fn streamed_text_grows_together() {
        let mut content = Content::new(Speaker::Model, Vec::new());
        let thought = Part {
            thought: true,
            ..Part::text("hm")
        };
        let signed = Part {
            thought_signature: Some("s".to_owned()),
            ..Part::text("!")
        };
        for part in [
            thought,
            Part::text("a"),
            Part::text("b"),
            signed,
            Part::text("c"),
        ] {
            content.push_streamed(part);
        }
        let texts: Vec<_> = content.parts.iter().map(Part::visible_text).collect();
        assert_eq!(texts, [None, Some("ab"), Some("!"), Some("c")]);
    }

    /// BM-2, AM-2: the new text replaces the first text; signatures and calls stay.
    #[test]
    fn replaced_text_leaves_the_rest() {
        let mut content: Content = serde_json::from_value(json!({"role": "model", "parts": [
            {"text": "thinking", "thought": true},
            {"text": "one"},
            {"functionCall": {"name": "glob", "args": {}}},
            {"text": "two"},
            {"text": "three", "thoughtSignature": "s"},
        ]}))
        .unwrap();
        content.replace_text("new");
        assert_eq!(
            serde_json::to_value(&content.parts).unwrap(),
            json!([
                {"text": "thinking", "thought": true},
                {"text": "new"},
                {"functionCall": {"name": "glob", "args": {}}},
                {"text": "", "thoughtSignature": "s"},
            ])
        );
    }
}
