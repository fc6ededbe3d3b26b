//! The work tree that a git command acts on, and what is checked out there.

use hookloop_shell::{Command, Place, Word, join_path};

use super::super::{Effect, note};
use super::{Branches, CheckedOut, bare};

impl Branches<'_> {
    /// Returns the branches that may be checked out where a command runs: several if it may run in
    /// several folders.
    pub(super) fn current_branches(&self, command: &Command) -> Vec<String> {
        if let Some(name) = self.added_worktree(command) {
            return self.checked_out_at(name, command).into_iter().collect();
        }
        let folders = self.work_folders(command);
        if folders.is_empty() {
            // The folder isn't known, so the last checkout counts, wherever it was.
            let last = self.checked_out_at("", command);
            return last
                .or_else(|| self.places.branch.clone())
                .into_iter()
                .collect();
        }
        let branches = folders.iter().filter_map(|folder| {
            let root = self.root(folder);
            self.checked_out_at(&root, command)
                .or_else(|| self.places.branch_at(folder))
        });
        let mut branches: Vec<String> = branches.collect();
        branches.sort();
        branches.dedup();
        branches
    }

    /// Returns whether nobody here sees what is checked out where a command runs: on another
    /// machine, in a folder of a container that isn't a repository of this machine, or in a
    /// repository that is named and isn't there. What the same text checked out there is known.
    pub(super) fn is_out_of_sight(&self, command: &Command) -> bool {
        if self.added_worktree(command).is_some() {
            return false;
        }
        let folders = self.work_folders(command);
        if command.place == Place::Here {
            let is_seen = |folder: &String| match self.places.repositories.as_ref() {
                Some(repositories) => repositories.root(folder).is_some(),
                None => self.places.branch_at(folder).is_some(),
            };
            let is_known =
                |it: &String| is_seen(it) || self.checked_out_at(&self.root(it), command).is_some();
            return self.git_dir(command).is_some() && !folders.iter().all(is_known);
        }
        let is_mounted = |folder: &str| {
            command.place == Place::Container && self.places.branch_at(folder).is_some()
        };
        let is_known = |folder: &String| {
            self.checked_out_at(&self.root(folder), command).is_some() || is_mounted(folder)
        };
        if folders.is_empty() {
            return self.checked_out_at("", command).is_none();
        }
        !folders.iter().all(is_known)
    }

    /// Returns the name of the added work tree that a command runs in.
    fn added_worktree(&self, command: &Command) -> Option<&str> {
        let added = self.worktrees.iter().find(|name| {
            let mut folders = command.folders.iter();
            let there = command
                .words
                .windows(2)
                .any(|pair| pair[0].text == "-C" && pair[1].text.ends_with(name.as_str()));
            there
                || folders.any(|folder| folder.trim_end_matches('/').ends_with(&format!("/{name}")))
        });
        added.map(String::as_str)
    }

    /// Returns every value that git's settings have for a key where a command runs; if that isn't
    /// known, in the workspace.
    pub(super) fn settings(&self, command: &Command, key: &str) -> Vec<String> {
        let made = self.made_settings.iter();
        let made = made.filter(|(it, _)| it.eq_ignore_ascii_case(key));
        let made = made.map(|(_, value)| value.clone());
        let Some(repositories) = self.places.repositories.as_ref() else {
            return made.collect();
        };
        let mut folders = self.work_folders(command);
        if folders.is_empty() {
            folders.push(self.places.workspace.clone());
        }
        let values = folders.iter().map(|it| repositories.settings(it, key));
        values.flatten().chain(made).collect()
    }

    /// Returns what git's settings say where a command runs: the last value counts.
    pub(super) fn setting(&self, command: &Command, key: &str) -> Option<String> {
        self.settings(command, key).pop()
    }

    /// Notes that there may be branches and remotes that weren't there before.
    pub(super) fn bring(&mut self, subcommand: &str) {
        const BRINGS: [&str; 6] = ["fetch", "pull", "clone", "init", "remote", "bundle"];
        let first = subcommand.split(' ').next().unwrap_or_default();
        self.may_have_more |= BRINGS.contains(&first);
    }

    /// Returns whether a name is that of a file or a folder where a command runs, and not of a
    /// branch.
    pub(super) fn is_path(&self, command: &Command, name: &str) -> bool {
        let last = name.rsplit('/').next().unwrap_or(name);
        let ending = last.rsplit_once('.').map(|(_, ending)| ending);
        let has_ending = ending.is_some_and(|it| {
            (2..=5).contains(&it.len()) && it.chars().all(|it| it.is_ascii_alphabetic())
        });
        let looks_like_one = name.ends_with('/') || matches!(name, "." | "..") || has_ending;
        let is_there = self.has_path(command, name).unwrap_or(false);
        (looks_like_one || is_there) && !self.is_branch(command, name).unwrap_or(false)
    }

    /// Returns whether there is a file or a folder of this name where a command runs; nothing if
    /// nobody can look.
    pub(super) fn has_path(&self, command: &Command, name: &str) -> Option<bool> {
        let repositories = self.places.repositories.as_ref()?;
        let folders = self.work_folders(command);
        let is_there = folders.iter().any(|it| repositories.has_path(it, name));
        (!folders.is_empty()).then_some(is_there)
    }

    /// Returns whether there is a branch of this name where a command runs; nothing if nobody can
    /// look.
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
        if is_made || is_there() {
            return Some(true);
        }
        let is_seen = folders.iter().any(|it| repositories.root(it).is_some());
        (is_seen && !self.may_have_more).then_some(false)
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
        let roots = self.roots(command);
        for root in roots {
            let checked_out = CheckedOut {
                root,
                branch: branch.to_owned(),
                is_doubtful,
                is_remote: command.place == Place::Remote,
            };
            self.checked_out.insert(0, checked_out);
        }
    }

    /// Notes what is checked out in a work tree that was just added.
    pub(super) fn check_out_at(&mut self, root: &str, branch: &str, command: &Command) {
        let checked_out = CheckedOut {
            root: root.to_owned(),
            branch: branch.to_owned(),
            is_doubtful: false,
            is_remote: command.place == Place::Remote,
        };
        self.checked_out.insert(0, checked_out);
    }

    /// Notes that the previous branch is checked out again: one of this text, or the one that the
    /// repository's log names.
    pub(super) fn return_to_previous(&mut self, command: &Command) {
        let folders = self.work_folders(command);
        let root = self.roots(command).into_iter().next().unwrap_or_default();
        let mut known = self
            .checked_out
            .iter()
            .filter(|it| root.is_empty() || it.root == root);
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

    /// Notes that files of branches are written or deleted in a repository's folder.
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

    /// Returns what was checked out in a work tree before a command; in any of them if it isn't
    /// known which. What may not be there counts only for commands that run if it was: those after
    /// `&&`.
    fn checked_out_at(&self, root: &str, command: &Command) -> Option<String> {
        let mut known = self.checked_out.iter();
        let found = known.find(|it| {
            let is_there = it.root == root || it.root.is_empty() || root.is_empty();
            let is_same_machine = it.is_remote == (command.place == Place::Remote);
            is_there && is_same_machine && (!it.is_doubtful || command.perhaps)
        });
        found.map(|it| it.branch.clone())
    }

    /// Returns the work trees that a command may be about; an empty one means that it isn't known.
    fn roots(&self, command: &Command) -> Vec<String> {
        if let Some(name) = self.added_worktree(command) {
            return vec![name.to_owned()];
        }
        let folders = self.work_folders(command);
        if folders.is_empty() {
            return vec![String::new()];
        }
        folders.iter().map(|it| self.root(it)).collect()
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

    /// Returns the folders that git works in; none if they can't be known.
    fn work_folders(&self, command: &Command) -> Vec<String> {
        let mut folders = command.folders.clone();
        let mut words = words_before_subcommand(command).iter().skip(1);
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
            }
        }
        let Some(git_dir) = self.git_dir(command) else {
            return folders;
        };
        let tree = |folder: String| folder.trim_end_matches("/.git").to_owned();
        folders
            .iter()
            .map(|it| tree(join_path(it, git_dir)))
            .collect()
    }

    /// Returns the repository that an option or a variable names.
    fn git_dir<'c>(&'c self, command: &'c Command) -> Option<&'c str> {
        let named = command.env.iter().find(|it| it.name == "GIT_DIR");
        let named = named.map(|it| it.value.text.as_str());
        let mut git_dir = named.or(self.git_dir.as_deref());
        let mut words = words_before_subcommand(command).iter().skip(1).peekable();
        while let Some(word) = words.next() {
            if let Some(value) = word.text.strip_prefix("--git-dir") {
                git_dir = match value.strip_prefix('=') {
                    Some(value) => Some(value),
                    None => words.peek().map(|it| it.text.as_str()),
                };
            }
        }
        git_dir
    }
}

/// Returns the words up to the subcommand.
fn words_before_subcommand(command: &Command) -> &[Word] {
    &command.words[..command.words.len() - command.arguments().len()]
}
