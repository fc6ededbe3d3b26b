//! Settings with hooks in a subfolder of the project, which a session of the project doesn't read.

use std::fs;
use std::path::{Path, PathBuf};

use hookloop_hook::{Layer, Problem, ProblemCode};

use super::{Candidate, Owner, Purpose, look_into};

/// How far below the project's root is looked.
const MAX_DEPTH: usize = 2;

/// Most folders that are looked at.
const MAX_FOLDERS: usize = 128;

/// Most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 256;

/// Folders that contain what somebody else wrote, or examples and tests.
const SKIPPED_FOLDERS: [&str; 22] = [
    "build",
    "dist",
    "doc",
    "docs",
    "example",
    "examples",
    "extensions",
    "fixture",
    "fixtures",
    "kits",
    "node_modules",
    "out",
    "sample",
    "samples",
    "target",
    "template",
    "templates",
    "test",
    "testdata",
    "tests",
    "third_party",
    "vendor",
];

/// Returns the folders of a project that may contain settings of their own, and so many at most
/// (TR-10). A repository within it is a project by itself, and links aren't followed. A folder that
/// is only where a session began, without a project in it, may well contain several projects.
pub(super) fn folders_below(root: &Path) -> Vec<PathBuf> {
    let is_project = [".gemini", ".git"]
        .iter()
        .any(|it| root.join(it).symlink_metadata().is_ok());
    if !is_project {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut level = vec![root.to_path_buf()];
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for folder in &level {
            let left = MAX_FOLDERS.saturating_sub(found.len() + next.len());
            next.extend(folders_in(folder).into_iter().take(left));
        }
        found.extend(next.iter().cloned());
        level = next;
    }
    found
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries
        .take(MAX_ENTRIES)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()))
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
            !name.starts_with('.') && !SKIPPED_FOLDERS.contains(&name.as_str())
        })
        .map(|entry| entry.path())
        .filter(|path| path.join(".git").symlink_metadata().is_err())
        .collect();
    folders.sort();
    folders
}

/// Reports the settings of a folder if they contain hooks: a session reads only those of its
/// project's root (ST-1).
pub(super) fn look_at(folder: &Path, root: &Path) -> Option<Problem> {
    let candidate = Candidate {
        path: folder.join(".gemini").join("settings.json"),
        root,
        layer: Layer::Project,
        owner: Owner::Ours,
        purpose: Purpose::Settings,
    };
    let found = look_into(&candidate)?;
    let below = folder.strip_prefix(root).unwrap_or(folder).display();
    let message = format!(
        "hooks in {below}/.gemini/settings.json have no effect on sessions of this project: only \
         one that begins in {below} reads this file"
    );
    let help =
        "move its \"hooks\" into .gemini/settings.json if they are meant for the whole project";
    let mut problem = Problem::new(ProblemCode::MisplacedFile, found.source, message, help);
    problem.snippet = found.snippet;
    Some(problem)
}
