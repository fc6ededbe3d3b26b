//! What a person reads before trusting, as JSON (TR-4).

use std::path::Path;

use hookloop_trust::{ChangeKind, ReviewedFile, ReviewedState};
use serde::Serialize;

use super::{ReviewedHook, unified_diff};
use crate::view::HookView;

/// The reviewed hooks with the files that they run, as JSON.
#[derive(Debug, Serialize)]
pub struct ReviewView<'a> {
    hooks: Vec<HookBeforeTrust<'a>>,
}

#[derive(Debug, Serialize)]
struct HookBeforeTrust<'a> {
    #[serde(flatten)]
    hook: HookView<'a>,
    files: Vec<FileView<'a>>,
    changes: &'a [ChangeKind],
}

#[derive(Debug, Serialize)]
struct FileView<'a> {
    path: String,
    state: ReviewedState,
    content: Option<&'a str>,
    diff: Option<String>,
}

impl<'a> ReviewView<'a> {
    /// Creates the view; paths become absolute.
    pub fn new(root: &Path, reviewed: &'a [ReviewedHook]) -> Self {
        let file = |file: &'a ReviewedFile| FileView {
            path: root.join(&file.path).to_string_lossy().into_owned(),
            state: file.state,
            content: file.text.as_deref(),
            diff: unified_diff(file),
        };
        let hook = |it: &'a ReviewedHook| HookBeforeTrust {
            hook: HookView::new(&it.status, None),
            files: it.files.iter().map(file).collect(),
            changes: &it.changes,
        };
        Self {
            hooks: reviewed.iter().map(hook).collect(),
        }
    }
}
