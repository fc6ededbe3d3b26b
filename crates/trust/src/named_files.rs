//! The files inside the project that a command names (TR-1).

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use hookloop_settings::{UseOfWord, command_words, expand_project_variables};
use sha2::{Digest, Sha256};

/// Largest file whose bytes are read; of a larger one, size and time of change count.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Largest text that is kept to show what changed later.
const LARGEST_TEXT: usize = 256 * 1024;

/// How deep commands inside words (`bash -c "node x.js"`) are looked into.
const DEEPEST: usize = 3;

/// Says what stands at a named path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// A file with these bytes.
    Present {
        /// Their SHA-256, in hexadecimal digits.
        sha256: String,
    },
    /// Nothing; that it appears later is a change too.
    Missing,
    /// A file too large to be read.
    TooLarge {
        /// Size, in bytes.
        bytes: u64,
        /// When it was last changed, in nanoseconds since 1970.
        modified: u128,
    },
    /// Something that can't be read.
    Unreadable,
    /// A link that leads out of the project; its target's bytes are not looked at.
    Outside {
        /// Where it leads.
        target: PathBuf,
    },
}

impl FileState {
    /// Returns the state as the store keeps it: the hash of a file, else a word.
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

/// Describes a file inside the project that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Its path from the project's root, with `/`.
    pub path: String,
    /// What stands there.
    pub state: FileState,
    /// Its text, if it is one of bearable size.
    pub text: Option<Arc<str>>,
}

/// Looks at files; each one is read once.
pub(crate) struct FileReader {
    root: PathBuf,
    real_root: PathBuf,
    seen: HashMap<PathBuf, NamedFile>,
}

impl FileReader {
    pub(crate) fn new(root: &Path) -> Self {
        let real_root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        Self {
            root: root.to_path_buf(),
            real_root,
            seen: HashMap::new(),
        }
    }

    /// Returns the files that a command names, by path.
    pub(crate) fn named_by(&mut self, command: &str) -> Vec<NamedFile> {
        let mut files = BTreeMap::new();
        self.collect(command, DEEPEST, &mut files);
        files.into_values().collect()
    }

    fn collect(&mut self, command: &str, depth: usize, files: &mut BTreeMap<String, NamedFile>) {
        let words = command_words(command).into_iter();
        // What a hook writes to is no part of what it runs: a log would change it each time.
        for word in words.filter(|word| word.use_of_word == UseOfWord::Said) {
            // `$PWD` is where hooks start.
            let text = word
                .text
                .replace("${PWD}", "$GEMINI_CWD")
                .replace("$PWD/", "$GEMINI_CWD/");
            let text = expand_project_variables(&text, &self.root);
            let value = text.split_once('=').map(|(_, value)| value);
            for candidate in [Some(text.as_str()), value, text.strip_prefix('@')] {
                if let Some(file) = candidate.and_then(|path| self.look_at(path)) {
                    files.insert(file.path.clone(), file);
                }
            }
            let holds_command =
                text.contains(|it: char| it.is_whitespace() || "|&;()<>`".contains(it));
            if depth > 0 && (holds_command || text.contains(['\'', '"'])) {
                self.collect(&text, depth - 1, files);
            }
        }
    }

    /// Returns what a word names inside the project, if it names something there.
    fn look_at(&mut self, word: &str) -> Option<NamedFile> {
        if word.is_empty() || word.contains('\0') {
            return None;
        }
        let path = tidy(&self.root.join(word));
        let inside = path
            .strip_prefix(tidy(&self.root))
            .or_else(|_| path.strip_prefix(&self.real_root))
            .ok()?
            .to_path_buf();
        if inside.as_os_str().is_empty() {
            return None;
        }
        if let Some(known) = self.seen.get(&inside) {
            return is_told(known, word).then(|| known.clone());
        }
        let (state, text) = self.read(&self.real_root.join(&inside))?;
        let shown = inside
            .components()
            .fold(String::new(), |mut shown, component| {
                let slash = if shown.is_empty() { "" } else { "/" };
                // Writing to a string does not fail.
                let _ = write!(shown, "{slash}{}", component.as_os_str().to_string_lossy());
                shown
            });
        let file = NamedFile {
            path: shown,
            state,
            text,
        };
        self.seen.insert(inside, file.clone());
        is_told(&file, word).then_some(file)
    }

    /// Reads what stands at a path; nothing for a folder.
    fn read(&self, path: &Path) -> Option<(FileState, Option<Arc<str>>)> {
        let Ok(real) = path.canonicalize() else {
            let state = match path.symlink_metadata() {
                Ok(_) => FileState::Unreadable,
                Err(_) => FileState::Missing,
            };
            return Some((state, None));
        };
        if !real.starts_with(&self.real_root) {
            return Some((FileState::Outside { target: real }, None));
        }
        let Ok(metadata) = real.metadata() else {
            return Some((FileState::Unreadable, None));
        };
        if metadata.is_dir() {
            return None;
        }
        // What is no regular file (a pipe) could be read for ever.
        if !metadata.is_file() {
            return Some((FileState::Unreadable, None));
        }
        if metadata.len() > LARGEST {
            let modified = metadata.modified().ok();
            let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let modified = modified.map_or(0, |time| time.as_nanos());
            return Some((
                FileState::TooLarge {
                    bytes: metadata.len(),
                    modified,
                },
                None,
            ));
        }
        let mut bytes = Vec::new();
        match File::open(&real).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes)) {
            Ok(_) => {
                let sha256 = hexadecimal(&Sha256::digest(&bytes));
                let text = (bytes.len() <= LARGEST_TEXT)
                    .then(|| String::from_utf8(bytes).ok().map(Arc::from))
                    .flatten();
                Some((FileState::Present { sha256 }, text))
            }
            Err(_) => Some((FileState::Unreadable, None)),
        }
    }
}

/// Tells whether a file belongs to a fingerprint: a plain word or a number (`sleep 0.5`) that names
/// nothing is just that.
/// (Once a file of that name appears, it counts, and the fingerprint is another.)
fn is_told(file: &NamedFile, word: &str) -> bool {
    let looks_like_path = word.contains(['/', '.'])
        && !word.starts_with(['-', '~', '@'])
        && !word.contains("://")
        && word.parse::<f64>().is_err()
        && !word.contains(|it: char| it.is_whitespace() || "$*?=|&;()<>`'\"".contains(it));
    file.state != FileState::Missing || looks_like_path
}

/// Resolves `.` and `..` by the text alone.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
