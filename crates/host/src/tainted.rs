//! Files that guards depend on and that a tool call changed (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookloop_trust::real_path;

/// Records which files a session must not use any more in their current state, and what a person
/// agreed to.
#[derive(Debug, Default)]
pub struct Tainted {
    changed: Mutex<BTreeSet<PathBuf>>,
    /// What an earlier session left behind and no person has seen.
    earlier: Mutex<BTreeSet<PathBuf>>,
    /// The file that should list what earlier sessions left behind, if it can't be read.
    lost: Mutex<Option<PathBuf>>,
    settled: Mutex<BTreeSet<PathBuf>>,
}

impl Tainted {
    /// Records a file by its path and its real path, because hooks are found by the latter.
    pub fn add(&self, path: PathBuf) {
        let real = real_path(&path);
        let mut files = self.files();
        files.extend(real);
        files.insert(path);
    }

    /// Records a file that a tool call of an earlier session changed, and that no person has seen
    /// since.
    pub fn add_of_earlier(&self, path: PathBuf) {
        let real = real_path(&path);
        let mut files = locked(&self.earlier);
        files.extend(real);
        files.insert(path);
    }

    /// Records that the changes of earlier sessions' tool calls aren't known, because the file that
    /// should list them can't be read.
    pub fn lose_earlier(&self, file: PathBuf) {
        *locked(&self.lost) = Some(file);
    }

    /// Returns the file that should list the changes of earlier sessions' tool calls, if it can't
    /// be read.
    pub fn lost_earlier(&self) -> Option<PathBuf> {
        locked(&self.lost).clone()
    }

    /// Returns whether nothing was changed, neither by this session nor by earlier ones.
    pub fn is_empty(&self) -> bool {
        self.files().is_empty() && locked(&self.earlier).is_empty()
    }

    /// Returns the first matching file that a tool call of this session changed.
    pub fn changed(&self, is_of_kind: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        let files = self.files();
        files.iter().find(|it| is_of_kind(it)).cloned()
    }

    /// Returns whether a file was changed.
    pub fn holds(&self, path: &Path) -> bool {
        self.files().contains(path) || self.holds_of_earlier(path)
    }

    /// Returns whether a file was changed by an earlier session, and not by this one.
    pub fn holds_of_earlier(&self, path: &Path) -> bool {
        locked(&self.earlier).contains(path) && !self.files().contains(path)
    }

    /// Records that a person agreed to the change of a file.
    pub fn settle(&self, path: PathBuf) {
        locked(&self.settled).insert(path);
    }

    /// Returns whether a person agreed to a change of a file.
    pub fn has_settled(&self, path: &Path) -> bool {
        locked(&self.settled).contains(path)
    }

    fn files(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        locked(&self.changed)
    }
}

fn locked<T>(files: &Mutex<T>) -> MutexGuard<'_, T> {
    // Insertion can't be half done, so a poisoned lock guards nothing broken.
    files.lock().unwrap_or_else(PoisonError::into_inner)
}
