//! The parameters for loading settings (ST-1, TR-9, ST-13).

use std::path::{Path, PathBuf};

use crate::absence::may_stand;
use crate::extension::ExtensionChoice;
use crate::system_files::SystemFiles;
use crate::workspace::{FolderTrust, RunTrust};

/// Which files to read, and what is known about trust.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The project's root, see [`crate::find_project_root`].
    pub project_root: PathBuf,
    /// The folder that contains the user's `.gemini`.
    pub home: PathBuf,
    /// The files of the system's layer.
    pub system: SystemFiles,
    /// The content of `trustedFolders.json`.
    pub folder: FolderTrust,
    /// Whether the workspace is trusted for this run.
    pub run: RunTrust,
    /// Which extensions are used.
    pub extensions: ExtensionChoice,
    /// The fingerprints of the project settings that a person has agreed to in this folder (ST-13).
    pub agreed_words: Vec<String>,
    /// Files that somebody else could have written: they count as broken (TR-9).
    pub distrusted: Vec<Distrusted>,
}

/// A file that isn't used, because somebody else could have written it (TR-9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distrusted {
    /// The file.
    pub file: PathBuf,
    /// Why it isn't used.
    pub why: String,
    /// The remedy.
    pub remedy: String,
}

/// Returns the nearest folder upwards that contains `.gemini` or `.git`, except the home folder, or else the
/// working directory itself (ST-1).
pub fn find_project_root(cwd: &Path, home: &Path) -> PathBuf {
    let home = SameFolder::new(home);
    cwd.ancestors()
        .filter(|folder| !home.is(folder))
        .find(|folder| may_stand(&folder.join(".gemini")) || folder.join(".git").exists())
        .unwrap_or(cwd)
        .to_path_buf()
}

/// Returns whether two paths lead to one folder.
pub(crate) fn is_same_folder(left: &Path, right: &Path) -> bool {
    SameFolder::new(right).is(left)
}

/// A folder that others are compared with: whatever the paths are called, they lead to one folder if the system says
/// so.
struct SameFolder<'p> {
    path: &'p Path,
    identity: Option<Identity>,
}

impl<'p> SameFolder<'p> {
    fn new(path: &'p Path) -> Self {
        Self {
            path,
            identity: identity(path),
        }
    }

    fn is(&self, other: &Path) -> bool {
        self.path == other || self.identity.is_some() && self.identity == identity(other)
    }
}

/// A folder's device and number there.
#[cfg(unix)]
type Identity = [u64; 2];

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = path.metadata().ok()?;
    Some([metadata.dev(), metadata.ino()])
}

/// A folder's path without links.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
}
