//! What git runs by files that a session wrote: its hooks, and its own settings.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, settings_of_git};

use super::commands::Place;
use super::concern::Concern;
use super::trees;
use crate::protected::Touch;

/// Commands of git that run hooks of the repository.
const RUN_HOOKS: [&str; 16] = [
    "commit",
    "merge",
    "checkout",
    "switch",
    "rebase",
    "pull",
    "push",
    "am",
    "cherry-pick",
    "revert",
    "worktree add",
    "clone",
    "gc",
    "fetch",
    "reset",
    "stash",
];

/// How many hooks of a repository are looked at.
const MOST_HOOKS: usize = 32;

impl Place {
    /// Looks at what a command of git runs by files that were written since the session began.
    pub(super) fn of_git_files(&self, command: &Command, depth: usize) -> Option<Concern> {
        if command.program != "git" {
            return None;
        }
        let depth = depth.checked_sub(1)?;
        let folder = PathBuf::from(command.folders.first()?);
        let top = trees::top_of(&folder);
        let own = top.join(".git");
        let mut hooks = vec![own.join("hooks")];
        for file in ["config", "config.worktree"] {
            let file = own.join(file);
            let Some(text) = trees::read(&file) else {
                continue;
            };
            let settings = settings_of_git(&text);
            hooks.extend(settings.folders.iter().map(|it| top.join(it)));
            if !self.is_of_session(&file) {
                continue;
            }
            let mut runs = settings.runs.iter();
            let held = runs.find_map(|it| self.of_shell(it, &top, depth));
            if held.is_some() {
                return held;
            }
        }
        let settings = command.values_of(&["-c"]).into_iter();
        let given: String = settings.map(|it| it.text + "\n").collect();
        for line in given.lines() {
            if let Some((key, folder)) = line.split_once('=')
                && key.eq_ignore_ascii_case("core.hooksPath")
            {
                hooks.push(top.join(folder));
            }
        }
        let runs = command.subcommand.as_deref();
        if !runs.is_some_and(|it| RUN_HOOKS.contains(&it.split(" push").next().unwrap_or(it))) {
            return None;
        }
        hooks.iter().find_map(|it| self.of_hooks(it, &top, depth))
    }

    fn of_hooks(&self, hooks: &Path, top: &Path, depth: usize) -> Option<Concern> {
        let entries = std::fs::read_dir(hooks).ok()?.flatten();
        let mut files = entries
            .map(|it| it.path())
            .filter(|it| it.extension().is_none() && it.is_file())
            .filter(|it| self.is_of_session(it))
            .filter(|it| self.protected.touched_by(Touch::Write, it).is_none())
            .take(MOST_HOOKS);
        files.find_map(|it| {
            let text = trees::read(&it)?;
            match super::commands::language_of(&text) {
                Some(language) => {
                    let folders = [top.to_string_lossy().into_owned()];
                    self.of_text(&text, language, &folders, &[], depth)
                }
                None => self.of_shell(&text, top, depth),
            }
        })
    }
}
