//! Why a model ended: one rule for the words of every service (LO-3).

use crate::http::failure::plain_line;

/// The model said everything.
const STOP: &str = "STOP";

/// The model may say no more.
pub(crate) const MAX_TOKENS: &str = "MAX_TOKENS";

/// The model, or who watches over it, would not say more.
const SAFETY: &str = "SAFETY";

/// Whether the model said that it would not answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Answering {
    /// It answers.
    #[default]
    Willing,
    /// It refuses, which one service reports as the reason to end and others beside it.
    Refusing,
}

impl Answering {
    /// Notes that the model refuses.
    pub(crate) const fn refuse(&mut self) {
        *self = Self::Refusing;
    }

    /// Returns whether a word says that the model said everything.
    pub(crate) fn is_whole(self, word: &str) -> bool {
        self.finish_reason(word) == STOP
    }

    /// Translates a service's word for why its model ended to that of Gemini's API. A word that isn't
    /// known stays as it is: it ends the turn as half an answer, and users look it up as their service
    /// wrote it.
    pub(crate) fn finish_reason(self, word: &str) -> String {
        let known = match word.trim().to_ascii_lowercase().as_str() {
            "stop" | "tool_calls" | "function_call" | "tool_use" | "eos" | "eos_token"
            | "stop_sequence" | "end_turn" | "complete" | "completed" => match self {
                Self::Willing => STOP,
                Self::Refusing => SAFETY,
            },
            "length"
            | "model_length"
            | "max_tokens"
            | "max_output_tokens"
            | "model_context_window_exceeded" => MAX_TOKENS,
            "content_filter" | "refusal" => SAFETY,
            _ => return plain_line(word.trim()),
        };
        known.to_owned()
    }
}
