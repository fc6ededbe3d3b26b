//! Which folder is the project's root (ST-1).

use std::path::{Path, PathBuf};

use crate::absence::may_stand;

/// Returns the nearest folder upward that holds `.gemini` or `.git`, the home folder never
/// counting; else the working directory itself (ST-1).
pub fn find_project_root(cwd: &Path, home: &Path) -> PathBuf {
    cwd.ancestors()
        .filter(|folder| !is_same_folder(folder, home))
        .find(|folder| may_stand(&folder.join(".gemini")) || folder.join(".git").exists())
        .unwrap_or(cwd)
        .to_path_buf()
}

/// Tells whether two paths lead to one folder.
pub(crate) fn is_same_folder(left: &Path, right: &Path) -> bool {
    left == right
        || match (left.canonicalize(), right.canonicalize()) {
            (Ok(left), Ok(right)) => left == right,
            _ => false,
        }
}
