//! A request in the format of `OpenAI`'s responses.

use hookloop_events::llm::ToolMode;
use serde_json::{Map, Value, json};

use crate::function::FunctionDeclaration;
use crate::http::exchange::Delivery;
use crate::http::form::Form;
use crate::http::offer::{Offer, schema};
use crate::http::responses::input::input;
use crate::http::thinking::{THINKING, Thinking};
use crate::request::Request;

/// The parameters that have another name here. All that aren't listed are unsupported.
const NAMES: [(&str, &str); 4] = [
    ("maxOutputTokens", "max_output_tokens"),
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("reasoning", "reasoning"),
];

/// Writes a request (MO-2).
pub(crate) fn of(request: &Request, delivery: Delivery) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    let instruction = request.system_instruction.as_ref();
    let instruction = instruction.map(|content| content.visible_text());
    if let Some(text) = instruction.filter(|text| !text.is_empty()) {
        body.insert("instructions".to_owned(), json!(text));
    }
    body.insert("input".to_owned(), Value::Array(input(request)));
    let is_streamed = delivery == Delivery::Chunks;
    body.insert("stream".to_owned(), json!(is_streamed));
    body.insert("store".to_owned(), json!(false));
    body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    add_tools(&mut body, request);
    for (key, value) in &request.config {
        if let Some((_, name)) = NAMES.iter().find(|(ours, _)| ours == key) {
            body.insert((*name).to_owned(), value.clone());
        }
    }
    if let Some(effort) = Thinking::of(&request.config).and_then(Thinking::effort) {
        body.entry("reasoning")
            .or_insert(json!({ "effort": effort }));
    }
    if let Some(form) = Form::of(&request.config) {
        let format = match form {
            Form::Schema(schema) => {
                json!({"type": "json_schema", "name": "answer", "schema": schema})
            }
            Form::Json => json!({"type": "json_object"}),
        };
        body.insert("text".to_owned(), json!({ "format": format }));
    }
    Value::Object(body).to_string().into_bytes()
}

/// Returns the parameters that aren't supported here.
pub(crate) fn unsayable(config: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let thinks = Thinking::of(config).is_some();
    let known = move |key: &&str| {
        Form::is_said_by(key)
            || NAMES.iter().any(|(ours, _)| ours == key)
            || thinks && *key == THINKING
    };
    config
        .keys()
        .map(String::as_str)
        .filter(move |it| !known(it))
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
    json!({"type": "function", "name": tool.name, "description": tool.description,
        "parameters": schema(tool), "strict": false})
}
