//! The fingerprint as version 0.1 computed it (rules 1), for records that version 0.1 wrote
//! (TR-12).
//!
//! Nothing here may change: a record is compared by the rules that created it. Otherwise an
//! agreement would be lost, or mistaken for an agreement to something else.

mod words;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hookloop_hook::HookDeclaration;
use hookloop_settings::bounded::read_start;
use sha2::{Digest, Sha256};

use self::words::{UseOfWord, command_words, expand_project_variables};
use crate::digest::hexadecimal;
use crate::named_file::normalize_path;

/// Largest file whose bytes are read; for a larger one, size and modification time count.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How deep commands inside words (`bash -c "node x.js"`) are examined.
const MAX_DEPTH: usize = 3;

/// Contains a fingerprint of version 0.1.
pub(crate) struct OldFingerprint {
    /// SHA-256 over all of it, in hexadecimal digits.
    pub(crate) digest: String,
    /// The paths of the files that it contained.
    pub(crate) paths: Vec<String>,
}

/// Takes the fingerprint of a hook as version 0.1 would now.
pub(crate) fn take(
    hook: &HookDeclaration,
    extension_settings: Option<&str>,
    project_root: &Path,
) -> OldFingerprint {
    let files = FileReader::new(project_root).files_named_by(hook.command());
    let mut hasher = Sha256::new();
    let mut part = |text: Option<&str>| {
        // The length before each text keeps neighbouring texts apart.
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        hasher.update(length.to_le_bytes());
        hasher.update(text.unwrap_or_default());
    };
    part(Some("hookloop-1"));
    part(Some(hook.event.as_str()));
    part(hook.matcher.as_deref());
    part(hook.name.as_deref());
    part(Some(hook.command()));
    part(Some(&hook.env.len().to_string()));
    for (name, value) in &hook.env {
        part(Some(name));
        part(Some(value));
    }
    part(extension_settings);
    for file in &files {
        part(Some(&file.path));
        part(Some(&file.mark));
    }
    OldFingerprint {
        digest: hexadecimal(&hasher.finalize()),
        paths: files.into_iter().map(|file| file.path).collect(),
    }
}

/// A file with the mark that its state had.
#[derive(Clone)]
struct OldFile {
    path: String,
    mark: String,
}

/// Reads files, each of them once.
struct FileReader {
    root: PathBuf,
    real_root: PathBuf,
    seen: HashMap<PathBuf, OldFile>,
}

impl FileReader {
    fn new(root: &Path) -> Self {
        let real_root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        Self {
            root: root.to_path_buf(),
            real_root,
            seen: HashMap::new(),
        }
    }

    /// Returns the files that a command names, by path.
    fn files_named_by(&mut self, command: &str) -> Vec<OldFile> {
        let mut files = BTreeMap::new();
        self.collect(command, MAX_DEPTH, &mut files);
        files.into_values().collect()
    }

    fn collect(&mut self, command: &str, depth: usize, files: &mut BTreeMap<String, OldFile>) {
        let words = command_words(command).into_iter();
        // A file that a hook writes isn't part of what it runs: a log would change the fingerprint
        // each time.
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
    fn look_at(&mut self, word: &str) -> Option<OldFile> {
        if word.is_empty() || word.contains('\0') {
            return None;
        }
        let path = normalize_path(&self.root.join(word));
        let inside = path
            .strip_prefix(normalize_path(&self.root))
            .or_else(|_| path.strip_prefix(&self.real_root))
            .ok()?
            .to_path_buf();
        if inside.as_os_str().is_empty() {
            return None;
        }
        if let Some(known) = self.seen.get(&inside) {
            return is_told(known, word).then(|| known.clone());
        }
        let mark = self.read(&self.real_root.join(&inside))?;
        let shown = inside
            .components()
            .fold(String::new(), |mut shown, component| {
                let slash = if shown.is_empty() { "" } else { "/" };
                // Writing to a string can't fail.
                let _ = write!(shown, "{slash}{}", component.as_os_str().to_string_lossy());
                shown
            });
        let file = OldFile { path: shown, mark };
        self.seen.insert(inside, file.clone());
        is_told(&file, word).then_some(file)
    }

    /// Returns the mark of what is at a path; `None` for a folder.
    fn read(&self, path: &Path) -> Option<String> {
        let Ok(real) = path.canonicalize() else {
            let mark = match path.symlink_metadata() {
                Ok(_) => "unreadable",
                Err(_) => "missing",
            };
            return Some(mark.to_owned());
        };
        if !real.starts_with(&self.real_root) {
            return Some(format!("link:{}", real.display()));
        }
        let Ok(metadata) = real.metadata() else {
            return Some("unreadable".to_owned());
        };
        if metadata.is_dir() {
            return None;
        }
        if metadata.is_file() && metadata.len() > MAX_BYTES {
            let modified = metadata.modified().ok();
            let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let modified = modified.map_or(0, |time| time.as_nanos());
            return Some(format!("large:{}:{modified}", metadata.len()));
        }
        Some(match read_start(&real, MAX_BYTES) {
            Ok(bytes) => hexadecimal(&Sha256::digest(&bytes)),
            Err(_) => "unreadable".to_owned(),
        })
    }
}

/// Returns whether a file belongs to a fingerprint: a plain word or a number (`sleep 0.5`) that
/// names nothing is just that. (Once a file with that name appears, it counts, and the fingerprint
/// changes.)
fn is_told(file: &OldFile, word: &str) -> bool {
    let looks_like_path = word.contains(['/', '.'])
        && !word.starts_with(['-', '~', '@'])
        && !word.contains("://")
        && word.parse::<f64>().is_err()
        && !word.contains(|it: char| it.is_whitespace() || "$*?=|&;()<>`'\"".contains(it));
    file.mark != "missing" || looks_like_path
}
