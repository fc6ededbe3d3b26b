//! What stands at a path, links not followed.

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A folder.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link, to whatever.
    Link,
    /// A pipe, socket or device.
    Special,
}

impl From<std::fs::FileType> for EntryKind {
    fn from(kind: std::fs::FileType) -> Self {
        if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }
}
