//! What was created, as JSON (CM-8).

use serde::Serialize;

/// Shows what `new` created.
#[derive(Debug, Serialize)]
pub(crate) struct CreatedView<'a> {
    /// The files, the settings file last.
    pub(crate) files: Vec<String>,
    /// The sample payload.
    pub(crate) payload: String,
    /// The hook's name.
    pub(crate) label: &'a str,
}
