//! A conversation in the format of chat completions.

use hookloop_events::llm::Role;
use serde_json::{Value, json};

use crate::function::{FunctionCall, FunctionResponse};
use crate::http::calls::{Pairing, UNANSWERED, orphan_text, placeholder, result_text};
use crate::http::turns::{Turn, turns};
use crate::part::{InlineData, Part, PartData};
use crate::request::Request;

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

#[derive(Default)]
struct Writer {
    messages: Vec<Value>,
    pairing: Pairing,
}

impl Writer {
    fn say(&mut self, role: &str, content: impl Into<Value>) {
        let content = content.into();
        self.messages
            .push(json!({"role": role, "content": content}));
    }

    /// Writes a turn of the model: its text and its calls. Thoughts are left out; the format has no
    /// place for them.
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
        let id = self.pairing.call(call);
        json!({"id": id, "type": "function", "function": {
            "name": call.name,
            "arguments": json!(call.args).to_string(),
        }})
    }

    /// Writes a turn of the user: first the responses to calls, which must directly follow the
    /// calls, then what the user says.
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

    /// Writes the response to a call. Returns it as a text if there is no such call.
    fn respond(&mut self, response: &FunctionResponse) -> Option<String> {
        match self.pairing.answered(response) {
            Some(id) => {
                self.answer(&id, &result_text(&response.response));
                None
            }
            None => Some(orphan_text(response)),
        }
    }

    /// Responds to the calls that have no response.
    fn settle(&mut self) {
        for id in self.pairing.take_unanswered() {
            self.answer(&id, UNANSWERED);
        }
    }

    fn answer(&mut self, id: &str, text: &str) {
        self.messages
            .push(json!({"role": "tool", "tool_call_id": id, "content": text}));
    }
}

/// Writes what the user says: a plain text if that is all.
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
