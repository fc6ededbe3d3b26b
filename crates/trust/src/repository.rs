//! Worktrees of a repository share what a person agreed to (TR-12).

use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_start;

/// Largest pointer file of git that is read.
const MAX_BYTES: u64 = 64 * 1024;

/// Returns the git folder that all worktrees of a project's repository share; `None` for a project
/// that isn't a repository's root, and for one that only claims to be a worktree.
pub(crate) fn common_git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.symlink_metadata().ok()?.is_dir() {
        return git.canonicalize().ok();
    }
    let pointer = read_line(&git)?;
    let own = root.join(pointer.strip_prefix("gitdir:")?.trim());
    let own = own.canonicalize().ok()?;
    // The repository itself has to list this worktree: a file from an archive can point anywhere,
    // but can't write into somebody's repository.
    let known = own.join(read_line(&own.join("gitdir"))?);
    if known.canonicalize().ok()? != git.canonicalize().ok()? {
        return None;
    }
    own.join(read_line(&own.join("commondir"))?)
        .canonicalize()
        .ok()
}

/// Returns whether two folders are worktrees of one repository and belong to one owner.
pub(crate) fn are_worktrees_of_one(one: &Path, other: &Path) -> bool {
    let folders = (common_git_folder(one), common_git_folder(other));
    matches!(folders, (Some(one), Some(other)) if one == other) && have_one_owner(one, other)
}

#[cfg(unix)]
fn have_one_owner(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = |path: &Path| path.metadata().ok().map(|it| it.uid());
    let owners = (owner(one), owner(other));
    matches!(owners, (Some(one), Some(other)) if one == other)
}

#[cfg(not(unix))]
const fn have_one_owner(_one: &Path, _other: &Path) -> bool {
    true
}

fn read_line(file: &Path) -> Option<String> {
    let text = String::from_utf8(read_start(file, MAX_BYTES).ok()?).ok()?;
    Some(text.trim_end().to_owned())
}
