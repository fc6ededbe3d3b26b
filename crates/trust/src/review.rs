//! What a person looks at before trusting (TR-4, `hooks review`).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::named_file::{FileState, NamedFile, NamedPart};
use crate::record::TrustRecord;
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
    /// Its text now, or what decides in it where the rest is what people work on; nothing if it is missing or no
    /// text.
    pub text: Option<Arc<str>>,
    /// Its text as it was trusted, if it was a text of bearable size.
    pub trusted_text: Option<Arc<str>>,
}

/// Compares what hooks run with what was trusted (TR-4), for many hooks of one project.
#[derive(Debug)]
pub struct Reviewer {
    records: Vec<TrustRecord>,
    /// Where the record of each fingerprint is.
    places: HashMap<String, usize>,
}

impl TrustStore {
    /// Returns what compares the hooks of a project with what was trusted (TR-4).
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
    /// Compares the files of a hook with what was trusted; reads nothing again.
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
