//! What the caller knows about the place where a command would run.

use std::fmt;

/// Looks up a variable.
pub type Variables<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Looks up a file by its absolute path.
pub type Files<'a> = dyn Fn(&str) -> FileText + 'a;

/// What the caller knows about a file before a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// It is as people left it, and its content isn't followed: if it is sourced, it may set any
    /// variable except `HOME` and `IFS`.
    Kept,
    /// It doesn't exist: if it is sourced, something has created it in the meantime, and it may set
    /// anything.
    Missing,
    /// Its content is unknown: running it may do anything.
    Unknown,
    /// It contains this text.
    Known(String),
}

/// What the caller knows about the place where a command would run.
#[derive(Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The current folder, absolute.
    pub folder: Option<&'a str>,
    /// The home folder, absolute.
    pub home: Option<&'a str>,
    /// The root of the repository, absolute: what `git rev-parse --show-toplevel` prints.
    pub repository: Option<&'a str>,
    /// Looks up an environment variable. `None` means that its value can't be known.
    pub variables: Option<&'a Variables<'a>>,
    /// Looks up the content of a file before anything runs. `None` means that all files are as
    /// people left them.
    pub files: Option<&'a Files<'a>>,
}

impl fmt::Debug for Surroundings<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Surroundings")
            .field("folder", &self.folder)
            .field("home", &self.home)
            .field("repository", &self.repository)
            .finish_non_exhaustive()
    }
}

/// Appends a path to a folder, unless it is absolute. `.` and empty components are removed; `..` is
/// kept, because links decide what it means.
pub fn join_path(folder: &str, path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { folder };
    let mut joined = String::with_capacity(folder.len() + path.len() + 2);
    let components = folder.split('/').chain(path.split('/'));
    for component in components.filter(|it| !it.is_empty() && *it != ".") {
        joined.push('/');
        joined.push_str(component);
    }
    if joined.is_empty() {
        joined.push('/');
    }
    joined
}

/// Resolves `..` in an absolute path textually, as `cd` does.
pub fn normalize_path(path: &str) -> String {
    let mut normal = String::with_capacity(path.len() + 1);
    for component in path.split('/').filter(|it| !it.is_empty() && *it != ".") {
        if component == ".." {
            normal.truncate(normal.rfind('/').unwrap_or(0));
        } else {
            normal.push('/');
            normal.push_str(component);
        }
    }
    if normal.is_empty() {
        normal.push('/');
    }
    normal
}
