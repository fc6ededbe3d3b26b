//! The layers that settings come from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

/// Names a layer of settings; the order of the variants is the precedence, highest first (ST-1).
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

/// Says what became of a layer's file (`cli-json.md` §3, `layers`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerState {
    /// It was read; single parts of it may have been left out.
    Loaded,
    /// There is no such file.
    Missing,
    /// It is no JSON, or no object: the layer counts as empty (ST-5).
    Invalid,
    /// It exists and can't be read.
    Unreadable,
    /// Its folder is marked `DO_NOT_TRUST`: its hooks are listed, nothing else counts (TR-5).
    Untrusted,
}

/// Describes one file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadedLayer {
    /// The layer.
    pub layer: Layer,
    /// The extension's name, if the layer is one.
    pub extension: Option<Arc<str>>,
    /// The file, absolute, links not resolved.
    #[serde(serialize_with = "crate::source::serialize_path")]
    pub file: Arc<Path>,
    /// What became of it.
    pub state: LayerState,
}
