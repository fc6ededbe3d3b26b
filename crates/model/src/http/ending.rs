//! Why a model ended: one rule for the words of every service (LO-3).

use crate::http::failure::plain_line;

/// The model said everything.
const STOP: &str = "STOP";

/// The model reached its limit.
pub(crate) const MAX_TOKENS: &str = "MAX_TOKENS";

/// The model, or a filter, refused to say more.
const SAFETY: &str = "SAFETY";

/// Whether the model announced that it wouldn't answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Answering {
    /// It answers.
    #[default]
    Willing,
    /// It refuses, which some services report as the reason to end and others separately.
    Refusing,
}

impl Answering {
    /// Records that the model refuses.
    pub(crate) const fn refuse(&mut self) {
        *self = Self::Refusing;
    }

    /// Returns whether a word means that the model said everything.
    pub(crate) fn is_whole(self, word: &str) -> bool {
        self.finish_reason(word) == STOP
    }

    /// Translates a service's word for why its model ended to that of Gemini's API. An unknown word
    /// stays as it is: it ends the turn as half a response, and users look it up as their service
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
