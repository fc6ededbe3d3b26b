//! Extensions as JSON (EX-4).

use hookloop_hook::ExtensionScope;
use serde::Serialize;

/// Shows all extensions.
#[derive(Debug, Serialize)]
pub(crate) struct ExtensionsView {
    /// The extensions, the user's first.
    pub(crate) extensions: Vec<ExtensionView>,
}

/// Shows one extension.
#[derive(Debug, Serialize)]
pub(crate) struct ExtensionView {
    /// Its name.
    pub(crate) name: String,
    /// Its version, or an empty text.
    pub(crate) version: String,
    /// Whose folder it is in.
    pub(crate) scope: ExtensionScope,
    /// Its folder.
    pub(crate) path: String,
    /// Whether it is used where it is.
    pub(crate) linked: bool,
    /// Whether it takes part here.
    pub(crate) enabled: bool,
    /// How many hooks it brings.
    pub(crate) hooks: usize,
}

/// Shows what was done to extensions.
#[derive(Debug, Serialize)]
pub(crate) struct ExtensionChangeView {
    /// Whether something is different now.
    pub(crate) changed: bool,
    /// The extensions that it is about.
    pub(crate) names: Vec<String>,
    /// The files and folders that were written.
    pub(crate) files: Vec<String>,
}
