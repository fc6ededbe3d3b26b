//! `SessionEnd`: fires at exit and before `/clear` (SE-1…3).

use serde::{Deserialize, Serialize};

use crate::advisory::Advisory;
use hookloop_hook::EventName;

/// A session ends.
#[derive(Debug, Clone, Copy)]
pub struct SessionEnd;

/// Why a session ends (SE-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The user left, or the headless turn is over.
    Exit,
    /// `/clear`.
    Clear,
    /// The user logged out.
    Logout,
    /// Ctrl+D at the prompt.
    PromptInputExit,
    /// A signal, the turn limit, a fatal error.
    Other,
}

impl EndReason {
    /// Returns the word, as in payloads.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Clear => "clear",
            Self::Logout => "logout",
            Self::PromptInputExit => "prompt_input_exit",
            Self::Other => "other",
        }
    }
}

/// What a `SessionEnd` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEndInput {
    /// Why the session ends.
    pub reason: EndReason,
}

impl Advisory for SessionEnd {
    const NAME: EventName = EventName::SessionEnd;
    type Input = SessionEndInput;
    const ACTION: &'static str = "the session ends";

    fn subject(input: &Self::Input) -> &str {
        input.reason.as_str()
    }
}
