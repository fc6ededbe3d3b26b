//! The tools of a request, for services that have no list of names: with names, only those tools
//! are declared (TS-1).

use hookloop_events::llm::ToolMode;
use serde_json::{Value, json};

use crate::error::ModelError;
use crate::function::FunctionDeclaration;
use crate::request::Request;

/// The declared tools, and how they may be used.
pub(crate) struct Offer<'r> {
    /// The tools; if there are none, they aren't mentioned.
    pub(crate) tools: Vec<&'r FunctionDeclaration>,
    /// How they may be used, if that is specified.
    pub(crate) mode: Option<ToolMode>,
}

impl<'r> Offer<'r> {
    /// Takes the tools that a request allows.
    pub(crate) fn of(request: &'r Request) -> Self {
        let config = request.function_calling_config();
        let names = config
            .as_ref()
            .and_then(|config| config["allowedFunctionNames"].as_array());
        let is_allowed =
            |name: &str| names.is_none_or(|names| names.iter().any(|allowed| allowed == name));
        let tools = request.tools.iter();
        let tools = tools.filter(|tool| is_allowed(&tool.name));
        Self {
            tools: tools.map(|tool| -> &FunctionDeclaration { tool }).collect(),
            mode: config.and_then(|mut config| serde_json::from_value(config["mode"].take()).ok()),
        }
    }
}

/// Returns the schema of a tool's arguments, even for one that takes none.
pub(crate) fn schema(tool: &FunctionDeclaration) -> Value {
    match &tool.parameters_json_schema {
        Value::Null => json!({"type": "object", "properties": {}}),
        schema => schema.clone(),
    }
}

/// Rejects a request for a tool that only another service has.
pub(crate) fn reject_native_tools(request: &Request) -> Result<(), ModelError> {
    match request.native_tools.first() {
        None => Ok(()),
        Some(tool) => Err(ModelError::NoNativeTool {
            model: request.model.clone(),
            tool: *tool,
        }),
    }
}
