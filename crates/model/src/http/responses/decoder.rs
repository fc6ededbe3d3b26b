//! Decodes the events of `OpenAI`'s responses to chunks.

use serde_json::Value;

use crate::chunk::Chunk;
use crate::http::answer::unreadable;
use crate::http::calls::{model_chunk, read_call};
use crate::http::decode::{Decoder, Progress, StreamProgress};
use crate::http::ending::Answering;
use crate::http::failure::{message_of, plain_line};
use crate::http::responses::event::{Event, Item, Response, Text};
use crate::http::signature::Signer;
use crate::http_error::HttpProblem;
use crate::part::{Part, PartData};

/// The expected format of a response, for messages.
const ANSWER: &str = "an answer of OpenAI's responses";

/// The end of a stream on some servers.
const DONE: &str = "[DONE]";

/// The status of a complete response.
const COMPLETED: &str = "completed";

/// The status of a response that ended early.
const INCOMPLETE: &str = "incomplete";

/// Reads a streamed response. Text is passed on as it arrives; thoughts and calls are passed on
/// when they are complete. Some servers only stream complete items, or send everything at the end.
#[derive(Debug, Default)]
pub(crate) struct ResponsesDecoder {
    said: StreamProgress,
    ended: bool,
    /// The text already passed on of a message that isn't complete yet.
    open: String,
    /// All the text that was passed on.
    text: String,
    /// The ids of the calls that were passed on.
    calls: Vec<String>,
    /// Whether a thought was passed on.
    thought: bool,
    answering: Answering,
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem> {
        if data.trim() == DONE {
            return Ok(None);
        }
        let event: Event = serde_json::from_str(data).map_err(|_| unreadable(ANSWER, data))?;
        self.said.begin();
        let part = match event {
            Event::Text { delta } => {
                self.open.push_str(&delta);
                self.speak(delta)
            }
            Event::Refusal { delta } => {
                self.answering.refuse();
                self.open.push_str(&delta);
                self.speak(delta)
            }
            Event::Done { item } => self.item(item),
            Event::Completed { response } => return self.last(response, COMPLETED).map(Some),
            Event::Incomplete { response } => return self.last(response, INCOMPLETE).map(Some),
            Event::Failed { response } => return Err(failure_problem(&response)),
            Event::Error(error) => {
                return Err(HttpProblem::Reported(plain_line(&message_of(&error))));
            }
            Event::Other => None,
        };
        if part.is_some() {
            self.said = StreamProgress::Something;
        }
        Ok(part.map(|part| model_chunk(vec![part])))
    }

    fn end(&mut self) -> Result<Option<Chunk>, HttpProblem> {
        if self.ended {
            Ok(None)
        } else {
            self.said.cut()
        }
    }

    fn progress(&self) -> Progress {
        if self.ended {
            Progress::Closed
        } else {
            Progress::Open
        }
    }
}

impl ResponsesDecoder {
    /// Takes the end of a response, whose event determines its status even if it names none.
    fn last(&mut self, mut response: Response, status: &str) -> Result<Chunk, HttpProblem> {
        let items = std::mem::take(&mut response.output);
        if items.iter().any(Item::refuses) {
            self.answering.refuse();
        }
        response.status.get_or_insert_with(|| status.to_owned());
        let mut chunk = last_of(response, self.answering)?;
        self.ended = true;
        add_parts(&mut chunk, self.missing(items));
        Ok(chunk)
    }

    /// Passes text on, unless it is empty.
    fn speak(&mut self, text: String) -> Option<Part> {
        self.text.push_str(&text);
        (!text.is_empty()).then(|| Part::text(text))
    }

    /// Takes a complete item: for a message, what hasn't been passed on yet.
    fn item(&mut self, item: Item) -> Option<Part> {
        if item.refuses() {
            self.answering.refuse();
        }
        match &item {
            Item::Message { content } => {
                let open = std::mem::take(&mut self.open);
                let text = join_texts(content);
                let rest = text.strip_prefix(open.as_str()).map(str::to_owned);
                return rest.and_then(|rest| self.speak(rest));
            }
            Item::FunctionCall { call_id, .. } => self.calls.push(call_id.clone()),
            Item::Reasoning { .. } => self.thought = true,
            Item::Other => {}
        }
        part_of(item)
    }

    /// Finds what is in a complete response and hasn't been passed on yet.
    fn missing(&mut self, items: Vec<Item>) -> Vec<Part> {
        let mut gone = std::mem::take(&mut self.text);
        let parts = items.into_iter().filter_map(|item| match &item {
            Item::Message { content } => {
                let text = join_texts(content);
                let known = common_prefix(&text, &gone);
                let rest = text[known..].to_owned();
                gone.drain(..known);
                // If it doesn't continue the text so far, the new part isn't known.
                (!rest.is_empty() && gone.is_empty()).then(|| Part::text(rest))
            }
            Item::FunctionCall { call_id, .. } if self.calls.contains(call_id) => None,
            Item::Reasoning { .. } if self.thought => None,
            _ => part_of(item),
        });
        parts.collect()
    }
}

/// Returns the length of the common beginning of two texts, in bytes, up to a character boundary.
fn common_prefix(one: &str, other: &str) -> usize {
    let alike = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    alike.map(|(sign, _)| sign.len_utf8()).sum()
}

/// Adds parts to the chunk that ends a response.
fn add_parts(chunk: &mut Chunk, parts: Vec<Part>) {
    let candidate = chunk.candidates.first_mut();
    if let Some(content) = candidate.and_then(|it| it.content.as_mut()) {
        content.parts = parts;
    }
}

/// Returns why the server failed, if it says so.
fn failure_problem(response: &Response) -> HttpProblem {
    let error = response.error.as_ref().filter(|it| !it.is_null());
    let message = match (error, response.status.as_deref()) {
        (Some(error), _) => plain_line(&message_of(error)),
        (None, Some("cancelled")) => "the server cancelled the answer".to_owned(),
        (None, _) => "it failed without giving a reason".to_owned(),
    };
    HttpProblem::Reported(message)
}

/// Reads a complete response.
pub(crate) fn read_whole(body: &[u8]) -> Result<Chunk, HttpProblem> {
    let data = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_str(&data).map_err(|_| unreadable(ANSWER, &data))?;
    if value["object"] != "response" && value.get("output").is_none() {
        return Err(match value.get("error") {
            Some(error) => HttpProblem::Reported(plain_line(&message_of(error))),
            None => unreadable(ANSWER, &data),
        });
    }
    let mut response: Response =
        serde_json::from_value(value).map_err(|_| unreadable(ANSWER, &data))?;
    let items = std::mem::take(&mut response.output);
    let answering = if items.iter().any(Item::refuses) {
        Answering::Refusing
    } else {
        Answering::Willing
    };
    let parts: Vec<Part> = items.into_iter().filter_map(part_of).collect();
    let mut chunk = last_of(response, answering)?;
    add_parts(&mut chunk, parts);
    Ok(chunk)
}

fn join_texts(texts: &[Text]) -> String {
    let texts = texts.iter();
    texts
        .flat_map(|it| [it.text.as_str(), it.refusal.as_str()])
        .collect()
}

fn part_of(item: Item) -> Option<Part> {
    Some(match item {
        Item::Message { content } => Part::text(join_texts(&content)),
        Item::Reasoning {
            id,
            summary,
            encrypted_content,
        } => Part {
            thought: true,
            thought_signature: encrypted_content
                .map(|it| Signer::OpenAi.sign(&format!("{id}:{it}"))),
            ..Part::text(join_texts(&summary))
        },
        Item::FunctionCall {
            call_id,
            name,
            arguments,
        } => Part::new(PartData::FunctionCall(read_call(
            Some(call_id),
            name,
            &arguments,
        ))),
        Item::Other => return None,
    })
}

/// Builds the chunk that ends a response: the reason, and the token counts.
fn last_of(response: Response, answering: Answering) -> Result<Chunk, HttpProblem> {
    let is_failed = matches!(response.status.as_deref(), Some("failed" | "cancelled"));
    if is_failed || response.error.as_ref().is_some_and(|it| !it.is_null()) {
        return Err(failure_problem(&response));
    }
    let why = response.incomplete_details.and_then(|it| it.reason);
    // What says that it is incomplete is, whatever it gives as the reason.
    let why = why.filter(|why| !Answering::Willing.is_whole(why));
    let word = why.or(response.status);
    let mut chunk = model_chunk(Vec::new());
    if let Some(candidate) = chunk.candidates.first_mut() {
        candidate.finish_reason = word.map(|word| answering.finish_reason(&word));
    }
    chunk.usage_metadata = response.usage.map(Into::into);
    chunk.model_version = response.model;
    Ok(chunk)
}
