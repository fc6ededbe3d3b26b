//! The limits of a turn, and whether output is shown before its hooks have answered.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of model calls in a turn, with those of its sub-agents (LO-3).
    pub model_calls: u32,
    /// The maximum number of retries that `AfterAgent` hooks may force in a turn (AA-2).
    pub retries: u32,
    /// The maximum number of tail calls after the first tool (AT-3).
    pub tail_calls: u32,
    /// The maximum number of repeated calls after an unusable response (LO-3).
    pub repeats: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            model_calls: 100,
            retries: 20,
            tail_calls: 8,
            repeats: 3,
        }
    }
}

/// How often the model was called in a turn, including the calls of its sub-agents: they share one
/// count, so that no number of delegations gets around the limit (LO-3).
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelCallCount(Arc<AtomicU32>);

impl ModelCallCount {
    /// Counts a call, unless as many as `limit` were counted already.
    pub(crate) fn count_within(&self, limit: u32) -> bool {
        let next = |count: u32| (count < limit).then(|| count + 1);
        let counted = self.0.fetch_update(Relaxed, Relaxed, next);
        counted.is_ok()
    }
}

/// What happens to the output of a running tool before its `AfterTool` hooks have answered (AT-1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LiveOutput {
    /// It is shown at once, and removed if the result is withheld.
    #[default]
    Shown,
    /// It is held back: the user sees the number of lines (`hooksConfig.liveOutput: "hold"`).
    Held,
}

/// The size above which the history is compressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CompressionThreshold {
    /// A share of the model's context window, from 0 to 1 (`model.compressionThreshold`).
    ShareOfWindow(f64),
    /// A number of tokens (`contextCompression.targetTokenCount`).
    Tokens(u64),
}

impl Default for CompressionThreshold {
    fn default() -> Self {
        Self::ShareOfWindow(0.5)
    }
}

impl CompressionThreshold {
    /// Returns the threshold for a context window, in tokens.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a window of millions of tokens is far below the precision of the product, \
                  and a share is clamped to 0…1"
    )]
    pub(crate) fn tokens(self, window: u64) -> u64 {
        match self {
            Self::Tokens(tokens) => tokens,
            Self::ShareOfWindow(share) => (window as f64 * share.clamp(0.0, 1.0)) as u64,
        }
    }

    /// Returns the setting that the threshold comes from.
    pub(crate) const fn setting(self) -> &'static str {
        match self {
            Self::ShareOfWindow(_) => "model.compressionThreshold",
            Self::Tokens(_) => "contextCompression.targetTokenCount",
        }
    }
}
