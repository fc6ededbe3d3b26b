//! Files that can't be read and may hold a guard (ST-5).

use hookloop_hook::{ExtensionScope, Layer, Problem};

/// A settings file, or the hooks of an extension, that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenFile {
    /// The layer that it is of.
    pub layer: Layer,
    /// Whose folder its extension was found in, if it is one's.
    pub scope: Option<ExtensionScope>,
    /// What is wrong, where, and the remedy.
    pub problem: Problem,
}
