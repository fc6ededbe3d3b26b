//! The identity of a file or folder, independent of its path (ST-1, TR-8).

use std::path::Path;

/// Identifies a file or folder by device and inode, following links; on other systems, by its real
/// path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(imp::Id);

impl FileId {
    /// Identifies the file at a path; `None` if nothing is there.
    pub fn of(path: &Path) -> Option<Self> {
        imp::of(path).map(Self)
    }

    /// Returns whether this is what is at a path.
    pub fn is_at(&self, path: &Path) -> bool {
        Self::of(path).as_ref() == Some(self)
    }
}

#[cfg(unix)]
mod imp {
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    pub(super) type Id = (u64, u64);

    pub(super) fn of(path: &Path) -> Option<Id> {
        path.metadata().ok().map(|it| (it.dev(), it.ino()))
    }
}

#[cfg(not(unix))]
mod imp {
    use std::path::{Path, PathBuf};

    pub(super) type Id = PathBuf;

    pub(super) fn of(path: &Path) -> Option<Id> {
        path.canonicalize().ok()
    }
}
