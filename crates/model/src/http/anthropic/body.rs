//! A request in the format of Anthropic's messages.

use hookloop_events::llm::ToolMode;
use serde_json::{Map, Value, json};

use crate::function::FunctionDeclaration;
use crate::http::anthropic::messages::messages;
use crate::http::exchange::Delivery;
use crate::http::form::Form;
use crate::http::offer::{Offer, schema};
use crate::http::thinking::{THINKING, Thinking};
use crate::request::Request;

/// The parameters that have another name here. All that aren't listed are unsupported.
const NAMES: [(&str, &str); 5] = [
    ("maxOutputTokens", "max_tokens"),
    ("temperature", "temperature"),
    ("topP", "top_p"),
    ("topK", "top_k"),
    ("stopSequences", "stop_sequences"),
];

/// The minimum that a model can be told to think, in tokens.
const MIN_THINKING: u64 = 1024;

/// The maximum response lengths of models by the start of their names, longer starts first: the API
/// requires a limit with every request.
const BOUNDS: [(&str, u64); 5] = [
    ("claude-3-5", 8_192),
    ("claude-3-7", 32_000),
    ("claude-3", 4_096),
    ("claude-2", 4_096),
    ("", 32_000),
];

/// Writes a request (MO-2).
pub(crate) fn of(request: &Request, delivery: Delivery) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model));
    body.insert("max_tokens".to_owned(), json!(max_tokens(&request.model)));
    if delivery == Delivery::Chunks {
        body.insert("stream".to_owned(), json!(true));
    }
    let instruction = request.system_instruction.as_ref();
    let instruction = instruction.map(|content| content.visible_text());
    if let Some(text) = instruction.filter(|text| !text.is_empty()) {
        let block = cached(json!({"type": "text", "text": text}));
        body.insert("system".to_owned(), json!([block]));
    }
    let forced = add_tools(&mut body, request);
    for (key, value) in &request.config {
        if let Some((_, name)) = NAMES.iter().find(|(ours, _)| ours == key) {
            body.insert((*name).to_owned(), value.clone());
        }
    }
    if let Some(Form::Schema(schema)) = Form::of(&request.config) {
        let format = json!({"type": "json_schema", "schema": schema});
        body.insert("output_config".to_owned(), json!({ "format": format }));
    }
    if !forced {
        think(&mut body, request);
    }
    let mut messages = messages(request);
    // Everything before this point stays the same in the next request.
    if let Some(block) = messages
        .last_mut()
        .and_then(|message| message["content"].as_array_mut()?.last_mut())
    {
        *block = cached(block.take());
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    Value::Object(body).to_string().into_bytes()
}

/// Returns the parameters that aren't supported here.
pub(crate) fn unsayable(config: &Map<String, Value>) -> impl Iterator<Item = &str> {
    // JSON without a schema can't be requested.
    let has_schema = matches!(Form::of(config), Some(Form::Schema(_)));
    // Its models think as much as they are told to, and by default not at all.
    let is_bounded = matches!(Thinking::of(config), Some(Thinking::Tokens(_)));
    let known = move |key: &&str| {
        is_bounded && *key == THINKING
            || NAMES.iter().any(|(ours, _)| ours == key)
            || has_schema && Form::is_said_by(key)
    };
    config
        .keys()
        .map(String::as_str)
        .filter(move |it| !known(it))
}

/// Marks a block: everything up to it is cached for the next request.
fn cached(mut block: Value) -> Value {
    block["cache_control"] = json!({"type": "ephemeral"});
    block
}

fn max_tokens(model: &str) -> u64 {
    // Routers prefix models' names with the maker: `anthropic/claude-…`.
    let name = model.rsplit('/').next().unwrap_or(model);
    let found = BOUNDS.iter().find(|(start, _)| name.starts_with(start));
    found.map_or(MIN_THINKING, |(_, bound)| *bound)
}

/// Sets how much the model may think, if that is configured.
fn think(body: &mut Map<String, Value>, request: &Request) {
    let Some(Thinking::Tokens(budget @ 1..)) = Thinking::of(&request.config) else {
        return;
    };
    let budget = budget.max(MIN_THINKING);
    let bound = body.get("max_tokens").and_then(Value::as_u64);
    if bound.is_none_or(|bound| bound <= budget) {
        body.insert(
            "max_tokens".to_owned(),
            json!(budget.saturating_add(MIN_THINKING)),
        );
    }
    body.insert(
        "thinking".to_owned(),
        json!({"type": "enabled", "budget_tokens": budget}),
    );
    // The API refuses these together with thinking.
    body.remove("temperature");
    body.remove("top_k");
}

/// Declares the tools, and how they may be used (TS-1), and returns whether one must be used.
fn add_tools(body: &mut Map<String, Value>, request: &Request) -> bool {
    let offer = Offer::of(request);
    let mut declared: Vec<Value> = offer.tools.into_iter().map(declaration).collect();
    let Some(last) = declared.last_mut() else {
        return false;
    };
    *last = cached(last.take());
    body.insert("tools".to_owned(), Value::Array(declared));
    let choice = match offer.mode {
        Some(ToolMode::Auto) => "auto",
        Some(ToolMode::Any) => "any",
        Some(ToolMode::None) => "none",
        None => return false,
    };
    body.insert("tool_choice".to_owned(), json!({ "type": choice }));
    offer.mode == Some(ToolMode::Any)
}

fn declaration(tool: &FunctionDeclaration) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": schema(tool)})
}
