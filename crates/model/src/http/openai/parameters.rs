//! The parameters of a request, as chat completions name them.

use serde_json::{Map, Value, json};

use crate::error::ModelError;
use crate::http::form::Form;
use crate::http::thinking::{THINKING, Thinking};
use crate::http_error::HttpProblem;

/// The parameters that have another name here.
const RENAMED: [(&str, &str); 5] = [
    ("topP", "top_p"),
    ("topK", "top_k"),
    ("stopSequences", "stop"),
    ("presencePenalty", "presence_penalty"),
    ("frequencyPenalty", "frequency_penalty"),
];

/// The parameter that limits the response, as hooks and settings name it.
const LIMIT: &str = "maxOutputTokens";

/// The parameters that only Gemini's API knows. All others are sent to the server unchanged, which
/// can decide about them.
const GEMINI_ONLY: [&str; 7] = [
    "candidateCount",
    "safetySettings",
    "cachedContent",
    "labels",
    "responseModalities",
    "speechConfig",
    "mediaResolution",
];

/// How a server names the limit of a response: the older name is supported everywhere, but newer
/// models of `OpenAI` refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitName {
    /// `max_tokens`.
    Older,
    /// `max_completion_tokens`.
    Newer,
}

impl LimitName {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Older => "max_tokens",
            Self::Newer => "max_completion_tokens",
        }
    }

    /// Returns the name that a server requires when it refuses this one.
    pub(crate) fn replacement_for(self, error: &ModelError) -> Option<Self> {
        let ModelError::Http(error) = error else {
            return None;
        };
        let HttpProblem::Refused {
            status: 400 | 422,
            message,
        } = &error.problem
        else {
            return None;
        };
        let other = match self {
            Self::Older => Self::Newer,
            Self::Newer => Self::Older,
        };
        let refused = message.contains(self.as_str());
        // If the server names only the parameter that was sent, its value is what is wrong.
        (refused && (self == Self::Newer || message.contains(other.as_str()))).then_some(other)
    }
}

/// Adds the parameters to a request.
pub(crate) fn add(body: &mut Map<String, Value>, config: &Map<String, Value>, limit: LimitName) {
    for (key, value) in config {
        let key = key.as_str();
        if GEMINI_ONLY.contains(&key) || key == THINKING || Form::is_said_by(key) {
            continue;
        }
        let renamed = RENAMED.iter().find(|(ours, _)| *ours == key);
        let key = match renamed {
            Some((_, theirs)) => theirs,
            None if key == LIMIT => limit.as_str(),
            None => key,
        };
        // An extra parameter can't override the request's own.
        body.entry(key).or_insert_with(|| value.clone());
    }
    if let Some(effort) = Thinking::of(config).and_then(Thinking::effort) {
        body.entry("reasoning_effort").or_insert(json!(effort));
    }
    let form = match Form::of(config) {
        Some(Form::Schema(schema)) => json!({"type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema}}),
        Some(Form::Json) => json!({"type": "json_object"}),
        None => return,
    };
    body.entry("response_format").or_insert(form);
}

/// Returns whether a request limits the response under the name that has two spellings.
pub(crate) fn has_limit(config: &Map<String, Value>) -> bool {
    config.contains_key(LIMIT)
}

/// Returns the parameters that aren't supported here.
pub(crate) fn unsayable(config: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let is_unknown = Thinking::of(config).is_none();
    config
        .keys()
        .map(String::as_str)
        .filter(move |key| GEMINI_ONLY.contains(key) || is_unknown && *key == THINKING)
}
