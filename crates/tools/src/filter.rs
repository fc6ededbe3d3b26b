//! Which paths ignore files hide from the agent (TO-1).
//!
//! Anybody may have written a project's ignore files. So they are read here and not by the library
//! that parses them, to make sure that each is a regular file of limited size inside the project
//! (TR-10).

mod ignore_files;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::filter::ignore_files::IgnoreFiles;

/// Which ignore files hide paths from the agent (TO-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filtering {
    /// Whether `.gitignore`, `.git/info/exclude` and the `.git` folder itself count.
    pub respect_git_ignore: bool,
    /// Whether `.geminiignore` counts.
    pub respect_gemini_ignore: bool,
}

impl Default for Filtering {
    fn default() -> Self {
        Self {
            respect_git_ignore: true,
            respect_gemini_ignore: true,
        }
    }
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A folder.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link, to whatever.
    Link,
    /// A pipe, socket or device.
    Special,
}

impl From<std::fs::FileType> for EntryKind {
    fn from(kind: std::fs::FileType) -> Self {
        if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }
}

/// The purpose for which a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// All ignore files count.
    Reading,
    /// `.geminiignore` and the `.git` folder count. Files that git ignores may be created, such as
    /// build output.
    Editing,
}

/// Which paths of the workspace are hidden.
pub(crate) struct PathFilter {
    roots: Vec<Root>,
    hides_git_folder: bool,
    problems: Vec<String>,
}

/// A folder of the workspace, with what was found of ignore files so far.
struct Root {
    folder: PathBuf,
    /// Where rules begin: the repository that the folder belongs to, or the folder itself.
    top: PathBuf,
    filtering: Filtering,
    files: HashMap<PathBuf, IgnoreFiles>,
    hidden: HashMap<PathBuf, bool>,
}

impl PathFilter {
    /// Creates a filter that reads ignore files when it reaches them.
    pub(crate) fn new(folders: &[PathBuf], filtering: Filtering, rules: Rules) -> Self {
        let counting = match rules {
            Rules::Reading => filtering,
            Rules::Editing => Filtering {
                respect_git_ignore: false,
                ..filtering
            },
        };
        let folders = folders.iter();
        Self {
            roots: folders.map(|it| Root::new(it, counting)).collect(),
            hides_git_folder: filtering.respect_git_ignore,
            problems: Vec::new(),
        }
    }

    /// Returns whether `place`, which is in the workspace and without links, is hidden.
    pub(crate) fn ignores(&mut self, place: &Path, kind: EntryKind) -> bool {
        let Some((root, rest)) = self.roots.iter_mut().find_map(|root| {
            let rest = place.strip_prefix(&root.folder).ok()?;
            Some((root, rest))
        }) else {
            return true;
        };
        if self.hides_git_folder
            && rest
                .components()
                .any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
        {
            return true;
        }
        if rest.as_os_str().is_empty() {
            return false;
        }
        root.hides(place, kind == EntryKind::Directory, &mut self.problems)
    }

    /// Returns what couldn't be parsed in ignore files, with its places.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl Root {
    fn new(folder: &Path, filtering: Filtering) -> Self {
        let repository = folder.ancestors().find(|it| it.join(".git").exists());
        Self {
            folder: folder.to_owned(),
            top: repository.unwrap_or(folder).to_owned(),
            filtering,
            files: HashMap::new(),
            hidden: HashMap::new(),
        }
    }

    /// Returns whether a path below the folder is hidden, or a folder that it is in.
    fn hides(&mut self, place: &Path, is_directory: bool, problems: &mut Vec<String>) -> bool {
        if let Some(parent) = place.parent().filter(|it| *it != self.folder)
            && self.hides_folder(parent, problems)
        {
            return true;
        }
        self.decides(place, is_directory, problems)
    }

    fn hides_folder(&mut self, folder: &Path, problems: &mut Vec<String>) -> bool {
        if let Some(known) = self.hidden.get(folder) {
            return *known;
        }
        let is_hidden = self.hides(folder, true, problems);
        self.hidden.insert(folder.to_owned(), is_hidden);
        is_hidden
    }

    /// Returns what the rules say about a path itself: first `.geminiignore`, then git; of several
    /// files of one kind the nearest that says something.
    fn decides(&mut self, place: &Path, is_directory: bool, problems: &mut Vec<String>) -> bool {
        let (top, filtering) = (self.top.clone(), self.filtering);
        let folders = place
            .ancestors()
            .skip(1)
            .take_while(|it| it.starts_with(&top));
        let mut verdict_of_git = None;
        let mut asks_git = filtering.respect_git_ignore;
        for folder in folders {
            let files = self.files.entry(folder.to_owned()).or_insert_with(|| {
                let (files, found) = IgnoreFiles::read(folder, &top, filtering);
                problems.extend(found);
                files
            });
            if let Some(verdict) = files.hidden_by_gemini(place, is_directory) {
                return verdict;
            }
            if asks_git {
                verdict_of_git =
                    verdict_of_git.or_else(|| files.hidden_by_git(place, is_directory));
                // A nested repository has its own rules.
                asks_git = !files.is_repository();
            }
        }
        verdict_of_git.unwrap_or(false)
    }
}
