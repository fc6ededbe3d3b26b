//! `PreCompress`: fires before every attempt to compress the history (PC-1…2).

use serde::{Deserialize, Serialize};

use crate::event::{Attributed, Event, Merged, Summary, sealed::Sealed};
use crate::name::EventName;
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};

/// The event before the history is compressed.
#[derive(Debug, Clone, Copy)]
pub struct PreCompress;

/// Who asked for the compression (PC-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompressTrigger {
    /// The history is over the threshold.
    Auto,
    /// The user.
    Manual,
}

impl CompressTrigger {
    /// Returns the word in the payload.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Manual => "manual",
        }
    }
}

/// What a `PreCompress` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreCompressInput {
    /// Who asked for it.
    pub trigger: CompressTrigger,
}

/// What a `PreCompress` hook may say beside a message for the user: nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct PreCompressAnswer;

impl Sealed for PreCompress {}

impl Event for PreCompress {
    const NAME: EventName = EventName::PreCompress;
    type Input = PreCompressInput;
    type Answer = PreCompressAnswer;
    /// Nothing to apply.
    type Outcome = ();

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(input.trigger.as_str())
    }

    fn decode(_reply: &Reply, _hook: &str) -> Result<Self::Answer, Malformed> {
        Ok(PreCompressAnswer)
    }

    fn refusal(_reason: Reason, _cause: Cause) -> Option<Self::Answer> {
        None
    }

    fn merge(
        _input: &Self::Input,
        _answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let summary = Summary::of_proceeding("the history is compressed");
        Merged {
            outcome: (),
            summary,
            conflicts: Vec::new(),
        }
    }
}
