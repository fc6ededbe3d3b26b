//! The work tree that a command of git is about, and what is checked out there.

use hookloop_shell::{Command, join_path};

use super::super::{Effect, note};
use super::{Branches, CheckedOut, bare};

impl Branches<'_> {
    /// Returns the branch that is checked out where a command runs, a protected one where several may be.
    pub(super) fn here(&self, command: &Command) -> Option<String> {
        let added = self.worktrees.iter().find(|it| {
            let mut folders = command.folders.iter();
            let there = command
                .words
                .windows(2)
                .any(|pair| pair[0].text == "-C" && pair[1].text.ends_with(it.name.as_str()));
            there
                || folders.any(|folder| {
                    folder
                        .trim_end_matches('/')
                        .ends_with(&format!("/{}", it.name))
                })
        });
        if let Some(worktree) = added {
            return Some(worktree.branch.clone());
        }
        let folders = self.work_folders(command);
        if folders.is_empty() {
            return self
                .checked_out_at("", command)
                .or_else(|| self.places.branch.clone());
        }
        let branches = folders.iter().filter_map(|folder| {
            let root = self.root(folder);
            self.checked_out_at(&root, command)
                .or_else(|| self.places.branch_at(folder))
        });
        let branches: Vec<String> = branches.collect();
        let protected = branches.iter().find(|it| self.is_protected(it));
        protected.or(branches.first()).cloned()
    }

    /// Returns what git's settings say where a command runs.
    pub(super) fn setting(&self, command: &Command, key: &str) -> Option<String> {
        let repositories = self.places.repositories.as_ref()?;
        let folders = self.work_folders(command);
        let mut folders = folders.iter();
        folders.find_map(|it| repositories.setting(it, key))
    }

    /// Tells whether a name is that of a file or a folder where a command runs, and of no branch.
    pub(super) fn is_path(&self, command: &Command, name: &str) -> bool {
        let last = name.rsplit('/').next().unwrap_or(name);
        let ending = last.rsplit_once('.').map(|(_, ending)| ending);
        let has_ending = ending.is_some_and(|it| {
            (2..=5).contains(&it.len()) && it.chars().all(|it| it.is_ascii_alphabetic())
        });
        let looks_like_one = name.ends_with('/') || matches!(name, "." | "..") || has_ending;
        let folders = self.work_folders(command);
        let repositories = self.places.repositories.as_ref();
        let is_there =
            repositories.is_some_and(|it| folders.iter().any(|at| it.has_path(at, name)));
        (looks_like_one || is_there) && !self.is_branch(command, name).unwrap_or(false)
    }

    /// Tells whether there is a branch of this name where a command runs; nothing where nobody can look.
    fn is_branch(&self, command: &Command, name: &str) -> Option<bool> {
        let repositories = self.places.repositories.as_ref()?;
        let folders = self.work_folders(command);
        let made = self
            .checked_out
            .iter()
            .map(|it| &it.branch)
            .chain(&self.made);
        let is_made = made.into_iter().any(|it| it == name);
        let is_there = || folders.iter().any(|it| repositories.has_branch(it, name));
        (!folders.is_empty()).then(|| is_made || is_there())
    }

    /// Notes that a branch is checked out where a command runs, if there is one of this name.
    pub(super) fn set_head_perhaps(&mut self, command: &Command, branch: &str) {
        let is_doubtful = self.is_branch(command, branch) == Some(false);
        self.set_head_to(command, branch, is_doubtful);
    }

    /// Notes what is checked out where a command runs.
    pub(super) fn set_head(&mut self, command: &Command, branch: &str) {
        self.set_head_to(command, branch, false);
    }

    fn set_head_to(&mut self, command: &Command, branch: &str, is_doubtful: bool) {
        let folders = self.work_folders(command);
        let roots = if folders.is_empty() {
            vec![String::new()]
        } else {
            folders.iter().map(|it| self.root(it)).collect()
        };
        for root in roots {
            self.checked_out.insert(
                0,
                CheckedOut {
                    root,
                    branch: branch.to_owned(),
                    is_doubtful,
                },
            );
        }
    }

    /// Notes that the branch is checked out which was before: one of this text, or the one that the repository's
    /// log names.
    pub(super) fn return_to_previous(&mut self, command: &Command) {
        let folders = self.work_folders(command);
        let root = folders.first().map(|it| self.root(it)).unwrap_or_default();
        let mut known = self.checked_out.iter().filter(|it| it.root == root);
        let previous = known.nth(1).map(|it| it.branch.clone());
        let previous = previous.or_else(|| {
            let folder = folders.first()?;
            if self.checked_out.iter().any(|it| it.root == root) {
                return self.places.branch_at(folder);
            }
            self.places.repositories.as_ref()?.previous_branch(folder)
        });
        if let Some(branch) = previous {
            self.set_head(command, &branch);
        }
    }

    /// Notes files of branches that are written or deleted in a repository's folder.
    pub(super) fn by_reference_file(&self, command: &Command, effects: &mut Vec<Effect>) {
        let paths = command.deletes.iter().chain(&command.writes);
        let written = paths.flat_map(|it| it.paths.iter().chain([&it.written]));
        for path in written {
            let named = path.split_once(".git/refs/heads/").map(|(_, name)| name);
            if let Some(name) = named.filter(|it| self.is_protected(bare(it))) {
                note(effects, "branch.rewrite", command, bare(name));
            } else if path.ends_with(".git/packed-refs") || path.ends_with(".git/refs/heads") {
                note(effects, "branch.rewrite", command, "all branches");
            }
        }
    }

    /// Returns what was checked out in a work tree before a command. What may not be there counts for what runs
    /// only if it was: behind `&&`.
    fn checked_out_at(&self, root: &str, command: &Command) -> Option<String> {
        let mut known = self.checked_out.iter();
        let found = known.find(|it| {
            (it.root == root || it.root.is_empty()) && (!it.is_doubtful || command.perhaps)
        });
        found.map(|it| it.branch.clone())
    }

    fn root(&self, folder: &str) -> String {
        let repositories = self.places.repositories.as_ref();
        let root = repositories.and_then(|it| it.root(folder));
        root.unwrap_or_else(|| {
            let workspace = &self.places.workspace;
            let is_inside = folder.starts_with(workspace.as_str());
            if is_inside { workspace } else { folder }.to_owned()
        })
    }

    /// Returns the folders that git works in; none where they can't be known.
    fn work_folders(&self, command: &Command) -> Vec<String> {
        let words = &command.words[..command.words.len() - command.behind().len()];
        let mut folders = command.folders.clone();
        let mut git_dir = self.git_dir.as_deref();
        let named = command.env.iter().find(|it| it.name == "GIT_DIR");
        git_dir = named.map(|it| it.value.text.as_str()).or(git_dir);
        let mut words = words.iter().skip(1).peekable();
        while let Some(word) = words.next() {
            if word.text == "-C" {
                let Some(folder) = words.next() else { break };
                if !folder.known {
                    return Vec::new();
                }
                folders = folders
                    .iter()
                    .map(|it| join_path(it, &folder.text))
                    .collect();
            } else if let Some(value) = word.text.strip_prefix("--git-dir") {
                git_dir = match value.strip_prefix('=') {
                    Some(value) => Some(value),
                    None => words.peek().map(|it| it.text.as_str()),
                };
            }
        }
        let Some(git_dir) = git_dir else {
            return folders;
        };
        let tree = |folder: String| folder.trim_end_matches("/.git").to_owned();
        folders
            .iter()
            .map(|it| tree(join_path(it, git_dir)))
            .collect()
    }
}
