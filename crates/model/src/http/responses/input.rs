//! A conversation as `OpenAI`'s responses want it: one list of items.

use hookloop_events::llm::Role;
use serde_json::{Value, json};

use crate::http::calls::{Pairing, UNANSWERED, orphan_text, placeholder, result_text};
use crate::http::signature::Signer;
use crate::http::turns::{Turn, turns};
use crate::part::{InlineData, Part, PartData};
use crate::request::Request;

/// Writes the conversation.
pub(crate) fn input(request: &Request) -> Vec<Value> {
    let mut writer = Writer::default();
    for turn in turns(&request.contents) {
        match turn.role {
            Role::Model => writer.model(&turn),
            _ => writer.user(&turn),
        }
    }
    writer.settle();
    writer.items
}

#[derive(Default)]
struct Writer {
    items: Vec<Value>,
    pairing: Pairing,
}

impl Writer {
    /// Writes a turn of the model: what it thought, said and called, in order.
    fn model(&mut self, turn: &Turn<'_>) {
        self.settle();
        for part in &turn.parts {
            let item = self.model_item(part);
            self.items.extend(item);
        }
    }

    fn model_item(&mut self, part: &Part) -> Option<Value> {
        Some(match &part.data {
            PartData::Text(thought) if part.thought => {
                // The service refuses thoughts from another service.
                let (id, encrypted) = Signer::OpenAi.signature(part)?.split_once(':')?;
                let summary = if thought.is_empty() {
                    json!([])
                } else {
                    json!([{"type": "summary_text", "text": thought}])
                };
                json!({"type": "reasoning", "id": id, "summary": summary,
                    "encrypted_content": encrypted})
            }
            PartData::Text(said) if said.is_empty() => return None,
            PartData::Text(said) => model_text(said),
            PartData::FunctionCall(call) => {
                let id = self.pairing.call(call);
                json!({"type": "function_call", "call_id": id, "name": call.name,
                    "arguments": json!(call.args).to_string()})
            }
            PartData::InlineData(data) => model_text(&placeholder(&data.mime_type)),
            PartData::FileData(file) => model_text(&placeholder(&file.file_uri)),
            PartData::FunctionResponse(_) | PartData::Other => return None,
        })
    }

    /// Writes a turn of the user: first the results of calls, then what the user says.
    fn user(&mut self, turn: &Turn<'_>) {
        let mut said = Vec::new();
        for part in &turn.parts {
            match &part.data {
                PartData::FunctionResponse(response) => match self.pairing.answered(response) {
                    Some(id) => self.answer(&id, &result_text(&response.response)),
                    None => said.push(json!({"type": "input_text", "text": orphan_text(response)})),
                },
                _ => said.extend(user_item(part)),
            }
        }
        self.settle();
        if !said.is_empty() {
            self.items
                .push(json!({"type": "message", "role": "user", "content": said}));
        }
    }

    /// Answers the calls that nobody answered.
    fn settle(&mut self) {
        for id in self.pairing.take_unanswered() {
            self.answer(&id, UNANSWERED);
        }
    }

    fn answer(&mut self, id: &str, text: &str) {
        self.items
            .push(json!({"type": "function_call_output", "call_id": id, "output": text}));
    }
}

fn model_text(text: &str) -> Value {
    json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": text}]})
}

fn user_item(part: &Part) -> Option<Value> {
    let text = |text: &str| json!({"type": "input_text", "text": text});
    Some(match &part.data {
        PartData::Text(said) if part.thought || said.is_empty() => return None,
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
    let url = format!("data:{mime_type};base64,{data}");
    match mime_type.as_str() {
        "application/pdf" => {
            json!({"type": "input_file", "filename": "document.pdf", "file_data": url})
        }
        image if image.starts_with("image/") => json!({"type": "input_image", "image_url": url}),
        other => json!({"type": "input_text", "text": placeholder(other)}),
    }
}
