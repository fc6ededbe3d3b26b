//! Values with the place that sets them.

use std::path::Path;
use std::sync::Arc;

use hookloop_hook::{Layer, Source};
use serde::Serializer;

/// A value with the place that sets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provided<T> {
    /// The value.
    pub value: T,
    /// The place; `None` for a default.
    pub source: Option<Source>,
}

impl<T> Provided<T> {
    /// Creates a default.
    pub const fn default_of(value: T) -> Self {
        Self {
            value,
            source: None,
        }
    }

    /// Returns the place as the prefix of a message; empty for a default.
    pub fn place(&self) -> String {
        let source = self.source.as_ref();
        source.map(|it| format!("{it}: ")).unwrap_or_default()
    }

    /// Returns the layer that set the value.
    pub fn layer(&self) -> Option<Layer> {
        self.source.as_ref().and_then(|source| source.layer)
    }
}

/// Writes a path, also one that isn't Unicode.
pub(crate) fn serialize_path<S: Serializer>(
    path: &Arc<Path>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}
