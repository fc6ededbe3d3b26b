//! The parameters for loading settings (ST-1, TR-9, ST-13).

use std::path::{Path, PathBuf};

use crate::absence::may_stand;
use crate::extension::ExtensionChoice;
use crate::file_id::FileId;
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

/// Returns the nearest folder upwards that contains `.gemini` or `.git`, except the home folder, or
/// else the working directory itself (ST-1).
pub fn find_project_root(cwd: &Path, home: &Path) -> PathBuf {
    let home_id = FileId::of(home);
    let is_home =
        |folder: &Path| folder == home || home_id.as_ref().is_some_and(|home| home.is_at(folder));
    cwd.ancestors()
        .filter(|folder| !is_home(folder))
        .find(|folder| may_stand(&folder.join(".gemini")) || folder.join(".git").exists())
        .unwrap_or(cwd)
        .to_path_buf()
}

/// Returns whether two paths lead to one folder.
pub(crate) fn is_same_folder(left: &Path, right: &Path) -> bool {
    left == right || FileId::of(left).is_some_and(|it| it.is_at(right))
}
