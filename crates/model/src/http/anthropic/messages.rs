//! A conversation in the format of Anthropic's messages.

use hookloop_events::llm::Role;
use serde_json::{Value, json};

use crate::function::FunctionResponse;
use crate::http::calls::{Pairing, UNANSWERED, orphan_text, placeholder, result_text};
use crate::http::signature::Signer;
use crate::http::turns::{Turn, turns};
use crate::part::{InlineData, Part, PartData};
use crate::request::Request;

/// Precedes a conversation that the model began, since the API requires the user to begin.
const BEGINNING: &str = "(The conversation continues.)";

/// Writes the conversation.
pub(crate) fn messages(request: &Request) -> Vec<Value> {
    let mut writer = Writer::default();
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
    fn say(&mut self, role: &str, blocks: &[Value]) {
        if !blocks.is_empty() {
            self.messages.push(json!({"role": role, "content": blocks}));
        }
    }

    /// Writes a turn of the model: thoughts with their signatures, text and calls, in order.
    fn model(&mut self, turn: &Turn<'_>) {
        self.settle();
        if self.messages.is_empty() {
            self.say("user", &[text(BEGINNING)]);
        }
        let mut blocks = Vec::new();
        for part in &turn.parts {
            blocks.extend(self.model_block(part));
        }
        self.say("assistant", &blocks);
    }

    fn model_block(&mut self, part: &Part) -> Option<Value> {
        Some(match &part.data {
            PartData::Text(thought) if part.thought => {
                if let Some(data) = Signer::AnthropicRedacted.signature(part) {
                    return Some(json!({"type": "redacted_thinking", "data": data}));
                }
                // The service refuses thoughts without a signature, or from another service.
                let signature = Signer::Anthropic.signature(part)?;
                json!({"type": "thinking", "thinking": thought, "signature": signature})
            }
            PartData::Text(said) if said.trim().is_empty() => return None,
            PartData::Text(said) => text(said),
            PartData::FunctionCall(call) => {
                let id = self.pairing.call(call);
                json!({"type": "tool_use", "id": plain_id(&id), "name": call.name,
                    "input": call.args})
            }
            PartData::InlineData(data) => text(&placeholder(&data.mime_type)),
            PartData::FileData(file) => text(&placeholder(&file.file_uri)),
            PartData::FunctionResponse(_) | PartData::Other => return None,
        })
    }

    /// Writes a turn of the user: first the results of calls, then what the user says.
    fn user(&mut self, turn: &Turn<'_>) {
        let mut results = Vec::new();
        let mut said = Vec::new();
        for part in &turn.parts {
            match &part.data {
                PartData::FunctionResponse(response) => match self.pairing.answered(response) {
                    Some(id) => results.push(result(&id, response)),
                    None => said.push(text(&orphan_text(response))),
                },
                _ => said.extend(user_block(part)),
            }
        }
        results.extend(
            self.pairing
                .take_unanswered()
                .map(|id| unanswered_result(&id)),
        );
        results.append(&mut said);
        self.say("user", &results);
    }

    /// Responds to the calls that have no response.
    fn settle(&mut self) {
        let open = self.pairing.take_unanswered();
        let results: Vec<Value> = open.map(|id| unanswered_result(&id)).collect();
        self.say("user", &results);
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns an id with only the characters that the API accepts.
fn plain_id(id: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
    id.replace(|it| !is_plain(it), "_")
}

fn result(id: &str, response: &FunctionResponse) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": plain_id(id),
        "content": result_text(&response.response)});
    if response.response.contains_key("error") {
        block["is_error"] = json!(true);
    }
    block
}

fn unanswered_result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": plain_id(id), "content": UNANSWERED,
        "is_error": true})
}

fn user_block(part: &Part) -> Option<Value> {
    Some(match &part.data {
        PartData::Text(said) if part.thought || said.trim().is_empty() => return None,
        PartData::Text(said) => text(said),
        PartData::InlineData(data) => inline(data),
        PartData::FileData(file) => text(&placeholder(&file.file_uri)),
        PartData::FunctionCall(_) | PartData::FunctionResponse(_) | PartData::Other => return None,
    })
}

fn inline(data: &InlineData) -> Value {
    let InlineData {
        mime_type, data, ..
    } = data;
    let source = json!({"type": "base64", "media_type": mime_type, "data": data});
    match mime_type.as_str() {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => {
            json!({"type": "image", "source": source})
        }
        "application/pdf" => json!({"type": "document", "source": source}),
        other => text(&placeholder(other)),
    }
}
