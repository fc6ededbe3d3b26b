//! What a command changed, as JSON (CM-2, TR-4).

use hookloop_hook::Source;
use serde::Serialize;

/// Shows what was changed.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ChangeView {
    /// Whether something is different now.
    pub(crate) changed: bool,
    /// The files that were written.
    pub(crate) files: Vec<String>,
    /// The hooks that it is about.
    pub(crate) labels: Vec<String>,
    /// What keeps hooks disabled all the same; said by `enable` alone.
    pub(crate) still_disabled_by: Vec<Source>,
}
