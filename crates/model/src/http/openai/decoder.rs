//! From the events of chat completions to chunks.

use serde_json::Value;

use crate::chunk::{Chunk, Usage};
use crate::http::answer::unreadable;
use crate::http::calls::model_chunk;
use crate::http::decode::{Decoder, Progress, StreamProgress};
use crate::http::failure::{message_of, plain_line};
use crate::http::openai::event::{Choice, Event, Message};
use crate::http::openai::tool_calls::ToolCalls;
use crate::http_error::HttpProblem;
use crate::part::{Part, PartData};

/// What one expects of an answer, in messages.
const ANSWER: &str = "a chat completion";

/// What ends a stream.
const DONE: &str = "[DONE]";

/// Reads a streamed answer. Text continues as it comes; calls wait until they are complete, and
/// go out with the end and the token counts.
#[derive(Debug, Default)]
pub(crate) struct OpenAiDecoder {
    calls: ToolCalls,
    finish_reason: Option<&'static str>,
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
        let is_over =
            self.finish_reason.is_some() || self.done && self.said != StreamProgress::Nothing;
        if !is_over {
            return self.said.cut();
        }
        Ok(Some(self.last_chunk()))
    }

    fn progress(&self) -> Progress {
        match self {
            Self { done: true, .. } => Progress::Closed,
            Self {
                finish_reason: Some(_),
                ..
            } => Progress::Finished,
            Self { .. } => Progress::Open,
        }
    }
}

impl OpenAiDecoder {
    /// Takes what a choice says, and returns its text.
    fn choice(&mut self, choice: Choice) -> String {
        let reason = choice.finish_reason.filter(|reason| !reason.is_empty());
        if let Some(reason) = reason {
            self.finish_reason = Some(finish_reason(&reason));
        }
        let Some(mut message) = choice.delta.or(choice.message) else {
            return String::new();
        };
        for call in message.tool_calls.take().into_iter().flatten() {
            self.calls.add(call);
        }
        Message::text(&message)
    }

    /// Builds the chunk that ends the answer.
    fn last_chunk(&mut self) -> Chunk {
        let calls = self.calls.finish();
        let parts = calls.map(PartData::FunctionCall).map(Part::new).collect();
        let mut chunk = model_chunk(parts);
        if let Some(candidate) = chunk.candidates.first_mut() {
            candidate.finish_reason = Some(self.finish_reason.unwrap_or("STOP").to_owned());
        }
        chunk.usage_metadata = self.usage.take();
        chunk.model_version = self.model.take();
        chunk
    }
}

/// Reads a whole answer.
pub(crate) fn read_whole(body: &[u8]) -> Result<Chunk, HttpProblem> {
    let data = String::from_utf8_lossy(body);
    let mut decoder = OpenAiDecoder::default();
    let said = decoder.event(&data)?;
    // The response is complete, whether or not it gives a finish reason.
    decoder.done = true;
    if said.is_none() && decoder.finish_reason.is_none() && decoder.calls.is_empty() {
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

/// Returns the reason as Gemini's API words it; servers that are compatible have words of their own.
fn finish_reason(reason: &str) -> &'static str {
    match reason {
        "stop" | "tool_calls" | "function_call" | "eos" | "eos_token" | "stop_sequence"
        | "end_turn" | "complete" | "completed" => "STOP",
        "length" | "model_length" | "max_tokens" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        _ => "OTHER",
    }
}
