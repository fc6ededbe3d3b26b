//! The requested format of a response. Each service has its own parameter for it.

use serde_json::{Map, Value};

/// The parameters that together determine the format of the response, as Gemini's API names them.
const NAMES: [&str; 3] = ["responseMimeType", "responseSchema", "responseJsonSchema"];

/// The format of a response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form<'c> {
    /// JSON under a schema.
    Schema(&'c Value),
    /// Any JSON object.
    Json,
}

impl<'c> Form<'c> {
    /// Reads which format is requested, if any.
    pub(crate) fn of(config: &'c Map<String, Value>) -> Option<Self> {
        let schema = config
            .get("responseJsonSchema")
            .or(config.get("responseSchema"));
        let mime_type = config.get("responseMimeType").and_then(Value::as_str);
        match schema {
            Some(schema) => Some(Self::Schema(schema)),
            None => (mime_type == Some("application/json")).then_some(Self::Json),
        }
    }

    /// Returns whether a parameter is one of those that determine the format.
    pub(crate) fn is_said_by(parameter: &str) -> bool {
        NAMES.contains(&parameter)
    }
}
