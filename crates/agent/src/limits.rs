//! The bounds of a turn, and what is shown before its hooks have spoken.

use hookloop_model::window_tokens;

/// The bounds of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often the model is asked in a turn at most (LO-3).
    pub model_calls: u32,
    /// How often `AfterAgent` hooks may force a retry in a turn (AA-2).
    pub retries: u32,
    /// How many tools a chain of tail calls may have after the first (AT-3).
    pub tail_calls: u32,
    /// How often the model is asked again for an answer that was none (LO-3).
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

/// What happens to the output of a running tool before its `AfterTool` hooks have spoken (AT-1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LiveOutput {
    /// It is shown as it comes, and taken back if the result is withheld.
    #[default]
    Shown,
    /// It is held: the user sees how many lines there are (`hooksConfig.liveOutput: "hold"`).
    Held,
}

/// Above which size the history is compressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CompressionThreshold {
    /// A share of the model's window, from 0 to 1 (`model.compressionThreshold`).
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
    /// Returns the threshold for a model, in tokens.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a window of millions of tokens is far below the precision of the product, \
                  and a share is clamped to 0…1"
    )]
    pub(crate) fn tokens(self, model: &str) -> u64 {
        match self {
            Self::Tokens(tokens) => tokens,
            Self::ShareOfWindow(share) => {
                (window_tokens(model) as f64 * share.clamp(0.0, 1.0)) as u64
            }
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
