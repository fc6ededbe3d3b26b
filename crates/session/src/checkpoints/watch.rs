//! Looks at files before and after a call.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::checkpoints::Checkpoints;
use crate::checkpoints::digests::{digest, digest_of};
use crate::checkpoints::log::Entry;

/// The largest file that is copied, in bytes.
const LARGEST: u64 = 4 * 1024 * 1024;
/// How many files of a folder are copied that a call takes as a whole.
const MOST_COPIES: usize = 500;
/// How many files of the workspace are looked at around a shell command.
const MOST_LOOKS: usize = 5000;
/// How many files are named that can't be restored.
const MOST_NAMED: usize = 10;
/// Folders that programs fill, and that nobody wants back.
const NOT_LOOKED_AT: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];

/// What a file was before a call.
enum Before {
    Absent,
    /// It was there, with this digest, content and rights.
    Here(String, Vec<u8>, Permissions),
    /// No copy could be made: why.
    NotKept(String),
}

/// The size and the time of a file: another one was changed.
type Look = (u64, Option<SystemTime>);

/// Watches the files of one call. What changed is noted when it goes, however the call ended.
pub(super) struct Watch {
    checkpoints: Checkpoints,
    before: BTreeMap<PathBuf, Before>,
    /// The workspace as it looked, where a shell command may change any of it.
    around: Option<(PathBuf, BTreeMap<PathBuf, Look>)>,
    /// What the call is called where something of it can't be restored.
    what: String,
    /// Whether it goes on behind the end of the call.
    pub(super) outlives: bool,
}

impl Watch {
    pub(super) fn begin(
        checkpoints: &Checkpoints,
        paths: Vec<PathBuf>,
        around: Option<&Path>,
        what: String,
    ) -> Self {
        let mut files = Vec::new();
        for path in paths {
            add_files(&path, &mut files);
        }
        Self {
            checkpoints: checkpoints.clone(),
            before: files
                .into_iter()
                .map(|it| (it.clone(), look(&it)))
                .collect(),
            around: around.map(|root| (root.to_owned(), looks(root))),
            what,
            outlives: false,
        }
    }

    fn entries(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut losses = Vec::new();
        for (path, before) in std::mem::take(&mut self.before) {
            let after = digest(&path);
            let before = match before {
                Before::Absent => None,
                Before::Here(name, ..) if after.as_ref() == Some(&name) => continue,
                Before::Here(name, bytes, permissions) => {
                    let kept = self.checkpoints.state().log.keep(&bytes, permissions);
                    match kept {
                        Ok(_) => Some(name),
                        Err(error) => {
                            losses.push(format!("{} ({error})", path.display()));
                            continue;
                        }
                    }
                }
                Before::NotKept(why) => {
                    losses.push(format!("{} ({why})", path.display()));
                    continue;
                }
            };
            if before != after {
                entries.push(Entry::Change {
                    path,
                    before,
                    after,
                });
            }
        }
        if let Some((root, earlier)) = self.around.take() {
            let known: Vec<PathBuf> = entries
                .iter()
                .filter_map(|it| match it {
                    Entry::Change { path, .. } => Some(path.clone()),
                    _ => None,
                })
                .collect();
            let now = looks(&root);
            for (path, look) in &now {
                if known.contains(path) || earlier.get(path) == Some(look) {
                    continue;
                }
                if earlier.contains_key(path) {
                    losses.push(path.display().to_string());
                } else if earlier.len() < MOST_LOOKS {
                    // What is new can be taken away again.
                    entries.push(Entry::Change {
                        path: path.clone(),
                        before: None,
                        after: digest(path),
                    });
                }
            }
            let is_gone = |path: &&PathBuf| !now.contains_key(*path) && !path.exists();
            let vanished = earlier.keys().filter(is_gone);
            let vanished = vanished.filter(|it| !known.contains(it));
            losses.extend(vanished.map(|it| format!("{} (gone)", it.display())));
            if now.len() >= MOST_LOOKS {
                entries.push(self.loss("it ran in a folder with more files than are watched"));
            }
        }
        if !losses.is_empty() {
            let more = losses.len().saturating_sub(MOST_NAMED);
            losses.truncate(MOST_NAMED);
            let mut text = format!("no copy was kept of {}", losses.join(", "));
            if more > 0 {
                let _ = write!(text, " and {more} more");
            }
            entries.push(self.loss(&text));
        }
        if self.outlives {
            entries
                .push(self.loss("it went on in the background, and what it changes isn't known"));
        }
        entries
    }

    fn loss(&self, why: &str) -> Entry {
        Entry::Loss {
            what: format!("{}: {why}", self.what),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let entries = self.entries();
        let checkpoints = self.checkpoints.clone();
        checkpoints.add(entries);
    }
}

/// Adds a file, or those of a folder.
fn add_files(path: &Path, files: &mut Vec<PathBuf>) {
    let is_folder = path.symlink_metadata().is_ok_and(|it| it.is_dir());
    if !is_folder {
        files.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if files.len() >= MOST_COPIES {
            return;
        }
        add_files(&entry.path(), files);
    }
}

fn look(path: &Path) -> Before {
    let Ok(metadata) = path.symlink_metadata() else {
        return Before::Absent;
    };
    if !metadata.is_file() {
        return Before::NotKept("no plain file".to_owned());
    }
    if metadata.len() > LARGEST {
        return Before::NotKept(format!("larger than {} MiB", LARGEST / 1024 / 1024));
    }
    match std::fs::read(path) {
        Ok(bytes) => Before::Here(digest_of(&bytes), bytes, metadata.permissions()),
        Err(error) => Before::NotKept(error.to_string()),
    }
}

/// Looks at the files of a workspace, as many as there may be.
fn looks(root: &Path) -> BTreeMap<PathBuf, Look> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if found.len() >= MOST_LOOKS {
                return found;
            }
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            if kind.is_dir() && !NOT_LOOKED_AT.iter().any(|it| name == *it) {
                folders.push(entry.path());
            } else if kind.is_file()
                && let Ok(metadata) = entry.metadata()
            {
                found.insert(entry.path(), (metadata.len(), metadata.modified().ok()));
            }
        }
    }
    found
}
