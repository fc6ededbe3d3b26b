//! A response of Gemini's API.

use crate::chunk::Chunk;
use crate::http::answer::unreadable;
use crate::http::decode::{Decoder, Progress};
use crate::http::failure::{message_of, plain_line};
use crate::http_error::HttpProblem;

/// The expected format of a response, for messages.
const ANSWER: &str = "an answer of Gemini's API";

/// Reads a streamed response. Its events are chunks already.
#[derive(Debug, Default)]
pub(crate) struct GeminiDecoder {
    began: bool,
    finished: bool,
}

impl Decoder for GeminiDecoder {
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem> {
        let chunk = read(data)?;
        self.began = true;
        self.finished |= chunk.finish_reason().is_some();
        Ok(Some(chunk))
    }

    /// Whoever asked judges whether an end without a `finishReason` is one (LO-3).
    fn end(&mut self) -> Result<Option<Chunk>, HttpProblem> {
        if self.began {
            Ok(None)
        } else {
            Err(HttpProblem::Empty)
        }
    }

    fn progress(&self) -> Progress {
        if self.finished {
            Progress::Finished
        } else {
            Progress::Open
        }
    }
}

/// Reads a complete response.
pub(crate) fn read_whole(body: &[u8]) -> Result<Chunk, HttpProblem> {
    read(&String::from_utf8_lossy(body))
}

fn read(data: &str) -> Result<Chunk, HttpProblem> {
    let chunk: Chunk = serde_json::from_str(data).map_err(|_| unreadable(ANSWER, data))?;
    if let Some(error) = chunk.extra.get("error") {
        return Err(HttpProblem::Reported(plain_line(&message_of(error))));
    }
    let feedback = chunk.extra.get("promptFeedback");
    if let Some(reason) = feedback.and_then(|feedback| feedback["blockReason"].as_str()) {
        let message = feedback.and_then(|feedback| feedback["blockReasonMessage"].as_str());
        let text = [Some(reason), message];
        let text: Vec<&str> = text.into_iter().flatten().collect();
        return Err(HttpProblem::PromptRefused(plain_line(&text.join(": "))));
    }
    if chunk.candidates.is_empty()
        && chunk.usage_metadata.is_none()
        && !chunk.extra.contains_key("responseId")
    {
        return Err(unreadable(ANSWER, data));
    }
    Ok(chunk)
}
