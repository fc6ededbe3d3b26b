//! Files that calls of a session wrote, as far as their names are known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::watch::Stamp;

/// How many files are remembered.
const MOST: usize = 512;

/// Remembers files that calls wrote, and what was found in each as it is now.
#[derive(Debug, Clone, Default)]
pub(super) struct Planted(Arc<Mutex<BTreeMap<PathBuf, Option<Seen>>>>);

/// What was found in a file.
#[derive(Debug, Clone)]
struct Seen {
    stamp: Option<Stamp>,
    touches: bool,
}

impl Planted {
    /// Remembers a file.
    pub(super) fn note(&self, path: &Path) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() < MOST {
            files.entry(path.to_path_buf()).or_default();
        }
    }

    /// Returns the first file of which something holds; it is asked anew of those that have changed.
    pub(super) fn find(&self, holds: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        let files = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        files.into_iter().find_map(|(path, seen)| {
            let stamp = Stamp::of(&path);
            let seen = seen.filter(|it| it.stamp == stamp);
            let touches = seen.map_or_else(|| holds(&path), |it| it.touches);
            let seen = Seen { stamp, touches };
            let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            files.insert(path.clone(), Some(seen));
            touches.then_some(path)
        })
    }
}
