//! Lookups of git repositories, files and links for rules. This code accesses nothing itself: the
//! caller that judges calls provides the lookups.

use std::fmt;

/// Looks into the git repositories that commands work in.
pub trait Repositories: fmt::Debug + Send + Sync {
    /// Returns the root of the work tree that a folder belongs to; nothing if there isn't one.
    fn root(&self, folder: &str) -> Option<String>;

    /// Returns the branch that is checked out in the work tree of a folder; nothing if there isn't
    /// one.
    fn branch(&self, folder: &str) -> Option<String>;

    /// Returns whether a branch can be checked out in the repository of a folder: there is one of
    /// this name, also one that a remote has.
    fn has_branch(&self, folder: &str, name: &str) -> bool;

    /// Returns whether a folder has a file or folder of this name.
    fn has_path(&self, folder: &str, name: &str) -> bool;

    /// Returns the text of a file by its absolute path; nothing if it can't be read.
    fn text(&self, path: &str) -> Option<String>;

    /// Returns the branch that was checked out before this one in the work tree of a folder
    /// (`git checkout -`); nothing if none was, or it isn't known.
    fn previous_branch(&self, folder: &str) -> Option<String>;

    /// Returns the values of a key (`push.default`) in git's settings for a folder: every value, in
    /// the order in which git reads them; none if nothing is set.
    fn settings(&self, folder: &str, key: &str) -> Vec<String>;

    /// Returns where an absolute path leads when every link in it is followed, also where nothing
    /// is there yet; nothing if nobody can look.
    fn real_path(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns what is in a folder and below it, without what is in a folder that the caller skips
    /// and without following links; nothing if nobody can look.
    fn below(&self, _folder: &str, _skips: &dyn Fn(&str) -> bool) -> FolderContent {
        FolderContent::default()
    }

    /// Returns the names of the links in a folder.
    fn links(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }
}

/// The content of a folder, including its subfolders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderContent {
    /// Absolute paths, those with the fewest components below the folder first.
    pub paths: Vec<String>,
    /// Whether there is more than the limit allows.
    pub more: bool,
}
