//! The files that guards depend on, as they were at one moment, and what has changed since (TR-8).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookloop_trust::real_path;

use crate::content::Content;
use crate::kinds::Kinds;

/// How many bytes of the protected files are read to compare them; anything beyond that is compared
/// by its times.
const MAX_BYTES: u64 = 64 << 20;

/// A protected file that has changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProtectedChange {
    /// The file.
    pub path: PathBuf,
    /// The change: `changed`, `appeared` or `disappeared`.
    pub what: &'static str,
}

/// The state of the protected files at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub(crate) files: BTreeMap<PathBuf, Content>,
    /// Deciding parts of files that also contain other things.
    pub(crate) kinds: Kinds,
    /// The protected folders that are compared in part.
    pub(crate) too_large: BTreeSet<PathBuf>,
}

impl Snapshot {
    /// Reads the state of files; those that weren't modified since an earlier look aren't read.
    pub(crate) fn look(files: BTreeSet<PathBuf>, earlier: &Self) -> Self {
        let mut left = MAX_BYTES;
        let looked = files.into_iter().map(|path| {
            let content = match earlier.files.get(&path) {
                Some(earlier) => earlier.refresh(&path, &mut left),
                None => Content::read(&path, &mut left),
            };
            (path, content)
        });
        Self {
            files: looked.collect(),
            ..Self::default()
        }
    }

    /// Returns folders that are too large to compare all files that affect git's answers to a hook.
    pub fn in_part(&self) -> impl Iterator<Item = &Path> {
        self.kinds.in_part()
    }

    /// Returns protected folders with more files than are compared.
    pub fn too_large(&self) -> impl Iterator<Item = &Path> {
        self.too_large.iter().map(PathBuf::as_path)
    }

    /// Returns the state of the matching files.
    #[must_use]
    pub fn of(&self, is_meant: impl Fn(&Path) -> bool) -> Self {
        let files = self.files.iter().filter(|(path, _)| is_meant(path));
        Self {
            files: files.map(|(path, it)| (path.clone(), it.clone())).collect(),
            ..Self::default()
        }
    }

    /// Replaces the state of some files by a later one.
    pub fn replace(&mut self, earlier: &Self, later: Self) {
        self.files
            .retain(|path, _| !earlier.files.contains_key(path));
        self.files.extend(later.files);
    }

    /// Returns which files differ in a later snapshot.
    pub fn changes_to(&self, later: &Self) -> Vec<ProtectedChange> {
        let paths: BTreeSet<&PathBuf> = self.files.keys().chain(later.files.keys()).collect();
        let nothing = Content::missing();
        let mut changes = Vec::new();
        for path in paths {
            let old = self.files.get(path).unwrap_or(&nothing);
            let new = later.files.get(path).unwrap_or(&nothing);
            if let Some(what) = old.change_to(new) {
                changes.push(ProtectedChange {
                    path: path.clone(),
                    what,
                });
            }
        }
        for path in self.kinds.changed_files(&later.kinds) {
            let is_known = changes.iter().any(|it| it.path == path);
            if !is_known {
                changes.push(ProtectedChange {
                    path,
                    what: "changed",
                });
            }
        }
        // A file under two names counts as one change.
        changes.dedup_by_key(|change| real_path(&change.path));
        changes
    }
}
