//! The state of the settings files.

use std::path::Path;
use std::sync::Arc;

use hookloop_hook::Layer;
use serde::Serialize;

/// The state of a layer's file (`cli-json.md` §3, `layers`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerState {
    /// It was read. Parts of it may have been left out.
    Loaded,
    /// It doesn't exist.
    Missing,
    /// It isn't JSON, or isn't an object: the layer counts as empty (ST-5).
    Invalid,
    /// It exists and can't be read.
    Unreadable,
    /// Its folder is marked `DO_NOT_TRUST`: its hooks are listed, and nothing else counts (TR-5).
    Untrusted,
}

/// A settings file and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoadedLayer {
    /// The layer.
    pub layer: Layer,
    /// The name of the extension, if the layer is one.
    pub extension: Option<Arc<str>>,
    /// The absolute path, with links not resolved.
    #[serde(serialize_with = "crate::provided::serialize_path")]
    pub file: Arc<Path>,
    /// Its state.
    pub state: LayerState,
}
