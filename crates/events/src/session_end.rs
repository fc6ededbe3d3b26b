//! `SessionEnd`: fires at exit and before `/clear` (SE-1…3).

use serde::{Deserialize, Serialize};

use crate::event::{Attributed, Event, Merged, Summary, sealed::Sealed};
use crate::name::EventName;
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};

/// The event when a session ends.
#[derive(Debug, Clone, Copy)]
pub struct SessionEnd;

/// Why a session ends (SE-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The user left, or the headless turn is over.
    Exit,
    /// `/clear`.
    Clear,
    /// The user logged out.
    Logout,
    /// Ctrl-D at the prompt.
    PromptInputExit,
    /// A signal, the turn limit, a fatal error.
    Other,
}

impl EndReason {
    /// Returns the word in the payload.
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

/// What a `SessionEnd` hook may say beside a message for the user: nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEndAnswer;

impl Sealed for SessionEnd {}

impl Event for SessionEnd {
    const NAME: EventName = EventName::SessionEnd;
    type Input = SessionEndInput;
    type Answer = SessionEndAnswer;
    /// Nothing to apply.
    type Outcome = ();

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(input.reason.as_str())
    }

    fn decode(_reply: &Reply, _hook: &str) -> Result<Self::Answer, Malformed> {
        Ok(SessionEndAnswer)
    }

    fn refusal(_reason: Reason, _cause: Cause) -> Option<Self::Answer> {
        None
    }

    fn merge(
        _input: &Self::Input,
        _answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let summary = Summary::of_proceeding("the session ends");
        Merged {
            outcome: (),
            summary,
            conflicts: Vec::new(),
        }
    }
}
