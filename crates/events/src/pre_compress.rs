//! `PreCompress`: fires before every attempt to compress the history (PC-1…3).

use serde::{Deserialize, Serialize};

use crate::event::{Attributed, Event, Merged, Summary, combined_ruling, sealed::Sealed};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// The history is about to be compressed.
#[derive(Debug, Clone, Copy)]
pub struct PreCompress;

/// What requested the compression (PC-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CompressTrigger {
    /// The history exceeds the threshold.
    Auto,
    /// The user.
    Manual,
}

impl CompressTrigger {
    /// Returns the word, as in payloads.
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
    /// What requested it.
    pub trigger: CompressTrigger,
}

/// The answer of a `PreCompress` hook. Only hooks of other agents that can refuse there decide
/// anything (PC-2, PC-3).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PreCompressAnswer {
    /// Whether the history may be compressed.
    pub ruling: Ruling,
}

/// What the host must do about the history.
#[derive(Debug, Clone, PartialEq)]
pub enum PreCompressOutcome {
    /// Compress it.
    Proceed,
    /// Keep the history, and continue (PC-3).
    Refuse(Reason),
    /// Keep the history, and end the agent loop (OUT-3).
    Stop(Reason),
}

impl Sealed for PreCompress {}

impl Event for PreCompress {
    const NAME: EventName = EventName::PreCompress;
    const OWN_FIELDS: &'static [&'static str] = &[];
    type Input = PreCompressInput;
    type Answer = PreCompressAnswer;
    type Outcome = PreCompressOutcome;

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(input.trigger.as_str())
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        Ok(PreCompressAnswer {
            ruling: reply.ruling_without_ask(hook),
        })
    }

    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer> {
        Some(PreCompressAnswer {
            ruling: Ruling::Deny(reason, cause),
        })
    }

    fn advice_alone(_answer: Self::Answer) -> Self::Answer {
        PreCompressAnswer::default()
    }

    fn merge(
        _input: &Self::Input,
        answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let ruling = combined_ruling::<Self>(&answers, |answer| &answer.ruling);
        let action = match &ruling {
            Ruling::Stop(_) => "the history stays as it is, and the agent loop ends",
            Ruling::Deny(..) | Ruling::Ask(_) => "the history stays as it is",
            Ruling::Silent | Ruling::Allow(_) => "the history is compressed",
        };
        let summary = Summary::of_ruling(&ruling, action);
        let outcome = match ruling {
            Ruling::Stop(reason) => PreCompressOutcome::Stop(reason),
            Ruling::Deny(reason, _) | Ruling::Ask(reason) => PreCompressOutcome::Refuse(reason),
            Ruling::Silent | Ruling::Allow(_) => PreCompressOutcome::Proceed,
        };
        Merged {
            outcome,
            summary,
            conflicts: Vec::new(),
        }
    }
}
