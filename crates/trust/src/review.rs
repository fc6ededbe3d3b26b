//! What a person reviews before trusting a hook (TR-4, `hooks review`).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::named_file::{FileState, NamedFile, NamedPart};
use crate::record::TrustRecord;
use crate::standing::Vouched;
use crate::store::TrustStore;

/// How a file compares with what was trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReviewedState {
    /// It is unchanged.
    Same,
    /// It changed.
    Changed,
    /// It wasn't part of what was trusted.
    Added,
    /// It doesn't exist.
    Missing,
}

/// A file that a hook's command names, for `hooks review`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedFile {
    /// Its path from the project's root.
    pub path: String,
    /// How it compares with what was trusted.
    pub state: ReviewedState,
    /// Its current text, or the part that counts if people edit the rest. `None` if the file is
    /// missing or isn't text.
    pub text: Option<Arc<str>>,
    /// Its text when it was trusted, unless it was too large or wasn't text.
    pub trusted_text: Option<Arc<str>>,
}

/// Compares the files of many hooks of one project with what was trusted (TR-4).
#[derive(Debug)]
pub struct Reviewer {
    records: Vec<TrustRecord>,
    /// Where the record of each fingerprint is.
    places: HashMap<String, usize>,
}

impl TrustStore {
    /// Creates a reviewer for the hooks of a project (TR-4).
    pub fn reviewer(&self, project_root: &Path) -> Reviewer {
        let records = self.records(project_root);
        let places = records
            .iter()
            .enumerate()
            .map(|(place, record)| (record.fingerprint.clone(), place))
            .collect();
        Reviewer { records, places }
    }
}

impl Reviewer {
    /// Compares the files of a hook with what was trusted. Doesn't read them again.
    pub fn files(&self, vouched: &Vouched) -> Vec<ReviewedFile> {
        let Some(fingerprint) = &vouched.fingerprint else {
            return Vec::new();
        };
        let trusted = self.places.get(&fingerprint.digest);
        let recorded = || self.places.get(vouched.recorded.as_ref()?);
        let earlier = trusted.or_else(recorded);
        let earlier = earlier.map(|place| &self.records[*place]);
        let files = fingerprint.files.iter();
        let files = files.map(|file| review(file, earlier));
        let parts = fingerprint.parts.iter();
        files
            .chain(parts.map(|part| review_part(part, earlier)))
            .collect()
    }
}

fn review_part(part: &NamedPart, earlier: Option<&TrustRecord>) -> ReviewedFile {
    let known = earlier.and_then(|record| {
        let mut parts = record.parts.iter();
        parts.find(|known| known.path == part.path && known.part == part.part)
    });
    let state = match known {
        None => ReviewedState::Added,
        Some(known) if known.sha256 == part.mark() => ReviewedState::Same,
        Some(_) => ReviewedState::Changed,
    };
    ReviewedFile {
        path: part.path.clone(),
        state,
        text: Some(Arc::clone(&part.text)),
        trusted_text: None,
    }
}

fn review(file: &NamedFile, earlier: Option<&TrustRecord>) -> ReviewedFile {
    let known =
        earlier.and_then(|record| record.files.iter().find(|known| known.path == file.path));
    let state = match (&file.state, known) {
        (FileState::Missing, _) => ReviewedState::Missing,
        (_, None) => ReviewedState::Added,
        (state, Some(known)) if known.sha256 == state.mark() => ReviewedState::Same,
        (_, Some(known)) if known.sha256 == FileState::Missing.mark() => ReviewedState::Added,
        _ => ReviewedState::Changed,
    };
    ReviewedFile {
        path: file.path.clone(),
        state,
        text: file.text.clone(),
        trusted_text: known.and_then(|known| known.text.clone()),
    }
}
