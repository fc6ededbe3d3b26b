//! What happened to the files that were looked for.

use std::path::Path;
use std::sync::Arc;

use hookloop_hook::Layer;
use serde::Serialize;

/// Says what happened to a layer's file (`cli-json.md` §3, `layers`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerState {
    /// It was read; single parts of it may have been left out.
    Loaded,
    /// There is no such file.
    Missing,
    /// It isn't JSON, or isn't an object: the layer counts as empty (ST-5).
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
    #[serde(serialize_with = "crate::provided::serialize_path")]
    pub file: Arc<Path>,
    /// What happened to it.
    pub state: LayerState,
}
