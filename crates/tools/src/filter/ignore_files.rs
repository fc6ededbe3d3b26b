//! The ignore files of one folder.

use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_inside;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::filter::Filtering;

/// The most that is read of an ignore file, in bytes (TR-10).
const MAX_BYTES: u64 = 1024 * 1024;

/// What the ignore files of a folder say.
#[derive(Debug)]
pub(super) struct IgnoreFiles {
    gemini: Option<Gitignore>,
    git: Option<Gitignore>,
    /// `.git/info/exclude`, of a repository's top folder.
    exclude: Option<Gitignore>,
    is_repository: bool,
}

impl IgnoreFiles {
    /// Reads the files of a folder inside `top`, and tells what is wrong with them.
    pub(super) fn read(folder: &Path, top: &Path, filtering: Filtering) -> (Self, Vec<String>) {
        let mut problems = Vec::new();
        let mut rules = |file: &Path, inside: &Path| rules(folder, file, inside, &mut problems);
        let git_place = folder.join(".git");
        let is_repository = filtering.respect_git_ignore && git_place.exists();
        let files = Self {
            gemini: filtering
                .respect_gemini_ignore
                .then(|| rules(&folder.join(".geminiignore"), top))
                .flatten(),
            git: filtering
                .respect_git_ignore
                .then(|| rules(&folder.join(".gitignore"), top))
                .flatten(),
            exclude: is_repository
                .then(|| git_folder(&git_place))
                .flatten()
                .and_then(|it| rules(&it.join("info").join("exclude"), &it)),
            is_repository,
        };
        (files, problems)
    }

    /// Returns whether a repository begins here.
    pub(super) const fn is_repository(&self) -> bool {
        self.is_repository
    }

    /// Returns whether `.geminiignore` hides a path, or shows it, or says nothing of it.
    pub(super) fn hidden_by_gemini(&self, place: &Path, is_directory: bool) -> Option<bool> {
        verdict(self.gemini.as_ref(), place, is_directory)
    }

    /// Returns the same for git's rules.
    pub(super) fn hidden_by_git(&self, place: &Path, is_directory: bool) -> Option<bool> {
        verdict(self.git.as_ref(), place, is_directory)
            .or_else(|| verdict(self.exclude.as_ref(), place, is_directory))
    }
}

fn verdict(rules: Option<&Gitignore>, place: &Path, is_directory: bool) -> Option<bool> {
    let verdict = rules?.matched(place, is_directory);
    (!verdict.is_none()).then(|| verdict.is_ignore())
}

/// Reads a file's rules for paths below a folder.
fn rules(
    folder: &Path,
    file: &Path,
    inside: &Path,
    problems: &mut Vec<String>,
) -> Option<Gitignore> {
    let bytes = match read_inside(file, inside, MAX_BYTES) {
        Ok(bytes) => bytes?,
        Err(why) => {
            problems.push(format!("{}: {why}", file.display()));
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if let Err(error) = builder.add_line(None, line) {
            problems.push(format!("{}: line {}: {error}", file.display(), index + 1));
        }
    }
    match builder.build() {
        Ok(rules) => (!rules.is_empty()).then_some(rules),
        Err(error) => {
            problems.push(format!("{}: {error}", file.display()));
            None
        }
    }
}

/// Returns the folder in which a repository keeps its own: in a worktree, that of the repository
/// which it belongs to.
fn git_folder(place: &Path) -> Option<PathBuf> {
    const MAX_POINTER_BYTES: u64 = 16 * 1024;
    let pointer = |file: &Path, inside: &Path| {
        let bytes = read_inside(file, inside, MAX_POINTER_BYTES).ok()??;
        String::from_utf8(bytes).ok()
    };
    let real = place.canonicalize().ok()?;
    if real.is_dir() {
        // Doesn't follow a link out of the project.
        return real.starts_with(place.parent()?).then_some(real);
    }
    let text = pointer(place, place.parent()?)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let worktree = place.parent()?.join(target).canonicalize().ok()?;
    let common = pointer(&worktree.join("commondir"), &worktree)?;
    worktree.join(common.trim()).canonicalize().ok()
}
