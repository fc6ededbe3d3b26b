//! Reasons for refusals, stops and questions.

use hookloop_hook::quoted;
use std::fmt;

use serde::{Serialize, Serializer};

/// Non-empty text, so that a refusal without a reason can't be created (OUT-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// Trims the text. Returns `None` if no visible character is left.
    pub fn new(text: &str) -> Option<Self> {
        let trimmed = text.trim();
        (!trimmed.is_empty()).then(|| Self(trimmed.to_owned()))
    }

    /// Uses the first text that isn't empty, or else the sentence for a refusal without a reason
    /// (OUT-5).
    pub fn of_refusal<'a>(texts: impl IntoIterator<Item = Option<&'a str>>, hook: &str) -> Self {
        Self::first(texts).unwrap_or_else(|| Self(format!("Blocked by hook {}", quoted(hook))))
    }

    /// Uses the first text that isn't empty, or else the sentence for a stop without a reason
    /// (OUT-3).
    pub fn of_stop<'a>(texts: impl IntoIterator<Item = Option<&'a str>>, hook: &str) -> Self {
        Self::first(texts).unwrap_or_else(|| Self(format!("Stopped by hook {}", quoted(hook))))
    }

    /// Uses the first text that isn't empty, or else the sentence for a question without a reason.
    pub fn of_question<'a>(texts: impl IntoIterator<Item = Option<&'a str>>, hook: &str) -> Self {
        Self::first(texts)
            .unwrap_or_else(|| Self(format!("Hook {} asks for confirmation", quoted(hook))))
    }

    /// Uses the text, or otherwise the words for a missing reason (OUT-5).
    pub(crate) fn or_unsaid(text: &str) -> Self {
        Self::new(text).unwrap_or_else(|| Self("no reason was given".to_owned()))
    }

    /// Joins this reason and a later one with a newline (AG-2).
    #[must_use]
    pub fn and(mut self, later: &Self) -> Self {
        self.0.push('\n');
        self.0.push_str(&later.0);
        self
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn first<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> Option<Self> {
        texts.into_iter().flatten().find_map(Self::new)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// What caused a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A hook decided to refuse.
    Policy,
    /// A hook failed, and its `onFailure` makes that a refusal (IO-21).
    Failure,
}

impl Cause {
    /// Combines the causes of two refusals: a decision takes precedence over a failure.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Failure, Self::Failure) => Self::Failure,
            _ => Self::Policy,
        }
    }
}
