//! Hooks as JSON (`cli-json.md` §2): every field is always present.

mod explanation;
mod hook;
mod run;

use std::path::PathBuf;

pub use explanation::{ExplanationView, SubjectView, WhyView};
pub use hook::HookView;
pub use run::RunView;

/// Returns paths as text for JSON.
pub(crate) fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}
