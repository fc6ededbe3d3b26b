//! What is needed to run a real agent offline (BR-3, BR-41): a model service on the loopback
//! interface that answers from a script, and how each agent is started with it ([`agents`]).
//!
//! The script is one list of turns, sent to each client in the protocol that it speaks, with a
//! record of the requests. The path of the request determines the protocol: Anthropic Messages,
//! `OpenAI` chat completions, `OpenAI` responses, or Gemini; as a stream or as a whole, as the
//! client requests. Real agents also request titles and summaries on the side. Those requests offer
//! the model no tools, so they get a short text and take no turn.
//!
//! Nothing here starts a program: the caller that does decides how to contain it.
//!
//! ```
//! use hookloop_rehearsal::{ScriptedModel, ToolCall, Turn};
//! use serde_json::json;
//!
//! # fn main() -> std::io::Result<()> {
//! let call = ToolCall::new("Bash", json!({"command": "true"}));
//! let model = ScriptedModel::start([Turn::Call(call), Turn::Say("done".to_owned())])?;
//! println!("ANTHROPIC_BASE_URL={}", model.url());
//! // … the agent …
//! assert!(model.exchanges().is_empty());
//! # Ok(())
//! # }
//! ```

pub mod agents;
mod http;
mod server;
mod wire;

pub use server::ScriptedModel;
pub use wire::Protocol;

use std::time::Instant;

use serde_json::Value;

/// What the model does in response to one request.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// It answers with a text, and the agent's turn ends.
    Say(String),
    /// It calls a tool.
    Call(ToolCall),
}

/// A tool call of the model, in the agent's own words.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The tool's name as the agent offers it.
    pub name: String,
    /// Its arguments.
    pub input: ToolInput,
    /// The namespace in which some clients of the responses protocol put tools.
    pub namespace: Option<String>,
}

/// The arguments of a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolInput {
    /// Arguments as an object.
    Arguments(Value),
    /// Free text, which only tools of the responses protocol accept.
    Text(String),
}

impl ToolCall {
    /// Builds a call with arguments.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self {
            name: name.into(),
            input: ToolInput::Arguments(arguments),
            namespace: None,
        }
    }

    /// Returns the arguments as an object, in whatever form they were given.
    pub(crate) fn arguments(&self) -> Value {
        match &self.input {
            ToolInput::Arguments(arguments) => arguments.clone(),
            ToolInput::Text(text) => serde_json::json!({ "input": text }),
        }
    }
}

/// What a client requested and what it got.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The protocol; `None` if the request isn't one to a model.
    pub protocol: Option<Protocol>,
    /// Method and target, such as `POST /v1/messages?beta=true`.
    pub line: String,
    /// The body as JSON, `null` if it isn't any.
    pub body: Value,
    /// The turn that was played; nothing for what clients ask on the side.
    pub turn: Option<Turn>,
    /// When the whole request had arrived.
    pub at: Instant,
}

impl Exchange {
    /// Returns whether a text is anywhere in the request, including JSON inside texts.
    pub fn mentions(&self, text: &str) -> bool {
        mentions(&self.body, text)
    }

    /// Returns the names of the tools that the model was offered, in order.
    pub fn tools(&self) -> Vec<String> {
        wire::offered_tools(&self.body)
    }
}

fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(found) => found.contains(text),
        Value::Array(items) => items.iter().any(|item| mentions(item, text)),
        Value::Object(fields) => fields.values().any(|field| mentions(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
