//! A scripted model's responses.

use serde_json::{Value, json};

/// Builds a file of responses.
#[derive(Default)]
pub(crate) struct Script(Vec<Value>);

impl Script {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a response of these parts, a chunk each.
    pub(crate) fn answers(mut self, parts: &[Value]) -> Self {
        let mut chunks: Vec<Value> = parts
            .iter()
            .map(|part| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]}))
            .collect();
        if let Some(last) = chunks.last_mut() {
            last["candidates"][0]["finishReason"] = json!("STOP");
        }
        self.0
            .push(json!({"method": "generateContentStream", "response": chunks}));
        self
    }

    pub(crate) fn says(self, text: &str) -> Self {
        self.answers(&[json!({ "text": text })])
    }

    pub(crate) fn calls(self, tool: &str, arguments: &Value) -> Self {
        self.answers(&[call(None, tool, arguments)])
    }

    /// Adds a response to a request for a single piece, such as a summary.
    pub(crate) fn sums_up(mut self, text: &str) -> Self {
        let chunk = json!({"candidates": [
            {"content": {"role": "model", "parts": [{ "text": text }]}, "finishReason": "STOP"}
        ]});
        self.0
            .push(json!({"method": "generateContent", "response": chunk}));
        self
    }

    pub(crate) fn text(&self) -> String {
        let lines: Vec<String> = self.0.iter().map(Value::to_string).collect();
        lines.join("\n") + "\n"
    }
}

/// Builds a call of a tool.
pub(crate) fn call(id: Option<&str>, tool: &str, arguments: &Value) -> Value {
    let mut call = json!({"name": tool, "args": arguments});
    if let Some(id) = id {
        call["id"] = json!(id);
    }
    json!({ "functionCall": call })
}
