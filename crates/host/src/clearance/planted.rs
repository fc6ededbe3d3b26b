//! Files that a session's calls wrote, as far as their names are known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::written::{Mark, Written};
use crate::watch::Stamp;

/// How many files are remembered by their names. All others are known by the times in which calls ran.
const MOST: usize = 1 << 14;

/// Remembers files that calls wrote, and what was found in each as it is now.
#[derive(Debug, Clone, Default)]
pub(super) struct Planted(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<PathBuf, Option<Seen>>,
    /// What jobs in the background may write at any time.
    restless: BTreeSet<PathBuf>,
    /// How many calls run.
    running: usize,
    /// Whether jobs run in the background.
    goes_on: bool,
    /// What sessions before this one wrote, and where it is kept for those behind it.
    written: Option<Written>,
}

/// What was found in a file as it was.
#[derive(Debug, Clone)]
struct Seen {
    stamp: Option<Stamp>,
    found: Vec<Found>,
}

/// What was found in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Whoever carries it out changes a guard.
    Touches,
    /// A program that builds does, if it is run.
    TouchesBuilt,
    /// It could, and makes names of what doesn't look like them.
    Hides,
    /// A source names a guard.
    Names,
    /// A source changes files.
    Changes,
}

impl Planted {
    /// Remembers a file.
    pub(super) fn note(&self, path: &Path) {
        let mut state = self.state();
        if state.files.len() < MOST {
            state.files.entry(path.to_path_buf()).or_default();
        }
    }

    /// Returns whether calls wrote a file by its name.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.state().files.contains_key(path)
    }

    /// Notes that a call begins.
    pub(super) fn begin(&self) {
        let mut state = self.state();
        state.running += 1;
        if let Some(written) = &mut state.written {
            written.begin();
        }
    }

    /// Notes that something goes on beside the calls behind it.
    pub(super) fn note_beside(&self) {
        self.state().goes_on = true;
    }

    /// Remembers a file that a job in the background writes.
    pub(super) fn note_restless(&self, path: &Path) {
        let mut state = self.state();
        if state.restless.len() < MOST {
            state.restless.insert(path.to_path_buf());
        }
    }

    /// Returns whether a job in the background may write a file at any time.
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
        state.running = state.running.saturating_sub(1);
        let goes_on = state.goes_on || state.running > 0;
        if let Some(written) = &mut state.written {
            written.end(marks, goes_on);
        }
    }

    /// Returns whether an earlier session left a file as it is.
    pub(super) fn is_of_earlier(&self, path: &Path) -> bool {
        let state = self.state();
        let written = state.written.as_ref();
        written.is_some_and(|it| it.holds(path))
    }

    /// Returns what is found in all files; those that have changed are looked at again.
    pub(super) fn looked_at(
        &self,
        look: impl Fn(&Path) -> Vec<Found>,
    ) -> Vec<(PathBuf, Vec<Found>)> {
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
