//! Files inside the project that a hook names, and their content (TR-1).

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use hookloop_settings::bounded::{read_regular, read_start};
use sha2::{Digest, Sha256};

use crate::digest::hexadecimal;
use crate::real_path::{RealPaths, real_path};

/// Largest file whose bytes are read. A hook that runs a larger one is unpinned (TR-1).
pub(crate) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Largest text that is kept to show what changed later.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// What is at a path, and its text if it is kept.
type Content = (FileState, Option<Arc<str>>);

/// What exists at a named path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// A file with these bytes.
    Present {
        /// Their SHA-256, in hexadecimal digits.
        sha256: String,
    },
    /// Nothing. If a file appears later, that is a change too.
    Missing,
    /// A file too large to read. Somebody who resets its modification time can change its bytes
    /// unnoticed.
    TooLarge {
        /// Size, in bytes.
        bytes: u64,
        /// When it was last changed, in nanoseconds since 1970.
        modified: u128,
    },
    /// Something that can't be read: a pipe, a device, a link to itself.
    Unreadable,
    /// A link that leads out of the project. The bytes of its target aren't read.
    Outside {
        /// Where it leads.
        target: PathBuf,
    },
}

impl FileState {
    /// Returns the state as the store keeps it: the hash of a file, or otherwise a word.
    pub(crate) fn mark(&self) -> String {
        match self {
            Self::Present { sha256 } => sha256.clone(),
            Self::Missing => "missing".to_owned(),
            Self::TooLarge { bytes, modified } => format!("large:{bytes}:{modified}"),
            Self::Unreadable => "unreadable".to_owned(),
            Self::Outside { target } => format!("link:{}", target.display()),
        }
    }
}

/// A file inside the project that a hook names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Its real path from the project's root, with `/`: the file that is opened, whatever links its
    /// name goes through.
    pub path: String,
    /// What exists there.
    pub state: FileState,
    /// Its text, unless it is too large or isn't text.
    pub text: Option<Arc<str>>,
}

/// The part of a file inside the project that affects a hook, where people edit the rest of the
/// file: for example, the scripts of a `package.json` that the hook runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPart {
    /// The file, from the project's root, with `/`.
    pub path: String,
    /// The name of the part.
    pub part: String,
    /// Its content; never empty.
    pub text: Arc<str>,
}

impl NamedPart {
    /// Returns the SHA-256 of its content, in hexadecimal digits.
    pub(crate) fn mark(&self) -> String {
        hexadecimal(&Sha256::digest(self.text.as_bytes()))
    }
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    /// A folder, or anything else that isn't a file.
    Other,
    /// Nothing, or nothing that can be looked at.
    Missing,
}

/// Reads files of one project, each of them once. What several hooks ask for, the system is asked
/// once.
#[derive(Debug)]
pub(crate) struct FileReader {
    root: PathBuf,
    real_root: PathBuf,
    seen: HashMap<PathBuf, Option<NamedFile>>,
    /// Where paths led so far, and the folders on the way.
    real: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
    folders: RefCell<RealPaths>,
    kinds: RefCell<HashMap<PathBuf, Kind>>,
    repositories: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
    /// What is at paths without links: several names can lead to one file.
    read: HashMap<PathBuf, Option<Content>>,
}

impl FileReader {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: normalize_path(root),
            real_root: real_path(root).unwrap_or_else(|| root.to_path_buf()),
            seen: HashMap::new(),
            real: RefCell::default(),
            folders: RefCell::default(),
            kinds: RefCell::default(),
            repositories: RefCell::default(),
            read: HashMap::new(),
        }
    }

    /// Returns where a path really leads.
    pub(crate) fn real(&self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.real.borrow().get(path) {
            return known.clone();
        }
        let real = self.folders.borrow_mut().of(path);
        let known = real.clone();
        self.real.borrow_mut().insert(path.to_path_buf(), known);
        real
    }

    /// Returns what a path leads to.
    pub(crate) fn kind(&self, path: &Path) -> Kind {
        if let Some(known) = self.kinds.borrow().get(path) {
            return *known;
        }
        let kind = match path.metadata() {
            Ok(found) if found.is_file() => Kind::File,
            Ok(_) => Kind::Other,
            Err(_) => Kind::Missing,
        };
        self.kinds.borrow_mut().insert(path.to_path_buf(), kind);
        kind
    }

    /// Returns the root of the repository that a folder is in: what `git rev-parse
    /// --show-toplevel` prints there.
    pub(crate) fn repository(&self, folder: &Path) -> Option<PathBuf> {
        if let Some(known) = self.repositories.borrow().get(folder) {
            return known.clone();
        }
        let real = self.real(folder);
        let mut above = real.iter().flat_map(|it| it.ancestors());
        let found = above
            .find(|it| it.join(".git").symlink_metadata().is_ok())
            .map(Path::to_path_buf);
        let known = found.clone();
        self.repositories
            .borrow_mut()
            .insert(folder.to_path_buf(), known);
        found
    }

    /// Returns the name of a file without links from the project's root, if it is there.
    pub(crate) fn inside(&self, real: &Path) -> Option<String> {
        let inside = real.strip_prefix(&self.real_root).ok()?;
        Some(display_name(inside)).filter(|it| !it.is_empty())
    }

    /// Returns what an absolute path leads to; `None` for a folder, and for a path outside the
    /// project.
    pub(crate) fn look_at(&mut self, path: &Path) -> Option<NamedFile> {
        if let Some(known) = self.seen.get(path) {
            return known.clone();
        }
        let file = self.look_anew(path);
        self.seen.insert(path.to_path_buf(), file.clone());
        file
    }

    fn look_anew(&mut self, path: &Path) -> Option<NamedFile> {
        let real = self.real(path);
        let inside = real
            .as_ref()
            .and_then(|it| it.strip_prefix(&self.real_root).ok());
        let (named, state, text) = if let Some(inside) = inside {
            let real = real.as_ref()?;
            let (state, text) = if self.kind(real) == Kind::Missing {
                // Where a path really leads, there is no link that leads on to nothing.
                (FileState::Missing, None)
            } else {
                let there = self.read.entry(real.clone());
                there.or_insert_with(|| read(real)).clone()?
            };
            (display_name(inside), state, text)
        } else {
            // The name is inside the project, but a link leads out.
            let tidied = normalize_path(path);
            let inside = tidied
                .strip_prefix(&self.root)
                .or_else(|_| tidied.strip_prefix(&self.real_root))
                .ok()?;
            let state = match &real {
                // Neither a folder nor a missing file can run.
                Some(target) if target.is_dir() => return None,
                Some(target) => FileState::Outside {
                    target: target.clone(),
                },
                None => FileState::Unreadable,
            };
            (display_name(inside), state, None)
        };
        (!named.is_empty()).then_some(NamedFile {
            path: named,
            state,
            text,
        })
    }
}

/// Reads what is at a path without links; `None` for a folder.
fn read(path: &Path) -> Option<Content> {
    let Ok(metadata) = path.symlink_metadata() else {
        return Some((FileState::Missing, None));
    };
    if metadata.is_dir() {
        return None;
    }
    if metadata.is_file() && metadata.len() > MAX_BYTES {
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let state = FileState::TooLarge {
            bytes: metadata.len(),
            modified: modified.map_or(0, |time| time.as_nanos()),
        };
        return Some((state, None));
    }
    Some(match read_start(path, MAX_BYTES) {
        Ok(bytes) => {
            let sha256 = hexadecimal(&Sha256::digest(&bytes));
            let text = (bytes.len() <= MAX_TEXT_BYTES)
                .then(|| String::from_utf8(bytes).ok().map(Arc::from))
                .flatten();
            (FileState::Present { sha256 }, text)
        }
        Err(_) => (FileState::Unreadable, None),
    })
}

/// Reads the text of a file anywhere, if it isn't too large.
pub(crate) fn text_of(path: &Path) -> Option<Arc<str>> {
    let bytes = read_regular(path, MAX_TEXT_BYTES as u64).ok()?;
    String::from_utf8(bytes).ok().map(Arc::from)
}

fn display_name(inside: &Path) -> String {
    let components = inside.components();
    let texts: Vec<_> = components
        .map(|component| component.as_os_str().to_string_lossy())
        .collect();
    texts.join("/")
}

/// Resolves `.` and `..` by the text alone: where a path appears to lead.
pub(crate) fn normalize_path(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    normalized
}
