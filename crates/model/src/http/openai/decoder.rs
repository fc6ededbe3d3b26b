//! Decodes the events of chat completions to chunks.

use serde_json::Value;

use crate::chunk::{Chunk, Usage};
use crate::http::answer::unreadable;
use crate::http::calls::model_chunk;
use crate::http::decode::{Decoder, Progress, StreamProgress};
use crate::http::ending::Answering;
use crate::http::failure::{message_of, plain_line};
use crate::http::openai::event::{Choice, Event, Message};
use crate::http::openai::tool_calls::ToolCalls;
use crate::http_error::HttpProblem;
use crate::part::{Part, PartData};

/// The expected format of a response, for messages.
const ANSWER: &str = "a chat completion";

/// The end of a stream.
const DONE: &str = "[DONE]";

/// Reads a streamed response. Text is passed on as it arrives; calls are collected until they are
/// complete, and passed on with the end and the token counts.
#[derive(Debug, Default)]
pub(crate) struct OpenAiDecoder {
    calls: ToolCalls,
    /// Why the model ended, in the server's word.
    ending: Option<String>,
    answering: Answering,
    usage: Option<Usage>,
    model: Option<String>,
    said: StreamProgress,
    done: bool,
}

impl Decoder for OpenAiDecoder {
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem> {
        if data.trim() == DONE {
            self.done = true;
            return Ok(None);
        }
        let event = read(data)?;
        self.model = event.model.or(self.model.take());
        self.usage = event.usage.map(Usage::from).or(self.usage.take());
        let text = event
            .choices
            .into_iter()
            .flatten()
            .find(|choice| choice.index.is_none_or(|index| index == 0))
            .map(|choice| self.choice(choice))
            .filter(|text| !text.is_empty());
        if text.is_some() {
            self.said = StreamProgress::Something;
        } else if !self.calls.is_empty() {
            self.said.begin();
        }
        Ok(text.map(|text| model_chunk(vec![Part::text(text)])))
    }

    fn end(&mut self) -> Result<Option<Chunk>, HttpProblem> {
        if self.ending.is_some() {
            Ok(Some(self.last_chunk()))
        } else {
            // `[DONE]` means that the stream is finished, but not that the model is.
            self.said.cut()
        }
    }

    fn progress(&self) -> Progress {
        match self {
            Self { done: true, .. } => Progress::Closed,
            Self {
                ending: Some(_), ..
            } => Progress::Finished,
            Self { .. } => Progress::Open,
        }
    }
}

impl OpenAiDecoder {
    /// Processes a choice, and returns its text.
    fn choice(&mut self, choice: Choice) -> String {
        let reason = choice.finish_reason.filter(|reason| !reason.is_empty());
        self.ending = reason.or(self.ending.take());
        let Some(mut message) = choice.delta.or(choice.message) else {
            return String::new();
        };
        for call in message.tool_calls.take().into_iter().flatten() {
            self.calls.add(call);
        }
        if message.refuses() {
            self.answering.refuse();
        }
        Message::text(&message)
    }

    /// Builds the chunk that ends the response.
    fn last_chunk(&mut self) -> Chunk {
        let calls = self.calls.finish();
        let parts = calls.map(PartData::FunctionCall).map(Part::new).collect();
        let mut chunk = model_chunk(parts);
        if let Some(candidate) = chunk.candidates.first_mut() {
            let ending = self.ending.take();
            candidate.finish_reason = ending.map(|word| self.answering.finish_reason(&word));
        }
        chunk.usage_metadata = self.usage.take();
        chunk.model_version = self.model.take();
        chunk
    }
}

/// Reads a complete response.
pub(crate) fn read_whole(body: &[u8]) -> Result<Chunk, HttpProblem> {
    let data = String::from_utf8_lossy(body);
    let mut decoder = OpenAiDecoder::default();
    let said = decoder.event(&data)?;
    if said.is_none() && decoder.ending.is_none() && decoder.calls.is_empty() {
        return Err(HttpProblem::Empty);
    }
    let mut chunk = decoder.last_chunk();
    let text = said.and_then(|said| said.candidates.into_iter().next()?.content);
    if let (Some(text), Some(content)) = (
        text,
        chunk
            .candidates
            .first_mut()
            .and_then(|candidate| candidate.content.as_mut()),
    ) {
        content.parts.splice(0..0, text.parts);
    }
    Ok(chunk)
}

fn read(data: &str) -> Result<Event, HttpProblem> {
    let event: Event = serde_json::from_str(data).map_err(|_| unreadable(ANSWER, data))?;
    if let Some(error) = &event.error {
        return Err(HttpProblem::Reported(plain_line(&message_of(error))));
    }
    if event.choices.is_none() && event.usage.is_none() {
        // Some servers send a bare error: `{"object":"error","message":"…"}`.
        if let Some(message) = event.message.as_ref().and_then(Value::as_str) {
            return Err(HttpProblem::Reported(plain_line(message)));
        }
        return Err(unreadable(ANSWER, data));
    }
    Ok(event)
}
