//! Functions: their declarations, calls and responses, in Gemini's REST form.

use hookloop_events::llm::SyntheticCall;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool as it is declared to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionDeclaration {
    /// The tool's own name.
    pub name: String,
    /// What the tool does, for the model.
    #[serde(default)]
    pub description: String,
    /// The JSON schema of its arguments.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub parameters_json_schema: Value,
}

/// A function call that the model makes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// Identifies the call, where the model gives ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name, as the model said it.
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
    /// What stood in the place of the arguments, if it can't be read as such. The call must not
    /// run: the model gets an error (LO-3). It is kept in records, and never sent.
    #[serde(
        rename = "unreadableArgs",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub unreadable_args: Option<String>,
    /// Fields of newer models, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The answer to a function call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionResponse {
    /// The id of the call, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the tool that was called.
    pub name: String,
    /// The result: by custom under `output`, an error under `error`.
    #[serde(default)]
    pub response: Map<String, Value>,
    /// Fields of newer models, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl FunctionCall {
    /// Builds a call without an id.
    pub fn new(name: impl Into<String>, args: Map<String, Value>) -> Self {
        Self {
            name: name.into(),
            args,
            ..Self::default()
        }
    }

    /// Builds the response to this call, with its id and name.
    pub fn respond(&self, response: Map<String, Value>) -> FunctionResponse {
        FunctionResponse {
            id: self.id.clone(),
            name: self.name.clone(),
            response,
            extra: Map::new(),
        }
    }
}

impl From<&SyntheticCall> for FunctionCall {
    fn from(call: &SyntheticCall) -> Self {
        Self::new(call.name.clone(), call.args.clone())
    }
}
