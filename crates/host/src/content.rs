//! The identity and content of a file, to detect whether it has changed (TR-8). A program that
//! writes the same content again changes nothing.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use hookloop_trust::digest_of;

use crate::watch::Stamp;

/// The maximum length of a file that is read, in bytes. For a longer one, any modification counts.
const MAX_BYTES: u64 = 16 << 20;

/// The state of a path at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    /// While this stays the same, the file needn't be read.
    stamp: Option<Stamp>,
    id: ContentId,
}

/// Identifies a content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ContentId {
    Nothing,
    Read {
        owner: Owner,
        /// The target of a link, which may be changed without changing the link.
        link: Option<PathBuf>,
        digest: String,
    },
    /// A folder, or a file that can't be read or is too long: identified by its stamp.
    Unread(Option<Stamp>),
}

/// The owner and permissions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Owner {
    mode: u32,
    user: u32,
    group: u32,
}

/// The states of paths at one moment. Many hooks depend on the same files, and each is read once.
#[derive(Debug, Default)]
pub(crate) struct Contents(HashMap<PathBuf, Content>);

impl Contents {
    /// Returns the state of a path, reading it if necessary.
    pub(crate) fn of(&mut self, path: &Path) -> Content {
        if let Some(known) = self.0.get(path) {
            return known.clone();
        }
        let content = Content::of(path);
        self.0.insert(path.to_path_buf(), content.clone());
        content
    }
}

impl Content {
    /// Reads the state of a path.
    pub(crate) fn of(path: &Path) -> Self {
        Self::read(path, &mut u64::MAX.clone())
    }

    /// Reads the state of a path, within a remaining number of bytes.
    pub(crate) fn read(path: &Path, left: &mut u64) -> Self {
        let stamp = Stamp::of(path);
        let id = file_content(path, stamp.as_ref(), left);
        Self { stamp, id }
    }

    /// Reads the state again; an unmodified file isn't read.
    pub(crate) fn refresh(&self, path: &Path, left: &mut u64) -> Self {
        if Stamp::of(path) == self.stamp {
            self.clone()
        } else {
            Self::read(path, left)
        }
    }

    /// Returns what happened to a path since: `changed`, `appeared` or `disappeared`; `None` if it
    /// is the same.
    pub(crate) fn change(&self, path: &Path) -> Option<&'static str> {
        self.change_to(&self.refresh(path, &mut u64::MAX.clone()))
    }

    /// Returns what happened to a path between this state and a later one.
    pub(crate) fn change_to(&self, later: &Self) -> Option<&'static str> {
        match (&self.id, &later.id) {
            (old, new) if old == new => None,
            (ContentId::Nothing, _) => Some("appeared"),
            (_, ContentId::Nothing) => Some("disappeared"),
            _ => Some("changed"),
        }
    }

    /// The state of a missing file.
    pub(crate) const fn missing() -> Self {
        Self {
            stamp: None,
            id: ContentId::Nothing,
        }
    }
}

fn file_content(path: &Path, stamp: Option<&Stamp>, left: &mut u64) -> ContentId {
    let Ok(metadata) = path.metadata() else {
        return ContentId::Nothing;
    };
    let length = metadata.len();
    let unread = || ContentId::Unread(stamp.cloned());
    if !metadata.is_file() || length > MAX_BYTES || length > *left {
        return unread();
    }
    *left -= length;
    digest_of(path).map_or_else(unread, |digest| ContentId::Read {
        owner: owner(&metadata),
        link: std::fs::read_link(path).ok(),
        digest,
    })
}

#[cfg(unix)]
fn owner(metadata: &Metadata) -> Owner {
    use std::os::unix::fs::MetadataExt as _;
    Owner {
        mode: metadata.mode(),
        user: metadata.uid(),
        group: metadata.gid(),
    }
}

#[cfg(not(unix))]
fn owner(metadata: &Metadata) -> Owner {
    Owner {
        mode: metadata.permissions().readonly().into(),
        user: 0,
        group: 0,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// What is done to a file, and the resulting change.
    type Done<'a> = (&'a str, &'a dyn Fn(), Option<&'static str>);

    /// TR-8: the same content is the same, however often it is written; other bytes, permissions
    /// and links are a change, even if the modification time is set back.
    #[test]
    fn the_same_anew_is_no_change() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, other) = (folder.path().join("guard"), folder.path().join("other"));
        let write = |file: &Path, text: &str| {
            // Replaces the file, as package managers do.
            fs::write(&other, text).expect("a file");
            fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("rights");
            fs::rename(&other, file).expect("a file");
        };
        let same: [Done<'_>; 3] = [
            ("written anew", &|| write(&file, "exit 2"), None),
            (
                "written in place",
                &|| fs::write(&file, "exit 2").expect("a file"),
                None,
            ),
            (
                "touched",
                &|| {
                    let opened = fs::File::options().append(true).open(&file);
                    let past = std::time::SystemTime::UNIX_EPOCH;
                    opened.and_then(|it| it.set_modified(past)).expect("a time");
                },
                None,
            ),
        ];
        let others: [Done<'_>; 5] = [
            (
                "other bytes of the same length",
                &|| write(&file, "exit 0"),
                Some("changed"),
            ),
            (
                "other rights",
                &|| {
                    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("rights");
                },
                Some("changed"),
            ),
            (
                "a link to the same",
                &|| {
                    write(&folder.path().join("elsewhere"), "exit 2");
                    fs::remove_file(&file).expect("a file");
                    symlink("elsewhere", &file).expect("a link");
                },
                Some("changed"),
            ),
            (
                "a folder",
                &|| {
                    fs::remove_file(&file).expect("a file");
                    fs::create_dir(&file).expect("a folder");
                },
                Some("changed"),
            ),
            (
                "gone",
                &|| fs::remove_file(&file).expect("a file"),
                Some("disappeared"),
            ),
        ];
        for (what, act, expected) in same.into_iter().chain(others) {
            if file.is_dir() {
                fs::remove_dir(&file).expect("a folder");
            }
            write(&file, "exit 2");
            let before = Content::of(&file);
            act();
            assert_eq!(before.change(&file), expected, "{what}");
        }
        assert_eq!(
            Content::missing().change(&folder.path().join("elsewhere")),
            Some("appeared")
        );
    }

    /// TR-8: what is too long to be read is identified by its stamp: any modification is a change.
    #[test]
    fn what_is_not_read_changes_by_being_touched() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("program");
        fs::write(&file, "x".repeat(10)).expect("a file");
        let before = Content::read(&file, &mut 9);
        assert_eq!(before.change(&file), None);
        fs::write(other_of(&file), "x".repeat(10)).expect("a file");
        fs::rename(other_of(&file), &file).expect("a file");
        assert_eq!(before.change(&file), Some("changed"));
    }

    fn other_of(file: &Path) -> PathBuf {
        file.with_extension("new")
    }
}
