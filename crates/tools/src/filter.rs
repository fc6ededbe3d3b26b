//! Which paths ignore files hide from the agent (TO-1).

use std::path::{Path, PathBuf};

use ignore::IncrementalIgnore;
use ignore::WalkBuilder;

use crate::walk::EntryKind;
use crate::{Filtering, Workspace};

/// Says what a path is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// All ignore files count.
    Reading,
    /// `.geminiignore` counts, and the `.git` folder; what git ignores may be created, e.g. build output.
    Editing,
}

/// Tells which paths of the workspace are hidden.
pub(crate) struct PathFilter {
    matchers: Vec<(PathBuf, IncrementalIgnore)>,
    hides_git_folder: bool,
    problems: Vec<String>,
}

impl PathFilter {
    /// Makes a filter that reads the ignore files as it comes to them.
    pub(crate) fn new(workspace: &Workspace, rules: Rules) -> Self {
        let filtering = match rules {
            Rules::Reading => workspace.filtering(),
            Rules::Editing => Filtering {
                respect_git_ignore: false,
                ..workspace.filtering()
            },
        };
        let matchers = workspace
            .directories()
            .iter()
            .flat_map(|folder| {
                builder(folder, filtering)
                    .build_matchers()
                    .into_iter()
                    .map(|matcher| (folder.clone(), matcher))
            })
            .collect();
        Self {
            matchers,
            hides_git_folder: workspace.filtering().respect_git_ignore,
            problems: Vec::new(),
        }
    }

    /// Tells whether `place`, which is in the workspace and without links, is hidden.
    pub(crate) fn ignores(&mut self, place: &Path, kind: EntryKind) -> bool {
        let Some((matcher, rest)) = self.matchers.iter_mut().find_map(|(folder, matcher)| {
            let rest = place.strip_prefix(folder).ok()?;
            Some((matcher, rest))
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
        let is_directory = kind == EntryKind::Directory;
        let (verdict, problem) = matcher.matched_with_errors(rest, is_directory);
        if let Some(problem) = problem {
            self.problems.push(problem.to_string());
        }
        verdict.is_ignore()
    }

    /// Returns what could not be understood in ignore files, with their places.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }
}

fn builder(folder: &Path, filtering: Filtering) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    builder
        .current_dir(folder)
        .hidden(false)
        .ignore(false)
        // The user's own git settings are not the workspace's, and lie in the home folder.
        .git_global(false)
        .git_ignore(filtering.respect_git_ignore)
        .git_exclude(filtering.respect_git_ignore)
        .require_git(false)
        // Above the folder only the repository that it belongs to has a say.
        .parents(
            folder
                .ancestors()
                .any(|parent| parent.join(".git").exists()),
        );
    if filtering.respect_gemini_ignore {
        builder.add_custom_ignore_filename(".geminiignore");
    }
    builder
}
