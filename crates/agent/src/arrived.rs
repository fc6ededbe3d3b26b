//! What a request is for, and what a model sent, before hooks changed it: responses are judged by
//! that (LO-3).

use std::fmt;

use hookloop_model::{Chunk, ModelError, PartData, Usage};

/// The word with which a model ends a complete response.
pub(crate) const ORDINARY_END: &str = "STOP";

/// The word with which it reports that it tried to call a tool, and failed to write the call.
const UNREADABLE_CALL: [&str; 2] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];

/// What a model sent so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Arrived {
    /// The token counts so far: those of a later chunk include those of the earlier ones.
    pub(crate) usage: Option<Usage>,
    pub(crate) finish_reason: Option<String>,
    /// Why the service didn't let the model answer, if it says so.
    block_reason: Option<String>,
    /// The text as the model said it.
    pub(crate) text: String,
    calls: usize,
    /// Whether it contains something that isn't text, such as an image.
    media: bool,
    thoughts: bool,
    /// How the connection broke in the middle of it, if it did.
    broken: Option<String>,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To continue with the conversation.
    Conversation,
    /// To summarise it.
    Compression,
    /// To answer a tool from the web.
    Web,
}

impl Purpose {
    /// Returns the word for it, for records.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Compression => "compression",
            Self::Web => "web",
        }
    }
}

/// A request that was sent, and its result.
pub(crate) struct Sent {
    pub(crate) model: String,
    pub(crate) arrived: Arrived,
}

/// Why a turn can't continue with a response (LO-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// It broke off; with the error of the connection, if there was one.
    Cut(Option<String>),
    /// The model thought, and said nothing.
    ThoughtsOnly,
    /// There is nothing in it.
    Empty(Option<String>),
    /// The model couldn't write down the tool call that it wanted.
    UnreadableCall(String),
}

impl Arrived {
    /// Records what a chunk contains.
    pub(crate) fn note(&mut self, chunk: &Chunk) {
        if let Some(usage) = &chunk.usage_metadata {
            self.usage = Some(usage.clone());
        }
        if let Some(reason) = chunk.finish_reason() {
            self.finish_reason = Some(reason.to_owned());
        }
        let blocked = chunk.extra.get("promptFeedback");
        let blocked = blocked.and_then(|feedback| feedback.get("blockReason")?.as_str());
        if let Some(reason) = blocked {
            self.block_reason = Some(reason.to_owned());
        }
        let parts = chunk.content().map(|content| content.parts.as_slice());
        for part in parts.unwrap_or_default() {
            match &part.data {
                PartData::FunctionCall(_) => self.calls += 1,
                PartData::Text(_) if part.thought => self.thoughts = true,
                PartData::Text(text) => self.text.push_str(text),
                PartData::InlineData(_) | PartData::FileData(_) | PartData::Other => {
                    self.media = true;
                }
                PartData::FunctionResponse(_) => {}
            }
        }
    }

    /// Records that the connection broke: a response that had already ended is complete.
    pub(crate) fn note_break(&mut self, error: &ModelError) {
        if self.finish_reason.is_none() {
            self.broken = Some(error.to_string());
        }
    }

    /// Judges the response as a whole; most have no flaw.
    pub(crate) fn flaw(&self) -> Option<Flaw> {
        let says_something = self.calls > 0 || self.media || !self.text.trim().is_empty();
        match self.finish_reason.as_deref() {
            Some(reason) if UNREADABLE_CALL.contains(&reason) => {
                Some(Flaw::UnreadableCall(reason.to_owned()))
            }
            None if self.block_reason.is_some() => Some(Flaw::Empty(self.block_reason.clone())),
            None if says_something || self.thoughts || self.broken.is_some() => {
                Some(Flaw::Cut(self.broken.clone()))
            }
            _ if says_something => None,
            _ if self.thoughts => Some(Flaw::ThoughtsOnly),
            reason => {
                let reason = reason.filter(|reason| *reason != ORDINARY_END);
                Some(Flaw::Empty(reason.map(str::to_owned)))
            }
        }
    }

    /// Returns why the model ended, if something else ended it.
    pub(crate) fn early_end(&self) -> Option<&str> {
        let reason = self.finish_reason.as_deref();
        reason.filter(|reason| *reason != ORDINARY_END)
    }
}

impl Flaw {
    /// Returns whether the answer broke off.
    pub(crate) const fn is_cut(&self) -> bool {
        matches!(self, Self::Cut(_))
    }

    /// Returns the word for it in telemetry, as in Gemini CLI's (TE-4).
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Cut(_) => "NO_FINISH_REASON",
            Self::ThoughtsOnly | Self::Empty(_) => "NO_RESPONSE_TEXT",
            Self::UnreadableCall(_) => "MALFORMED_FUNCTION_CALL",
        }
    }
}

impl fmt::Display for Flaw {
    /// Writes it so that it continues a sentence after "the model's answer".
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut(None) => formatter.write_str("was cut off (it has no finish reason)"),
            Self::Cut(Some(why)) => write!(formatter, "was cut off ({why})"),
            Self::ThoughtsOnly => formatter.write_str("contained only thoughts"),
            Self::Empty(None) => formatter.write_str("was empty"),
            Self::Empty(Some(reason)) => write!(formatter, "was empty ({reason})"),
            Self::UnreadableCall(reason) => {
                write!(
                    formatter,
                    "contained a tool call that can't be read ({reason})"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests;
