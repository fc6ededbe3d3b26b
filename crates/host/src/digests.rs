//! The contents of settings files, to detect who last changed them (TR-8, TR-11).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hookloop_trust::digest_of;

/// The digests of files; `None` for a missing one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Digests(BTreeMap<PathBuf, Option<String>>);

impl Digests {
    /// Computes the digests of files.
    pub(crate) fn of(files: BTreeSet<PathBuf>) -> Self {
        // The store itself records who changed it.
        let files = files
            .into_iter()
            .filter(|it| !it.ends_with("trusted_hooks.json"));
        let digests = files.map(|file| {
            let digest = digest_of(&file);
            (file, digest)
        });
        Self(digests.collect())
    }

    /// Returns the files that differ from `before`, in their current state.
    pub(crate) fn changed_since(&self, before: &Self) -> BTreeMap<PathBuf, Option<String>> {
        let files: BTreeSet<&PathBuf> = self.0.keys().chain(before.0.keys()).collect();
        let digest = |all: &Self, file: &PathBuf| all.0.get(file).cloned().flatten();
        let changed = files.into_iter().filter_map(|file| {
            let (now, then) = (digest(self, file), digest(before, file));
            (now != then).then(|| (file.clone(), now))
        });
        changed.collect()
    }
}
