//! The folders that tools may access, and the resolution of paths in them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::filter::{EntryKind, Filtering, PathFilter, Rules};
use crate::open_files::Editor;
use crate::{ErrorKind, OpenFiles, ToolError};

#[cfg(test)]
mod tests;

/// The number of links that Linux follows before it reports a loop.
const MAX_LINKS: usize = 40;

/// Why a folder can't be part of a workspace.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The path isn't absolute.
    #[error("use the workspace folder {}: the path isn't absolute", .0.display())]
    NotAbsolute(PathBuf),
    /// The path isn't a folder, or can't be accessed.
    #[error("use the workspace folder {}: {source}", .path.display())]
    Unusable {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// The folders that tools may access: a root and additional ones (TO-1).
#[derive(Debug, Clone)]
pub struct Workspace {
    directories: Vec<PathBuf>,
    filtering: Filtering,
    editor: Editor,
}

impl Workspace {
    /// Opens a workspace. All folders must exist and be absolute; links in them are resolved.
    pub fn open(root: &Path, additional: &[PathBuf]) -> Result<Self, WorkspaceError> {
        let mut directories: Vec<PathBuf> = Vec::new();
        for path in std::iter::once(root).chain(additional.iter().map(PathBuf::as_path)) {
            let directory = open_directory(path)?;
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        }
        Ok(Self {
            directories,
            filtering: Filtering::default(),
            editor: Editor::default(),
        })
    }

    /// Sets the editor in which a person has files open (TU-7).
    #[must_use]
    pub fn with_open_files(mut self, editor: Option<Arc<dyn OpenFiles>>) -> Self {
        self.editor = Editor(editor);
        self
    }

    /// Returns the editor in which a person has files open.
    pub(crate) const fn editor(&self) -> &Editor {
        &self.editor
    }

    /// Sets which ignore files count. By default, all of them do.
    #[must_use]
    pub fn with_filtering(mut self, filtering: Filtering) -> Self {
        self.filtering = filtering;
        self
    }

    /// Returns the root, absolute and resolved.
    pub fn root(&self) -> &Path {
        &self.directories[0]
    }

    /// Returns all folders, the root first.
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Returns which ignore files count.
    pub fn filtering(&self) -> Filtering {
        self.filtering
    }

    /// Creates a filter for its folders, which reads ignore files when it reaches them.
    pub(crate) fn path_filter(&self, rules: Rules) -> PathFilter {
        PathFilter::new(&self.directories, self.filtering, rules)
    }

    /// Resolves a path, including links. The file need not exist.
    ///
    /// A relative path starts at the root.
    ///
    /// # Errors
    /// `invalid_tool_params` for an empty path, and `path_not_in_workspace` for a path outside
    /// (TO-1).
    pub fn resolve(&self, path: &str) -> Result<PathBuf, ToolError> {
        if path.is_empty() || path.contains('\0') {
            return Err(ToolError::invalid(
                "the path must be non-empty text without NUL",
            ));
        }
        let place = real_path(&self.root().join(path)).map_err(|source| {
            ToolError::new(
                ErrorKind::PathNotInWorkspace,
                format!("the path \"{path}\" can't be resolved: {source}"),
            )
        })?;
        if self.contains(&place) {
            return Ok(place);
        }
        let folders: Vec<String> = self
            .directories
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        Err(ToolError::new(
            ErrorKind::PathNotInWorkspace,
            format!(
                "Path not in workspace: \"{path}\" resolves to {}, outside the workspace's \
                 folders: {}",
                place.display(),
                folders.join(", ")
            ),
        ))
    }

    /// Returns the existing folder that `path` stands for, by default the root.
    pub(crate) fn resolve_directory(&self, path: Option<&str>) -> Result<PathBuf, ToolError> {
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            return Ok(self.root().to_path_buf());
        };
        let place = self.resolve(path)?;
        match place.metadata() {
            Ok(metadata) if metadata.is_dir() => Ok(place),
            Ok(_) => Err(ToolError::new(
                ErrorKind::NotADirectory,
                format!("{} isn't a directory", place.display()),
            )),
            Err(source) => Err(ToolError::new(
                ErrorKind::FileNotFound,
                format!("the directory {} can't be used: {source}", place.display()),
            )),
        }
    }

    /// Returns whether a place without links in its path is in one of the folders.
    pub(crate) fn contains(&self, place: &Path) -> bool {
        self.directories
            .iter()
            .any(|folder| place.starts_with(folder))
    }

    /// Returns the path of `place` inside the workspace, relative to the root if possible.
    pub fn relative<'a>(&self, place: &'a Path) -> &'a Path {
        match place.strip_prefix(self.root()) {
            Ok(rest) if rest.as_os_str().is_empty() => Path::new("."),
            Ok(rest) => rest,
            Err(_) => place,
        }
    }

    /// Refuses a place that ignore files hide from the agent (TO-1).
    pub(crate) fn refuse_ignored(&self, place: &Path, rules: Rules) -> Result<(), ToolError> {
        let kind = if place.is_dir() {
            EntryKind::Directory
        } else {
            EntryKind::File
        };
        if self.path_filter(rules).ignores(place, kind) {
            return Err(ToolError::new(
                ErrorKind::PathIgnored,
                format!(
                    "File path '{}' is ignored by configured ignore patterns.",
                    place.display()
                ),
            ));
        }
        Ok(())
    }
}

fn open_directory(path: &Path) -> Result<PathBuf, WorkspaceError> {
    if !path.is_absolute() {
        return Err(WorkspaceError::NotAbsolute(path.to_path_buf()));
    }
    let unusable = |source| WorkspaceError::Unusable {
        path: path.to_path_buf(),
        source,
    };
    let directory = real_path(path).map_err(unusable)?;
    if !directory.metadata().map_err(unusable)?.is_dir() {
        return Err(unusable(io::ErrorKind::NotADirectory.into()));
    }
    Ok(directory)
}

/// Resolves all links in an absolute path whose end need not exist.
///
/// The system's own call refuses paths that don't exist, and a link to nowhere would lead a writer
/// out.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let mut place = PathBuf::new();
    let mut rest: VecDeque<OsString> = components(path);
    let mut links = 0;
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            place.pop();
            continue;
        }
        place.push(&name);
        // A root isn't a link, and a Windows path's prefix alone (`\\?\C:`) can't be looked at.
        if place.parent().is_none() {
            continue;
        }
        let is_link = match place.symlink_metadata() {
            Ok(metadata) => metadata.file_type().is_symlink(),
            Err(error) if is_absence(&error) => false,
            Err(error) => return Err(error),
        };
        if !is_link {
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(io::Error::other("too many symbolic links"));
        }
        let target = place.read_link()?;
        // An absolute target starts with the root, and pushing that replaces the place.
        place.pop();
        for name in components(&target).into_iter().rev() {
            rest.push_front(name);
        }
    }
    Ok(place)
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn components(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter(|component| !matches!(component, Component::CurDir))
        .map(|component| component.as_os_str().to_os_string())
        .collect()
}
