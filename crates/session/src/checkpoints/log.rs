//! The checkpoints on disk: a log of JSON lines, and copies of files by their digests.

use std::fs::Permissions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hookloop_host::{make_private_folder, private_options};
use hookloop_settings::bounded::{open_regular, read_file, read_lines};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::checkpoints::Past;

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Entry {
    /// A prompt begins.
    Prompt {
        prompt: String,
        at: String,
        messages: usize,
        digest: String,
    },
    /// A call changed a file.
    Change {
        path: PathBuf,
        before: Option<String>,
        after: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before_mode: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after_mode: Option<u32>,
    },
    /// Something changed that can't be restored.
    Loss { what: String },
    /// The session went back: this many prompts are left. Changes of files that stayed as they were
    /// count on.
    Rewound {
        to: usize,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        stayed: Vec<PathBuf>,
    },
}

impl Entry {
    /// Makes the entry of a change of a file.
    pub(super) fn change(path: PathBuf, before: Past, after: Past) -> Self {
        Self::Change {
            path,
            before: before.content,
            after: after.content,
            before_mode: before.mode,
            after_mode: after.mode,
        }
    }
}

/// A copy of a file.
pub(super) struct Copy {
    pub(super) bytes: Vec<u8>,
    pub(super) permissions: Option<Permissions>,
}

/// The folder of a session's checkpoints; it is created with the first of them.
#[derive(Debug)]
pub(super) struct Log {
    folder: PathBuf,
}

impl Log {
    pub(super) fn for_transcript(transcript: &Path) -> Self {
        Self {
            folder: transcript.with_extension("checkpoints"),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    /// Reads the log; a line that a crash cut isn't one.
    pub(super) fn read(&self) -> io::Result<Vec<Entry>> {
        let lines = match read_lines(&self.file()) {
            Ok(lines) => lines,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut entries = Vec::new();
        for line in lines {
            entries.extend(serde_json::from_slice(&line?));
        }
        Ok(entries)
    }

    pub(super) fn append(&self, entry: &Entry) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        private_options()
            .append(true)
            .create(true)
            .open(self.file())?
            .write_all(&line)
    }

    /// Keeps a copy of a file's content, and returns its name.
    pub(super) fn keep(&self, bytes: &[u8], permissions: Permissions) -> io::Result<String> {
        let name = digest_of(bytes);
        let file = self.folder.join(&name);
        if !file.exists() {
            make_private_folder(&self.folder)?;
            let mut written = tempfile::NamedTempFile::new_in(&self.folder)?;
            written.write_all(bytes)?;
            written.persist(&file)?;
            // The execute permission is restored with the file.
            std::fs::set_permissions(&file, permissions)?;
        }
        Ok(name)
    }

    /// Creates a separate folder for what a rewind replaces.
    pub(super) fn folder_for_replaced(&self) -> io::Result<PathBuf> {
        make_private_folder(&self.folder)?;
        let mut number = 1;
        loop {
            let folder = self.folder.join(format!("replaced-{number}"));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) fn copy(&self, name: &str) -> io::Result<Copy> {
        let file = self.folder.join(name);
        Ok(Copy {
            bytes: read_file(&file)?,
            permissions: std::fs::metadata(&file).ok().map(|it| it.permissions()),
        })
    }
}

/// Returns the digest of a plain file's content; nothing if there isn't one that could be read.
pub(super) fn digest(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() {
        return None;
    }
    let mut hasher = Sha256::new();
    let (mut file, _) = open_regular(path).ok()?;
    std::io::copy(&mut file, &mut hasher).ok()?;
    Some(format!("{:x}", hasher.finalize()))
}

/// Returns the digest of a content.
pub(super) fn digest_of(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
