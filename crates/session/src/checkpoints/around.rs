//! The state of the workspace around a shell command, which may change any of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::checkpoints::Past;
use crate::checkpoints::log::Entry;

/// How many files of the workspace are looked at around a shell command.
const MAX_EXAMINED: usize = 5000;
/// Folders that programs fill, and that nobody wants restored file by file.
const FILLED: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];
/// The files of a repository that change with its history.
const HISTORY: [&str; 5] = [
    "HEAD",
    "logs/HEAD",
    "packed-refs",
    "refs/heads",
    "refs/tags",
];

/// Returns whether a folder of this name is filled by programs.
pub(super) fn is_filled(name: &OsStr) -> bool {
    FILLED.iter().any(|it| name == *it)
}

/// What is known about a file without reading it: if it is replaced, some of that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Look {
    length: u64,
    modified: Option<SystemTime>,
    mode: Option<u32>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Link,
}

impl Look {
    fn new(metadata: &Metadata, kind: Kind) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            mode: Past::mode_of(metadata),
            kind,
        }
    }
}

/// A workspace as it looked.
pub(super) struct Around {
    root: PathBuf,
    files: BTreeMap<PathBuf, Look>,
    /// Folders that programs fill: they aren't looked into.
    filled: BTreeSet<PathBuf>,
    /// What the history of repositories looked like.
    history: BTreeMap<PathBuf, Option<SystemTime>>,
}

/// What a command did to a workspace.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) entries: Vec<Entry>,
    /// The files that weren't copied.
    pub(super) losses: Vec<String>,
    /// What else isn't restored.
    pub(super) remarks: Vec<String>,
}

impl Around {
    /// Looks at the files of a workspace, as many as there may be.
    pub(super) fn look(root: &Path) -> Self {
        let mut around = Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            filled: BTreeSet::new(),
            history: BTreeMap::new(),
        };
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if around.is_cut() {
                    return around;
                }
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                let path = entry.path();
                if kind.is_dir() && is_filled(&entry.file_name()) {
                    around.fills(path);
                } else if kind.is_dir() {
                    folders.push(path);
                } else if let Ok(metadata) = entry.metadata()
                    && (kind.is_file() || kind.is_symlink())
                {
                    let kind = if kind.is_file() {
                        Kind::File
                    } else {
                        Kind::Link
                    };
                    around.files.insert(path, Look::new(&metadata, kind));
                }
            }
        }
        around
    }

    fn is_cut(&self) -> bool {
        self.files.len() >= MAX_EXAMINED
    }

    fn fills(&mut self, folder: PathBuf) {
        if folder.ends_with(".git") {
            for part in HISTORY.map(|it| folder.join(it)) {
                let modified = part.metadata().and_then(|it| it.modified()).ok();
                self.history.insert(part, modified);
            }
        }
        self.filled.insert(folder);
    }

    /// Looks again, and returns changes in files that aren't known already.
    pub(super) fn changes(&self, known: &BTreeSet<PathBuf>) -> Changes {
        let now = Self::look(&self.root);
        let mut changes = Changes::default();
        for (path, look) in &now.files {
            let earlier = self.files.get(path);
            if known.contains(path) || earlier == Some(look) {
                continue;
            }
            let shown = path.display();
            match (earlier, look.kind) {
                (Some(earlier), _) if only_mode_differs(earlier, look) => {
                    changes.losses.push(format!("{shown} (its permissions)"));
                }
                (Some(_), _) => changes.losses.push(shown.to_string()),
                // The file may have existed without being recorded.
                (None, _) if self.is_cut() => {}
                (None, Kind::Link) => changes.remarks.push(format!("the link {shown} is new")),
                // A new file can be removed again.
                (None, Kind::File) => {
                    let entry = Entry::change(path.clone(), Past::default(), Past::of(path));
                    changes.entries.push(entry);
                }
            }
        }
        let is_gone = |path: &&PathBuf| path.symlink_metadata().is_err();
        let gone = self.files.keys().filter(|it| !known.contains(*it));
        let gone = gone.filter(|it| !now.files.contains_key(*it));
        let gone = gone.filter(is_gone);
        let losses = gone.map(|it| format!("{} (gone)", it.display()));
        changes.losses.extend(losses);
        let emptied = self.filled.iter().filter(is_gone);
        let emptied = emptied.map(|it| format!("{} (gone; programs fill it)", it.display()));
        changes.losses.extend(emptied);
        if self.history != now.history {
            let text = "its changes in the repository (.git) stay";
            changes.remarks.push(text.to_owned());
        }
        if now.is_cut() || self.is_cut() {
            let text = "it ran in a folder with more files than are watched";
            changes.remarks.push(text.to_owned());
        }
        changes
    }
}

fn only_mode_differs(earlier: &Look, now: &Look) -> bool {
    let alike = Look {
        mode: now.mode,
        ..earlier.clone()
    };
    alike == *now
}
