//! The identity of a file, independent of its path (TR-8).

use std::path::Path;

/// Identifies a file by device and inode, following links; on other systems, by its real path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(imp::Id);

impl FileId {
    /// Identifies the file at a path; `None` if nothing is there.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        imp::of(path).map(Self)
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
