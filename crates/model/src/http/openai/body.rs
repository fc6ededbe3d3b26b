//! A request in the format of chat completions.

use hookloop_events::llm::ToolMode;
use serde_json::{Map, Value, json};

use crate::function::FunctionDeclaration;
use crate::http::exchange::Delivery;
use crate::http::offer::{Offer, schema};
use crate::http::openai::messages::messages;
use crate::http::openai::parameters::{self, LimitName};
use crate::request::Request;

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

/// Declares the tools, and how they may be used (TS-1).
fn add_tools(body: &mut Map<String, Value>, request: &Request) {
    let offer = Offer::of(request);
    if offer.tools.is_empty() {
        return;
    }
    let declared = offer.tools.into_iter().map(declaration).collect();
    body.insert("tools".to_owned(), Value::Array(declared));
    let choice = match offer.mode {
        Some(ToolMode::Auto) => "auto",
        Some(ToolMode::Any) => "required",
        Some(ToolMode::None) => "none",
        None => return,
    };
    body.insert("tool_choice".to_owned(), json!(choice));
}

fn declaration(tool: &FunctionDeclaration) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name,
        "description": tool.description,
        "parameters": schema(tool),
    }})
}
