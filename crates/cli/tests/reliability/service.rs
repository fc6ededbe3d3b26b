//! The two kinds of services that a session uses, as far as tests need them.

use hookloop_testkit::model_server::{ReceivedRequest, Reply};
use serde_json::{Value, json};

/// A kind of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Gemini,
    OpenAi,
}

impl Service {
    pub(crate) const ALL: [Self; 2] = [Self::Gemini, Self::OpenAi];

    /// Returns the variables that lead a session to a server.
    pub(crate) fn variables(self, url: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::Gemini => vec![
                ("GEMINI_API_KEY", "key".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
            ],
            Self::OpenAi => vec![("OPENAI_BASE_URL", format!("{url}/v1"))],
        }
    }

    /// Writes a piece of a response.
    pub(crate) fn chunk(self, text: &str) -> String {
        match self {
            Self::Gemini => json!({"candidates": [
                {"content": {"role": "model", "parts": [{ "text": text }]}}
            ]}),
            Self::OpenAi => json!({"choices": [{"index": 0, "delta": {"content": text}}]}),
        }
        .to_string()
    }

    /// Writes the end of a response.
    fn last(self) -> String {
        match self {
            Self::Gemini => json!({"candidates": [
                {"content": {"role": "model", "parts": []}, "finishReason": "STOP"}
            ]}),
            Self::OpenAi => json!({"choices": [
                {"index": 0, "delta": {}, "finish_reason": "stop"}
            ]}),
        }
        .to_string()
    }

    /// Builds a complete response.
    pub(crate) fn says(self, text: &str) -> Reply {
        self.ends(Reply::stream().event(&self.chunk(text)))
    }

    /// Ends a response like a service that has said everything.
    pub(crate) fn ends(self, reply: Reply) -> Reply {
        let reply = reply.event(&self.last());
        match self {
            Self::Gemini => reply.end(),
            Self::OpenAi => reply.event("[DONE]").end(),
        }
    }

    /// Builds the first chunk of a response that doesn't end.
    pub(crate) fn begins(self, text: &str) -> Reply {
        Reply::stream().event(&self.chunk(text))
    }

    /// Returns who says what in a request, without the instruction.
    pub(crate) fn conversation(self, request: &ReceivedRequest) -> Vec<(String, String)> {
        let request = request.json();
        let said = |turns: &str, text: fn(&Value) -> String| {
            let turns = request[turns].as_array().unwrap().iter();
            let turns = turns.map(|turn| (turn["role"].as_str().unwrap().to_owned(), text(turn)));
            turns.filter(|(role, _)| role != "system").collect()
        };
        match self {
            Self::Gemini => said("contents", |turn| {
                let parts = turn["parts"].as_array().unwrap().iter();
                parts.filter_map(|part| part["text"].as_str()).collect()
            }),
            Self::OpenAi => said("messages", |turn| match &turn["content"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            }),
        }
    }

    /// Returns how this service calls the model's side.
    pub(crate) const fn model(self) -> &'static str {
        match self {
            Self::Gemini => "model",
            Self::OpenAi => "assistant",
        }
    }
}
