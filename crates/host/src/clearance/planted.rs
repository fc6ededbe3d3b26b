//! Files that calls of a session wrote, as far as their names are known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::written::{Mark, Written};
use crate::watch::Stamp;

/// How many files are remembered.
const MOST: usize = 512;

/// Remembers files that calls wrote, and what was found in each as it is now.
#[derive(Debug, Clone, Default)]
pub(super) struct Planted(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, Option<Seen>>,
    /// What jobs in the background may write at any time.
    restless: BTreeSet<PathBuf>,
    /// What sessions before this one wrote, and where it is kept for those behind it.
    written: Option<Written>,
}

/// What was found in a file.
#[derive(Debug, Clone)]
struct Seen {
    stamp: Option<Stamp>,
    touches: bool,
}

impl Planted {
    /// Remembers a file.
    pub(super) fn note(&self, path: &Path) {
        let mut state = self.state();
        if state.files.len() < MOST {
            state.files.entry(path.to_path_buf()).or_default();
        }
    }

    /// Tells whether calls wrote a file by its name.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.state().files.contains_key(path)
    }

    /// Remembers a file that a job in the background writes.
    pub(super) fn note_restless(&self, path: &Path) {
        let mut state = self.state();
        if state.restless.len() < MOST {
            state.restless.insert(path.to_path_buf());
        }
    }

    /// Tells whether a job in the background may write a file at any time.
    pub(super) fn is_restless(&self, path: &Path) -> bool {
        self.state().restless.contains(path)
    }

    /// Keeps what calls write for later sessions, and takes what earlier ones wrote.
    pub(super) fn keep(&self, written: Written) {
        self.state().written = Some(written);
    }

    /// Takes in what the files are that calls wrote, now that they have ended; what none of them could write
    /// is left out.
    pub(super) fn settle(&self, is_written: impl Fn(&Path) -> bool) {
        let mut state = self.state();
        let marks: Vec<(PathBuf, Mark)> = state
            .files
            .keys()
            .filter(|it| is_written(it))
            .filter_map(|path| Some((path.clone(), Mark::of(path)?)))
            .collect();
        if let Some(written) = &mut state.written {
            written.add(marks);
        }
    }

    /// Tells whether an earlier session left a file as it is.
    pub(super) fn is_of_earlier(&self, path: &Path) -> bool {
        let state = self.state();
        let written = state.written.as_ref();
        written.is_some_and(|it| Mark::of(path).is_some_and(|mark| it.holds(&mark)))
    }

    /// Returns the first file of which something holds; it is asked anew of those that have changed.
    pub(super) fn find(&self, holds: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        let files = self.state().files.clone();
        files.into_iter().find_map(|(path, seen)| {
            let stamp = Stamp::of(&path);
            let seen = seen.filter(|it| it.stamp == stamp);
            let touches = seen.map_or_else(|| holds(&path), |it| it.touches);
            let seen = Seen { stamp, touches };
            self.state().files.insert(path.clone(), Some(seen));
            touches.then_some(path)
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Insertion can't be half done, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
