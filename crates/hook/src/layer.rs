//! The layers that settings come from.

use std::fmt;

use serde::Serialize;

/// A layer of settings. The variants are in order of precedence, highest first (ST-1).
///
/// Deliberately exhaustive: code that trusts one layer more than another must handle every layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// `.gemini/settings.json` in the project root.
    Project,
    /// `~/.gemini/settings.json`.
    User,
    /// The administrator's file.
    System,
    /// `hooks/hooks.json` of an extension (EX-1).
    Extension,
}

impl Layer {
    /// Returns the layer's name in listings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::System => "system",
            Self::Extension => "extension",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
