//! Files that a session's calls wrote, as far as their names are known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::written::{Mark, Written};
use crate::watch::Stamp;

/// How many files are recorded by name. Others are recognised by the periods in which calls ran.
const MAX_FILES: usize = 1 << 14;

/// Records the files that calls wrote, and what was found in each.
#[derive(Debug, Clone, Default)]
pub(super) struct Planted(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, Option<Seen>>,
    /// Files that background jobs may write at any time.
    restless: BTreeSet<PathBuf>,
    /// The number of running calls.
    running: usize,
    /// Whether background jobs are running.
    goes_on: bool,
    /// The record of what earlier sessions wrote, which is also kept for later ones.
    written: Option<Written>,
}

/// What was found in a file, at its last state.
#[derive(Debug, Clone)]
struct Seen {
    stamp: Option<Stamp>,
    found: Vec<FileEffect>,
}

/// What was found in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileEffect {
    /// Running it changes a guard.
    Touches,
    /// It changes a guard if a build program runs it.
    TouchesBuilt,
    /// It could change a guard, because it decodes or assembles names.
    Hides,
    /// A source file names a guard.
    Names,
    /// A source file changes files.
    Changes,
}

impl Planted {
    /// Records a file.
    pub(super) fn note(&self, path: &Path) {
        let mut state = self.state();
        if state.files.len() < MAX_FILES {
            state.files.entry(path.to_path_buf()).or_default();
        }
    }

    /// Returns whether calls named a file that they wrote.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.state().files.contains_key(path)
    }

    /// Records the start of a call.
    pub(super) fn begin(&self) {
        let mut state = self.state();
        state.running += 1;
        if let Some(written) = &mut state.written {
            written.begin();
        }
    }

    /// Records that something continues beside later calls.
    pub(super) fn note_beside(&self) {
        self.state().goes_on = true;
    }

    /// Records a file that a background job writes.
    pub(super) fn note_restless(&self, path: &Path) {
        let mut state = self.state();
        if state.restless.len() < MAX_FILES {
            state.restless.insert(path.to_path_buf());
        }
    }

    /// Returns whether a background job may write a file at any time.
    pub(super) fn is_restless(&self, path: &Path) -> bool {
        self.state().restless.contains(path)
    }

    /// Sets the record that is shared with earlier and later sessions.
    pub(super) fn keep(&self, written: Written) {
        self.state().written = Some(written);
    }

    /// Records the state of the files that calls wrote, now that the calls have ended; files that
    /// none of them could have written are removed.
    pub(super) fn settle(&self, is_written: impl Fn(&Path) -> bool) {
        let mut state = self.state();
        let marks: Vec<(PathBuf, Mark)> = state
            .files
            .keys()
            .filter(|it| is_written(it))
            .filter_map(|path| Some((path.clone(), Mark::of(path)?)))
            .collect();
        state.running = state.running.saturating_sub(1);
        let goes_on = state.goes_on || state.running > 0;
        if let Some(written) = &mut state.written {
            written.end(marks, goes_on);
        }
    }

    /// Returns whether an earlier session wrote a file in its current state.
    pub(super) fn is_of_earlier(&self, path: &Path) -> bool {
        let state = self.state();
        let written = state.written.as_ref();
        written.is_some_and(|it| it.holds(path))
    }

    /// Returns what was found in all files; changed files are examined again.
    pub(super) fn examine(
        &self,
        look: impl Fn(&Path) -> Vec<FileEffect>,
    ) -> Vec<(PathBuf, Vec<FileEffect>)> {
        let files = self.state().files.clone();
        let all = files.into_iter().map(|(path, seen)| {
            let stamp = Stamp::of(&path);
            if let Some(seen) = seen.filter(|it| it.stamp == stamp) {
                return (path, seen.found);
            }
            let found = look(&path);
            let seen = Seen {
                stamp,
                found: found.clone(),
            };
            self.state().files.insert(path.clone(), Some(seen));
            (path, found)
        });
        all.collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Insertion can't be half done, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
