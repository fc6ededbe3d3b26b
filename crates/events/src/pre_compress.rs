//! `PreCompress`: fires before every attempt to compress the history (PC-1…2).

use serde::{Deserialize, Serialize};

use crate::advisory::Advisory;
use hookloop_hook::EventName;

/// The event before the history is compressed.
#[derive(Debug, Clone, Copy)]
pub struct PreCompress;

/// Who asked for the compression (PC-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
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

impl Advisory for PreCompress {
    const NAME: EventName = EventName::PreCompress;
    type Input = PreCompressInput;
    const ACTION: &'static str = "the history is compressed";

    fn subject(input: &Self::Input) -> &str {
        input.trigger.as_str()
    }
}
