//! Functions: their declarations, calls and responses, in the format of Gemini's REST API.

use std::sync::Arc;

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

/// A function call by the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "ReadCall")]
pub struct FunctionCall {
    /// The id of the call, if the model assigns ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, shared with the call that is executed.
    pub args: Arc<Map<String, Value>>,
    /// The text in place of the arguments, if they can't be parsed. The call must not run, and the
    /// model gets an error (LO-3). It is kept in records, and never sent.
    #[serde(rename = "unreadableArgs", skip_serializing_if = "Option::is_none")]
    pub unreadable_args: Option<String>,
    /// Fields of newer models, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A function call as it is read: its arguments may have any type.
#[derive(Deserialize)]
struct ReadCall {
    #[serde(default)]
    id: Option<String>,
    name: String,
    #[serde(default)]
    args: Value,
    #[serde(default, rename = "unreadableArgs")]
    unreadable_args: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Value>,
}

impl From<ReadCall> for FunctionCall {
    fn from(read: ReadCall) -> Self {
        let (args, unreadable) = match read.args {
            Value::Object(args) => (args, None),
            Value::Null => (Map::new(), None),
            other => (Map::new(), Some(other.to_string())),
        };
        Self {
            id: read.id,
            name: read.name,
            args: Arc::new(args),
            unreadable_args: read.unreadable_args.or(unreadable),
            extra: read.extra,
        }
    }
}

/// The response to a function call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionResponse {
    /// The id of the call, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the tool that was called.
    pub name: String,
    /// The result, by convention under `output`, or an error under `error`.
    #[serde(default)]
    pub response: Map<String, Value>,
    /// Fields of newer models, kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl FunctionCall {
    /// Creates a call without an id.
    pub fn new(name: impl Into<String>, args: impl Into<Arc<Map<String, Value>>>) -> Self {
        Self {
            name: name.into(),
            args: args.into(),
            ..Self::default()
        }
    }

    /// Creates the response to this call, with its id and name.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::part::Part;

    /// LO-3: a call is never lost because of its arguments; a call without any has none.
    #[test]
    fn any_arguments_are_read() {
        for (args, read, unreadable) in [
            (json!({"a": 1}), json!({"a": 1}), None),
            (Value::Null, json!({}), None),
            (json!([1]), json!({}), Some("[1]")),
            (json!("a"), json!({}), Some("\"a\"")),
        ] {
            let part = json!({"functionCall": {"name": "glob", "args": args, "more": 1}});
            let part: Part = serde_json::from_value(part).unwrap();
            let call = part.function_call().unwrap();
            assert_eq!(json!(call.args), read);
            assert_eq!(call.unreadable_args.as_deref(), unreadable);
            let again: Part = serde_json::from_value(json!(part)).unwrap();
            assert_eq!(
                again, part,
                "nothing is lost on the way to a record and back"
            );
        }
    }
}
