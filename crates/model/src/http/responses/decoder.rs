//! From the events of `OpenAI`'s responses to chunks.

use serde_json::Value;

use crate::chunk::Chunk;
use crate::http::answer::unreadable;
use crate::http::calls::{model_chunk, read_call};
use crate::http::decode::{Decoder, Framing, Progress};
use crate::http::failure::{message_of, plain_line};
use crate::http::responses::event::{Event, Item, Response, Text};
use crate::http::signature::Signer;
use crate::http_error::HttpProblem;
use crate::part::{Part, PartData};

/// What one expects of an answer, in messages.
const ANSWER: &str = "an answer of OpenAI's responses";

/// What some servers end a stream with.
const DONE: &str = "[DONE]";

/// Reads a streamed answer. Text goes on as it comes; thoughts and calls go on when they are whole.
#[derive(Debug, Default)]
pub(crate) struct ResponsesDecoder {
    began: bool,
    ended: bool,
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem> {
        if data.trim() == DONE {
            return Ok(None);
        }
        let event: Event = serde_json::from_str(data).map_err(|_| unreadable(ANSWER, data))?;
        let part = match event {
            Event::Text { delta } => Some(Part::text(delta)),
            // The text of a message came already.
            Event::Done { item } => part_of(item).filter(|it| it.visible_text().is_none()),
            Event::Ended { response } => {
                let chunk = last_of(response)?;
                self.ended = true;
                return Ok(Some(chunk));
            }
            Event::Error(error) => {
                return Err(HttpProblem::Reported(plain_line(&message_of(&error))));
            }
            Event::Other => None,
        };
        let part = part.filter(|part| part.visible_text() != Some(""));
        self.began |= part.is_some();
        Ok(part.map(|part| model_chunk(vec![part])))
    }

    fn end(&mut self, _framing: Framing) -> Result<Option<Chunk>, HttpProblem> {
        match (self.ended, self.began) {
            (true, _) => Ok(None),
            (false, true) => Err(HttpProblem::CutOff(
                "the stream ended before the model did".to_owned(),
            )),
            (false, false) => Err(HttpProblem::Empty),
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

/// Reads a whole answer.
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
    let parts: Vec<Part> = items.into_iter().filter_map(part_of).collect();
    let mut chunk = last_of(response)?;
    if let Some(candidate) = chunk.candidates.first_mut()
        && let Some(content) = &mut candidate.content
    {
        content.parts = parts;
    }
    Ok(chunk)
}

fn part_of(item: Item) -> Option<Part> {
    let joined = |texts: Vec<Text>| texts.into_iter().map(|it| it.text).collect::<String>();
    Some(match item {
        Item::Message { content } => Part::text(joined(content)),
        Item::Reasoning {
            id,
            summary,
            encrypted_content,
        } => Part {
            thought: true,
            thought_signature: encrypted_content
                .map(|it| Signer::OpenAi.sign(&format!("{id}:{it}"))),
            ..Part::text(joined(summary))
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

/// Builds the chunk that ends an answer: why, and what it cost.
fn last_of(response: Response) -> Result<Chunk, HttpProblem> {
    if let Some(error) = response.error.filter(|it| !it.is_null()) {
        return Err(HttpProblem::Reported(plain_line(&message_of(&error))));
    }
    let why = response.incomplete_details.and_then(|it| it.reason);
    let reason = match (response.status.as_deref(), why.as_deref()) {
        (_, Some("max_output_tokens")) => "MAX_TOKENS",
        (_, Some("content_filter")) => "SAFETY",
        (None | Some("completed"), _) => "STOP",
        _ => "OTHER",
    };
    let mut chunk = model_chunk(Vec::new());
    if let Some(candidate) = chunk.candidates.first_mut() {
        candidate.finish_reason = Some(reason.to_owned());
    }
    chunk.usage_metadata = response.usage.map(Into::into);
    chunk.model_version = response.model;
    Ok(chunk)
}
