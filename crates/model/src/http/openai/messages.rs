//! A conversation as chat completions want it.

use std::collections::{HashSet, VecDeque};

use hookloop_events::llm::Role;
use serde_json::{Map, Value, json};

use crate::function::{FunctionCall, FunctionResponse};
use crate::http::turns::{Turn, turns};
use crate::part::{InlineData, Part, PartData};
use crate::request::Request;

/// What a call gets that nobody answered, since servers demand an answer for each.
const UNANSWERED: &str = "The call was not answered.";

/// Writes the conversation, with the system instruction first.
pub(crate) fn messages(request: &Request) -> Vec<Value> {
    let mut writer = Writer::default();
    let instruction = request.system_instruction.as_ref();
    let instruction = instruction.map(|content| content.visible_text());
    if let Some(text) = instruction.filter(|text| !text.is_empty()) {
        writer.say("system", text);
    }
    for turn in turns(&request.contents) {
        match turn.role {
            Role::Model => writer.model(&turn),
            _ => writer.user(&turn),
        }
    }
    writer.settle();
    writer.messages
}

/// A call that waits for its answer.
struct OpenCall {
    id: String,
    name: String,
    /// The id that the call has in the conversation, which the answer repeats.
    own_id: Option<String>,
}

#[derive(Default)]
struct Writer {
    messages: Vec<Value>,
    /// The calls of the last turn of the model that nobody answered yet.
    open: VecDeque<OpenCall>,
    /// Every id so far: an id may stand for one call only.
    ids: HashSet<String>,
}

impl Writer {
    fn say(&mut self, role: &str, content: impl Into<Value>) {
        let content = content.into();
        self.messages
            .push(json!({"role": role, "content": content}));
    }

    /// Writes a turn of the model: its text and its calls. Thoughts stay with whoever thought
    /// them; the form has no place for them.
    fn model(&mut self, turn: &Turn<'_>) {
        self.settle();
        let texts = turn.parts.iter().filter_map(|part| match &part.data {
            PartData::Text(text) => (!part.thought).then(|| text.clone()),
            PartData::InlineData(data) => Some(placeholder(&data.mime_type)),
            PartData::FileData(file) => Some(placeholder(&file.file_uri)),
            _ => None,
        });
        let text: String = texts.collect();
        let calls: Vec<Value> = turn
            .parts
            .iter()
            .filter_map(|part| part.function_call())
            .map(|call| self.call(call))
            .collect();
        if calls.is_empty() {
            if !text.is_empty() {
                self.say("assistant", text);
            }
            return;
        }
        let text = if text.is_empty() {
            Value::Null
        } else {
            text.into()
        };
        self.messages
            .push(json!({"role": "assistant", "content": text, "tool_calls": calls}));
    }

    fn call(&mut self, call: &FunctionCall) -> Value {
        let own_id = call.id.clone().filter(|id| !id.is_empty());
        let id = match own_id.clone().filter(|id| !self.ids.contains(id)) {
            Some(id) => id,
            None => self.new_id(),
        };
        self.ids.insert(id.clone());
        self.open.push_back(OpenCall {
            id: id.clone(),
            name: call.name.clone(),
            own_id,
        });
        json!({"id": id, "type": "function", "function": {
            "name": call.name,
            "arguments": Value::Object(call.args.clone()).to_string(),
        }})
    }

    /// Finds an id for a call without one: the same in each request, so that servers find what
    /// they have cached.
    fn new_id(&self) -> String {
        let mut number = self.ids.len();
        loop {
            let id = format!("call_{number}");
            if !self.ids.contains(&id) {
                return id;
            }
            number += 1;
        }
    }

    /// Writes a turn of the user: first the answers to calls, which must follow the calls at
    /// once, then what the user says.
    fn user(&mut self, turn: &Turn<'_>) {
        let mut said: Vec<&Part> = Vec::new();
        let mut homeless: Vec<String> = Vec::new();
        for part in &turn.parts {
            match &part.data {
                PartData::FunctionResponse(response) => {
                    if let Some(text) = self.respond(response) {
                        homeless.push(text);
                    }
                }
                _ => said.push(part),
            }
        }
        self.settle();
        for text in homeless {
            self.say("user", text);
        }
        if let Some(content) = user_content(&said) {
            self.say("user", content);
        }
    }

    /// Writes the answer to a call. Returns it as a text if there is no such call.
    fn respond(&mut self, response: &FunctionResponse) -> Option<String> {
        let by_id = |call: &OpenCall| call.own_id.is_some() && call.own_id == response.id;
        let place = self.open.iter().position(by_id).or_else(|| {
            let by_name = |call: &OpenCall| call.name == response.name;
            self.open.iter().position(by_name)
        });
        let text = result_text(&response.response);
        match place.and_then(|place| self.open.remove(place)) {
            Some(call) => {
                self.answer(&call.id, &text);
                None
            }
            None => Some(format!("Result of {}: {text}", response.name)),
        }
    }

    /// Answers the calls that nobody answered.
    fn settle(&mut self) {
        for call in std::mem::take(&mut self.open) {
            self.answer(&call.id, UNANSWERED);
        }
    }

    fn answer(&mut self, id: &str, text: &str) {
        self.messages
            .push(json!({"role": "tool", "tool_call_id": id, "content": text}));
    }
}

/// Writes a result: the bare output where there is nothing else, so that the model doesn't have
/// to read text as JSON.
fn result_text(response: &Map<String, Value>) -> String {
    match response.get("output") {
        Some(Value::String(output)) if response.len() == 1 => output.clone(),
        _ => Value::Object(response.clone()).to_string(),
    }
}

/// Writes what the user says: a plain text if it is nothing else.
fn user_content(parts: &[&Part]) -> Option<Value> {
    let is_text = |part: &&Part| matches!(part.data, PartData::Text(_));
    if parts.iter().all(is_text) {
        let text: Vec<&str> = parts
            .iter()
            .filter_map(|part| part.visible_text())
            .collect();
        return (!text.is_empty()).then(|| text.join("\n\n").into());
    }
    Some(parts.iter().filter_map(|part| user_part(part)).collect())
}

fn user_part(part: &Part) -> Option<Value> {
    Some(match &part.data {
        PartData::Text(text) if !part.thought => json!({"type": "text", "text": text}),
        PartData::InlineData(data) => inline(data),
        PartData::FileData(file) => {
            json!({"type": "text", "text": placeholder(&file.file_uri)})
        }
        _ => return None,
    })
}

fn inline(data: &InlineData) -> Value {
    let InlineData {
        mime_type, data, ..
    } = data;
    match mime_type.split_once('/') {
        Some(("image", _)) => {
            let url = format!("data:{mime_type};base64,{data}");
            json!({"type": "image_url", "image_url": {"url": url}})
        }
        Some(("audio", format)) => {
            json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})
        }
        _ => json!({"type": "text", "text": placeholder(mime_type)}),
    }
}

/// Says that something was there which this form can't carry.
fn placeholder(what: &str) -> String {
    format!("[{what}: not shown]")
}
