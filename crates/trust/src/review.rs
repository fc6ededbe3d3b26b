//! What a person looks at before trusting (TR-4, `hooks review`).

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::named_files::FileState;
use crate::standing::Vouched;
use crate::store::TrustStore;

/// Says how a file compares with what was trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewedState {
    /// It is what was trusted.
    Same,
    /// It changed.
    Changed,
    /// It was not part of what was trusted.
    Added,
    /// It does not exist.
    Missing,
}

/// Describes a file that a hook's command names, for `hooks review`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedFile {
    /// Its path from the project's root.
    pub path: String,
    /// How it compares with what was trusted.
    pub state: ReviewedState,
    /// Its text now; nothing if it is missing or no text.
    pub text: Option<Arc<str>>,
    /// Its text as it was trusted, if it was a text of bearable size.
    pub trusted_text: Option<Arc<str>>,
}

impl TrustStore {
    /// Compares the files of a hook with what was trusted (TR-4); reads nothing anew.
    pub fn review(&self, project_root: &Path, vouched: &Vouched) -> Vec<ReviewedFile> {
        let Some(fingerprint) = &vouched.fingerprint else {
            return Vec::new();
        };
        let earlier = self.earlier_state(project_root, &vouched.hook);
        let review = |file: &crate::named_files::NamedFile| {
            let known = earlier
                .as_ref()
                .and_then(|record| record.files.iter().find(|known| known.path == file.path));
            let state = match (&file.state, known) {
                (FileState::Missing, _) => ReviewedState::Missing,
                (_, None) => ReviewedState::Added,
                (state, Some(known)) if known.sha256 == state.mark() => ReviewedState::Same,
                (_, Some(known)) if known.sha256 == FileState::Missing.mark() => {
                    ReviewedState::Added
                }
                _ => ReviewedState::Changed,
            };
            ReviewedFile {
                path: file.path.clone(),
                state,
                text: file.text.clone(),
                trusted_text: known.and_then(|known| known.text.clone()),
            }
        };
        fingerprint.files.iter().map(review).collect()
    }
}
