//! Decodes the events of Anthropic's messages to chunks.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::chunk::{Chunk, Usage};
use crate::http::answer::unreadable;
use crate::http::anthropic::event::{Block, Delta, Event, Message, WireUsage};
use crate::http::calls::{model_chunk, read_call};
use crate::http::decode::{Decoder, Progress, StreamProgress};
use crate::http::ending::{Answering, MAX_TOKENS};
use crate::http::failure::{message_of, plain_line};
use crate::http::signature::Signer;
use crate::http_error::HttpProblem;
use crate::part::{Part, PartData};

/// The expected format of a response, for messages.
const ANSWER: &str = "an answer of Anthropic's API";

/// Reads a streamed response. Text is passed on as it arrives; thoughts and calls are passed on
/// when they are complete.
#[derive(Debug, Default)]
pub(crate) struct AnthropicDecoder {
    open: BTreeMap<usize, Open>,
    usage: WireUsage,
    model: Option<String>,
    said: StreamProgress,
    ended: bool,
    closed: bool,
}

/// A block that isn't complete yet.
#[derive(Debug)]
enum Open {
    Thought {
        text: String,
        signature: String,
    },
    Call {
        id: String,
        name: String,
        arguments: String,
    },
}

impl Decoder for AnthropicDecoder {
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem> {
        let event: Event = serde_json::from_str(data).map_err(|_| unreadable(ANSWER, data))?;
        Ok(match event {
            Event::MessageStart { message } => {
                self.said.begin();
                self.model = message.model;
                self.count(message.usage);
                None
            }
            Event::ContentBlockStart {
                index,
                content_block,
            } => self.begin(index, content_block),
            Event::ContentBlockDelta { index, delta } => self.go_on(index, delta),
            Event::ContentBlockStop { index } => self
                .open
                .remove(&index)
                .and_then(Open::into_part)
                .and_then(|part| self.say(part)),
            Event::MessageDelta { delta, usage } => {
                self.count(usage);
                let reason = delta.stop_reason.filter(|it| !it.is_empty());
                let reason = reason.filter(|reason| self.is_end(reason));
                reason.map(|reason| {
                    self.ended = true;
                    self.last(&reason)
                })
            }
            Event::MessageStop => {
                self.closed = true;
                None
            }
            Event::Error { error } => {
                return Err(HttpProblem::Reported(plain_line(&message_of(&error))));
            }
            Event::Other => None,
        })
    }

    fn end(&mut self) -> Result<Option<Chunk>, HttpProblem> {
        if self.ended {
            Ok(None)
        } else {
            self.said.cut()
        }
    }

    fn progress(&self) -> Progress {
        match self {
            Self { closed: true, .. } => Progress::Closed,
            Self { ended: true, .. } => Progress::Finished,
            Self { .. } => Progress::Open,
        }
    }
}

impl AnthropicDecoder {
    fn count(&mut self, usage: Option<WireUsage>) {
        self.usage = self.usage.and(usage.unwrap_or_default());
    }

    /// Returns whether a reason to end counts: if a block is still open, the response was cut,
    /// unless the model reached its limit, which it reports itself.
    fn is_end(&self, reason: &str) -> bool {
        self.open.is_empty() || finish_reason(reason) == MAX_TOKENS
    }

    fn begin(&mut self, index: usize, block: Block) -> Option<Chunk> {
        self.said.begin();
        let open = match block {
            Block::Thinking {
                thinking,
                signature,
            } => Open::Thought {
                text: thinking,
                signature,
            },
            Block::ToolUse { id, name, input } => Open::Call {
                id,
                name,
                arguments: if input.is_empty() {
                    String::new()
                } else {
                    Value::Object(input).to_string()
                },
            },
            whole => return whole_part(whole).and_then(|part| self.say(part)),
        };
        self.open.insert(index, open);
        None
    }

    fn go_on(&mut self, index: usize, delta: Delta) -> Option<Chunk> {
        match (delta, self.open.get_mut(&index)) {
            (Delta::Text { text }, _) => return self.say(Part::text(text)),
            (Delta::Thinking { thinking }, Some(Open::Thought { text, .. })) => {
                text.push_str(&thinking);
            }
            (Delta::Signature { signature }, Some(Open::Thought { signature: own, .. })) => {
                own.push_str(&signature);
            }
            (Delta::Arguments { partial_json }, Some(Open::Call { arguments, .. })) => {
                arguments.push_str(&partial_json);
            }
            _ => {}
        }
        None
    }

    /// Makes a chunk of a part, unless it is empty.
    fn say(&mut self, part: Part) -> Option<Chunk> {
        if part.visible_text() == Some("") {
            return None;
        }
        self.said = StreamProgress::Something;
        Some(model_chunk(vec![part]))
    }

    fn last(&mut self, reason: &str) -> Chunk {
        let mut chunk = model_chunk(Vec::new());
        finish(&mut chunk, Some(reason), self.usage);
        chunk.model_version = self.model.take();
        chunk
    }
}

impl Open {
    fn into_part(self) -> Option<Part> {
        match self {
            Self::Thought { text, signature } => whole_part(Block::Thinking {
                thinking: text,
                signature,
            }),
            Self::Call {
                id,
                name,
                arguments,
            } => Some(Part::new(PartData::FunctionCall(read_call(
                Some(id),
                name,
                &arguments,
            )))),
        }
    }
}

/// Reads a complete response.
pub(crate) fn read_whole(body: &[u8]) -> Result<Chunk, HttpProblem> {
    let data = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_str(&data).map_err(|_| unreadable(ANSWER, &data))?;
    if let Some(error) = value.get("error") {
        return Err(HttpProblem::Reported(plain_line(&message_of(error))));
    }
    if value["type"] != "message" {
        return Err(unreadable(ANSWER, &data));
    }
    let message: Message = serde_json::from_value(value).map_err(|_| unreadable(ANSWER, &data))?;
    let parts: Vec<Part> = message.content.into_iter().filter_map(whole_part).collect();
    let reason = message.stop_reason.filter(|reason| !reason.is_empty());
    if reason.is_none() && parts.is_empty() {
        return Err(HttpProblem::Empty);
    }
    let mut chunk = model_chunk(parts);
    finish(
        &mut chunk,
        reason.as_deref(),
        message.usage.unwrap_or_default(),
    );
    chunk.model_version = message.model;
    Ok(chunk)
}

fn whole_part(block: Block) -> Option<Part> {
    Some(match block {
        Block::Text { text } => Part::text(text),
        Block::Thinking {
            thinking,
            signature,
        } => thought(thinking, Signer::Anthropic.sign(&signature)),
        Block::RedactedThinking { data } => {
            thought(String::new(), Signer::AnthropicRedacted.sign(&data))
        }
        Block::ToolUse { id, name, input } => {
            let arguments = Value::Object(input).to_string();
            Part::new(PartData::FunctionCall(read_call(
                Some(id),
                name,
                &arguments,
            )))
        }
        Block::Other => return None,
    })
}

fn thought(text: String, signature: String) -> Part {
    Part {
        thought: true,
        thought_signature: Some(signature),
        ..Part::text(text)
    }
}

/// Translates why the model ended. A turn that is paused (`pause_turn`) isn't finished either.
fn finish_reason(word: &str) -> String {
    Answering::Willing.finish_reason(word)
}

/// Reports why the model ended, if it says so, and the token counts.
fn finish(chunk: &mut Chunk, reason: Option<&str>, usage: WireUsage) {
    if let Some(candidate) = chunk.candidates.first_mut() {
        candidate.finish_reason = reason.map(finish_reason);
    }
    chunk.usage_metadata = Some(Usage::from(usage));
}
