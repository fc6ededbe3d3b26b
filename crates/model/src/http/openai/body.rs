//! A request as chat completions want it.

use hookloop_events::llm::ToolMode;
use serde_json::{Map, Value, json};

use crate::function::FunctionDeclaration;
use crate::http::openai::messages::messages;
use crate::http::openai::parameters::{self, LimitName};
use crate::request::Request;

/// How the answer is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// In chunks.
    Chunks,
    /// As a whole.
    Whole,
}

/// Writes a request (MO-2).
pub(crate) fn of(request: &Request, delivery: Delivery, limit: LimitName) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("messages".to_owned(), Value::Array(messages(request)));
    body.insert("stream".to_owned(), json!(delivery == Delivery::Chunks));
    if delivery == Delivery::Chunks {
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    add_tools(&mut body, request);
    parameters::add(&mut body, &request.config, limit);
    Value::Object(body).to_string().into_bytes()
}

/// Declares the tools, and how they may be used (TS-1). The API has no list of names: with
/// names, only those tools are declared.
fn add_tools(body: &mut Map<String, Value>, request: &Request) {
    let config = request.function_calling_config();
    let names = config
        .as_ref()
        .and_then(|config| config["allowedFunctionNames"].as_array());
    let declared: Vec<Value> = request
        .tools
        .iter()
        .filter(|tool| names.is_none_or(|names| names.iter().any(|name| *name == tool.name)))
        .map(|tool| declaration(tool))
        .collect();
    if declared.is_empty() {
        return;
    }
    body.insert("tools".to_owned(), Value::Array(declared));
    let mode = config.and_then(|mut config| serde_json::from_value(config["mode"].take()).ok());
    let choice = match mode {
        Some(ToolMode::Auto) => "auto",
        Some(ToolMode::Any) => "required",
        Some(ToolMode::None) => "none",
        None => return,
    };
    body.insert("tool_choice".to_owned(), json!(choice));
}

fn declaration(tool: &FunctionDeclaration) -> Value {
    let parameters = match &tool.parameters_json_schema {
        Value::Null => json!({"type": "object", "properties": {}}),
        schema => schema.clone(),
    };
    json!({"type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters,
    }})
}
