//! The layers that settings come from.

use std::fmt;

use serde::Serialize;

/// Names a layer of settings; the order of the variants is the precedence, highest first (ST-1).
///
/// It is exhaustive on purpose: code that trusts one layer more than another must handle every layer.
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
    /// Returns the layer's name as listings spell it.
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
