//! The known keys of the objects inside a reply's own fields, to find keys that have no effect
//! (IO-23).

use hookloop_hook::EventName;
use serde_json::{Map, Value};

use crate::refusal::squashed;

/// A key inside a reply's own field that has no effect there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPart {
    /// The path of its object, below `hookSpecificOutput`; a list is `[]`.
    pub place: String,
    /// The key.
    pub key: String,
    /// The keys that have an effect there.
    pub known: Vec<&'static str>,
    /// The key that was probably meant, in the same object, if this one is a known synonym.
    pub meant: Option<&'static str>,
    /// What happens to it.
    pub fate: Fate,
}

/// What happens to a key that isn't known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It has no effect.
    Unread,
    /// It is passed on, because the model's service may know it. It is a mistake only if it
    /// resembles another key.
    PassedOn,
}

impl UnknownPart {
    /// Returns the field of `hookSpecificOutput` that contains it.
    pub fn field(&self) -> &str {
        self.place.split(['.', '[']).next().unwrap_or(&self.place)
    }
}

/// What a value may contain.
enum Shape {
    /// Anything: it is read as a whole, or passed on.
    Anything,
    /// Parameters of a model service, of which there are more than we know.
    Parameters(&'static Object),
    Object(&'static Object),
    ListOf(&'static Shape),
}

/// The keys of an object, and the words that others use for them, in lower case without `_` and
/// `-`.
struct Object {
    keys: &'static [(&'static str, Shape)],
    others: &'static [(&'static str, &'static [&'static str])],
}

const TOOL_CONFIG: Object = Object {
    keys: &[
        ("mode", Shape::Anything),
        ("allowedFunctionNames", Shape::Anything),
    ],
    others: &[(
        "allowedFunctionNames",
        &[
            "allowed",
            "allowedtools",
            "allowedfunctions",
            "allowedtoolnames",
            "disallowed",
            "disallowedtools",
            "disallowedfunctions",
            "disallowedfunctionnames",
            "excludedtools",
            "excludetools",
            "blockedtools",
            "deniedtools",
            "functionnames",
            "functions",
            "names",
            "toolnames",
            "tools",
        ],
    )],
};

const TEXT_PART: Object = Object {
    keys: &[("text", Shape::Anything), ("type", Shape::Anything)],
    others: &[("text", &["content", "value"])],
};

const MESSAGE: Object = Object {
    keys: &[
        ("role", Shape::Anything),
        ("content", Shape::ListOf(&Shape::Object(&TEXT_PART))),
    ],
    others: &[("content", &["text", "parts", "message"])],
};

const CONFIG: Object = Object {
    keys: &[
        ("temperature", Shape::Anything),
        ("maxOutputTokens", Shape::Anything),
        ("topP", Shape::Anything),
        ("topK", Shape::Anything),
        ("stopSequences", Shape::Anything),
        ("candidateCount", Shape::Anything),
        ("presencePenalty", Shape::Anything),
        ("frequencyPenalty", Shape::Anything),
        ("seed", Shape::Anything),
        ("thinkingConfig", Shape::Anything),
    ],
    others: &[
        (
            "maxOutputTokens",
            &["maxtokens", "maxcompletiontokens", "maxtokenstosample"],
        ),
        ("stopSequences", &["stop", "stopwords"]),
    ],
};

const REQUEST: Object = Object {
    keys: &[
        ("model", Shape::Anything),
        ("messages", Shape::ListOf(&Shape::Object(&MESSAGE))),
        ("config", Shape::Parameters(&CONFIG)),
        ("toolConfig", Shape::Object(&TOOL_CONFIG)),
    ],
    others: &[
        (
            "messages",
            &[
                "content",
                "contents",
                "history",
                "input",
                "prompt",
                "system",
                "systeminstruction",
                "text",
            ],
        ),
        (
            "config",
            &["generationconfig", "parameters", "options", "temperature"],
        ),
        ("config.maxOutputTokens", &["maxoutputtokens", "maxtokens"]),
        ("toolConfig", &["tools", "toolchoice", "functions"]),
    ],
};

const CALL: Object = Object {
    keys: &[("name", Shape::Anything), ("args", Shape::Anything)],
    others: &[
        (
            "args",
            &["arguments", "input", "parameters", "params", "toolinput"],
        ),
        ("name", &["tool", "toolname", "function"]),
    ],
};

/// A part of a response: in a chunk's rewrite, its calls stay as they are (AM-2).
const ANSWER_PART: Object = Object {
    keys: &[
        ("text", Shape::Anything),
        ("functionCall", Shape::Object(&CALL)),
    ],
    others: &[("text", &["content", "value"])],
};
const CHUNK_PART: Object = Object {
    keys: &[("text", Shape::Anything)],
    others: ANSWER_PART.others,
};

/// The words that others use for the parts of a content, of a candidate and of a response.
const CONTENT_WORDS: &[(&str, &[&str])] = &[("parts", &["text", "content", "part"])];
const CANDIDATE_WORDS: &[(&str, &[&str])] = &[(
    "content.parts",
    &["text", "message", "delta", "parts", "output"],
)];
const RESPONSE_WORDS: &[(&str, &[&str])] = &[(
    "text",
    &[
        "choices",
        "content",
        "message",
        "messages",
        "modelresponse",
        "output",
        "outputtext",
        "parts",
        "response",
    ],
)];

const ANSWER_CONTENT: Object = Object {
    keys: &[
        ("role", Shape::Anything),
        ("parts", Shape::ListOf(&Shape::Object(&ANSWER_PART))),
    ],
    others: CONTENT_WORDS,
};
const CHUNK_CONTENT: Object = Object {
    keys: &[
        ("role", Shape::Anything),
        ("parts", Shape::ListOf(&Shape::Object(&CHUNK_PART))),
    ],
    others: CONTENT_WORDS,
};

const ANSWER_CANDIDATE: Object = Object {
    keys: &[
        ("content", Shape::Object(&ANSWER_CONTENT)),
        ("finishReason", Shape::Anything),
        ("index", Shape::Anything),
        ("safetyRatings", Shape::Anything),
    ],
    others: CANDIDATE_WORDS,
};
const CHUNK_CANDIDATE: Object = Object {
    keys: &[
        ("content", Shape::Object(&CHUNK_CONTENT)),
        ("finishReason", Shape::Anything),
        ("index", Shape::Anything),
        ("safetyRatings", Shape::Anything),
    ],
    others: CANDIDATE_WORDS,
};

/// A response that replaces the model's (BM-3).
const ANSWER: Object = Object {
    keys: &[
        ("text", Shape::Anything),
        (
            "candidates",
            Shape::ListOf(&Shape::Object(&ANSWER_CANDIDATE)),
        ),
        ("functionCalls", Shape::ListOf(&Shape::Object(&CALL))),
        ("usageMetadata", Shape::Anything),
    ],
    others: RESPONSE_WORDS,
};
/// The replacement for a chunk (AM-2).
const CHUNK: Object = Object {
    keys: &[
        ("text", Shape::Anything),
        (
            "candidates",
            Shape::ListOf(&Shape::Object(&CHUNK_CANDIDATE)),
        ),
        ("usageMetadata", Shape::Anything),
    ],
    others: RESPONSE_WORDS,
};

/// Returns the shape of an event's own field, if it is an object with known keys.
fn shape(event: EventName, field: &str) -> Option<Shape> {
    match (event, field) {
        (EventName::BeforeModel, "llm_request") => Some(Shape::Object(&REQUEST)),
        (EventName::BeforeModel, "llm_response") => Some(Shape::Object(&ANSWER)),
        (EventName::AfterModel, "llm_response") => Some(Shape::Object(&CHUNK)),
        (EventName::BeforeToolSelection, "toolConfig") => Some(Shape::Object(&TOOL_CONFIG)),
        (EventName::AfterTool, "tailToolCallRequest") => Some(Shape::Object(&CALL)),
        _ => None,
    }
}

/// Returns the keys inside a reply's own fields that have no effect, each once. Objects that are
/// `null` are skipped; values that are passed on unchanged, such as a tool's arguments, have no
/// unknown keys (IO-23).
pub fn unknown_parts(event: EventName, own: &Map<String, Value>) -> Vec<UnknownPart> {
    let mut found = Vec::new();
    for (field, value) in own {
        if let Some(shape) = shape(event, field) {
            shape.look(field, value, &mut found);
        }
    }
    found
}

impl Shape {
    fn look(&self, place: &str, value: &Value, found: &mut Vec<UnknownPart>) {
        match (self, value) {
            (Self::Object(object), Value::Object(fields)) => {
                for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
                    match object.keys.iter().find(|(name, _)| name == key) {
                        Some((_, shape)) => shape.look(&format!("{place}.{key}"), value, found),
                        None => object.name(place, key, Fate::Unread, found),
                    }
                }
            }
            (Self::Parameters(object), Value::Object(fields)) => {
                let is_known = |key: &&String| object.keys.iter().any(|(name, _)| *name == **key);
                for key in fields.keys().filter(|key| !is_known(key)) {
                    object.name(place, key, Fate::PassedOn, found);
                }
            }
            (Self::ListOf(shape), Value::Array(values)) => {
                for value in values {
                    shape.look(&format!("{place}[]"), value, found);
                }
            }
            _ => {}
        }
    }
}

impl Object {
    /// Reports a key that isn't one of the object's, once.
    fn name(&self, place: &str, key: &str, fate: Fate, found: &mut Vec<UnknownPart>) {
        let part = UnknownPart {
            place: place.to_owned(),
            key: key.to_owned(),
            known: self.keys.iter().map(|(name, _)| *name).collect(),
            meant: self.canonical_key(key),
            fate,
        };
        if !found.contains(&part) {
            found.push(part);
        }
    }

    /// Returns the key of the object that another word means, or that differs from the word only in
    /// case.
    fn canonical_key(&self, key: &str) -> Option<&'static str> {
        let word = squashed(key);
        let same = self.keys.iter().find(|(name, _)| squashed(name) == word);
        let other = || {
            let mut others = self.others.iter();
            others.find(|(_, words)| words.contains(&word.as_str()))
        };
        same.map(|(name, _)| *name)
            .or_else(|| other().map(|(name, _)| *name))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(event: EventName, own: &Value) -> Vec<String> {
        let own = own.as_object().unwrap();
        let parts = unknown_parts(event, own).into_iter();
        parts
            .map(|it| format!("{}.{} {:?}", it.place, it.key, it.meant.unwrap_or("?")))
            .collect()
    }

    /// IO-23: a key inside a reply's own field that isn't read there is found, once, with its usual
    /// name.
    #[test]
    fn unread_keys_are_found_at_any_depth() {
        for (event, own, expected) in [
            (
                EventName::BeforeToolSelection,
                json!({"toolConfig": {"mode": "AUTO", "allowedTools": ["read_file"]}}),
                "toolConfig.allowedTools \"allowedFunctionNames\"",
            ),
            (
                EventName::BeforeModel,
                json!({"llm_request": {"contents": []}}),
                "llm_request.contents \"messages\"",
            ),
            (
                EventName::BeforeModel,
                json!({"llm_request": {"toolConfig": {"allowed_function_names": []}}}),
                "llm_request.toolConfig.allowed_function_names \"allowedFunctionNames\"",
            ),
            (
                EventName::BeforeModel,
                json!({"llm_request": {"config": {"max_tokens": 5, "topK": 1}}}),
                "llm_request.config.max_tokens \"maxOutputTokens\"",
            ),
            (
                EventName::BeforeModel,
                json!({"llm_request": {"messages": [
                    {"role": "user", "content": [{"image": 1}]},
                    {"role": "user", "content": [{"image": 2}]},
                ]}}),
                "llm_request.messages[].content[].image \"?\"",
            ),
            (
                EventName::AfterModel,
                json!({"llm_response": {"candidates": [{"text": "x"}]}}),
                "llm_response.candidates[].text \"content.parts\"",
            ),
            (
                EventName::AfterModel,
                json!({"llm_response": {"candidates": [{"content": {"text": "x"}}]}}),
                "llm_response.candidates[].content.text \"parts\"",
            ),
            (
                EventName::AfterModel,
                json!({"llm_response": {"text": "x", "functionCalls": []}}),
                "llm_response.functionCalls \"?\"",
            ),
            (
                EventName::AfterTool,
                json!({"tailToolCallRequest": {"name": "glob", "arguments": {}}}),
                "tailToolCallRequest.arguments \"args\"",
            ),
        ] {
            assert_eq!(found(event, &own), [expected], "{own}");
        }
    }

    /// IO-23: what is read or passed on isn't reported, nor is a payload that a hook returns
    /// unchanged.
    #[test]
    fn what_is_read_is_not_found() {
        for (event, own) in [
            (
                EventName::AfterModel,
                json!({"llm_response": {"text": "t", "usageMetadata": {"totalTokenCount": 1},
                    "candidates": [{"index": 0, "finishReason": "STOP", "safetyRatings": [{"a": 1}],
                        "content": {"role": "model", "parts": ["t", {"text": "t"}]}}]}}),
            ),
            (
                EventName::BeforeModel,
                json!({"llm_request": {"model": "m", "config": {"temperature": 1, "topP": null},
                    "messages": [{"role": "user", "content": "c"}], "tools": null,
                    "toolConfig": {"mode": "ANY", "allowedFunctionNames": []}}}),
            ),
            (
                EventName::BeforeModel,
                json!({"llm_response": {"functionCalls": [{"name": "glob", "args": {"any": 1}}]}}),
            ),
            (
                EventName::BeforeTool,
                json!({"tool_input": {"any": {"thing": 1}}}),
            ),
            (EventName::BeforeModel, json!({"llm_request": "text"})),
        ] {
            assert_eq!(found(event, &own), [""; 0], "{own}");
        }
    }
}
