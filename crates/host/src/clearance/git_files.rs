//! What git runs because of files that a session wrote: hooks and settings of the repository.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, settings_of_git};

use super::commands::Place;
use super::concern::Concern;
use super::reading;
use crate::protected::Touch;

/// Git commands that run the repository's hooks.
const RUN_HOOKS: [&str; 18] = [
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
    "hook",
    "hook run",
];

/// How many settings files are examined; if there are more, their effect isn't known.
const MAX_SETTINGS: usize = 64;

/// Git's hooks.
const HOOKS: &str = "\
    applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit p4-prepare-changelist \
    post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite post-update \
    pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg \
    proc-receive push-to-checkout reference-transaction sendemail-validate update";

impl Place {
    /// Examines what a git command runs because of files written since the session began.
    pub(super) fn check_git_files(&self, command: &Command, depth: usize) -> Option<Concern> {
        if command.program != "git" {
            return None;
        }
        let depth = depth.checked_sub(1)?;
        let folder = PathBuf::from(command.folders.first()?);
        let top = super::git_trees::top_of(&folder);
        let own = own_folder(&top);
        let mut hooks = vec![own.join("hooks")];
        let mut files = vec![own.join("config"), own.join("config.worktree")];
        if let Some(home) = &self.home {
            files.push(home.join(".gitconfig"));
            files.push(home.join(".config/git/config"));
        }
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            at += 1;
            let Some(text) = reading::text_of(&file) else {
                continue;
            };
            for more in included_files(&text, &file, self.home.as_deref()) {
                if !files.contains(&more) {
                    files.push(more);
                }
            }
            if files.len() > MAX_SETTINGS {
                return Some(Concern::Unclear("include.path".to_owned()));
            }
            let settings = settings_of_git(&text);
            hooks.extend(settings.folders.iter().map(|it| top.join(it)));
            if !self.is_of_session(&file) {
                continue;
            }
            let mut runs = settings.runs.iter();
            let concern = runs.find_map(|it| self.check_shell(it, &top, depth));
            if concern.is_some() {
                return concern;
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
        // Every command that touches the index or a reference runs these.
        let always = ["post-index-change", "reference-transaction"];
        let mut of_all = hooks.iter().flat_map(|it| always.map(|name| it.join(name)));
        if let Some(concern) = of_all.find_map(|it| self.check_hook(&it, &top, depth)) {
            return Some(concern);
        }
        if !runs.is_some_and(|it| RUN_HOOKS.contains(&it.split(" push").next().unwrap_or(it))) {
            return None;
        }
        // `git hook run NAME`
        let asked = command.operands().map(|it| it.text.as_str());
        let asked = asked.filter(|_| runs.is_some_and(|it| it.starts_with("hook")));
        let names: Vec<&str> = HOOKS.split_ascii_whitespace().chain(asked).collect();
        let mut files = hooks
            .iter()
            .flat_map(|folder| names.iter().map(|name| folder.join(name)));
        files.find_map(|it| self.check_hook(&it, &top, depth))
    }

    fn check_hook(&self, file: &Path, top: &Path, depth: usize) -> Option<Concern> {
        let is_guards = || self.protected.affected(Touch::Write, file).is_some();
        if !self.has_file(file) || !self.is_of_session(file) || is_guards() {
            return None;
        }
        let text = match self.script_text(file)? {
            Ok(text) => text,
            Err(unclear) => return Some(unclear),
        };
        match super::commands::language_of(&text) {
            Some(language) => {
                let folders = [top.to_string_lossy().into_owned()];
                self.check_text(&text, language, &folders, &[], depth)
            }
            None => self.check_shell(&text, top, depth),
        }
    }
}

/// Returns the index of a folder's repository.
pub(super) fn index_in(folder: &Path) -> PathBuf {
    own_of_tree(&super::git_trees::top_of(folder)).join("index")
}

/// Returns the settings files of a folder's repository.
pub(super) fn settings_in(folder: &Path) -> [PathBuf; 2] {
    let own = own_folder(&super::git_trees::top_of(folder));
    ["config", "config.worktree"].map(|it| own.join(it))
}

/// Returns the folder of a working tree's own git files.
fn own_of_tree(top: &Path) -> PathBuf {
    let own = top.join(".git");
    match reading::text_of(&own).filter(|_| own.is_file()) {
        Some(linked) => top.join(linked.trim().trim_start_matches("gitdir:").trim()),
        None => own,
    }
}

/// Returns the folder of a repository, even if the working tree is linked.
fn own_folder(top: &Path) -> PathBuf {
    let linked = own_of_tree(top);
    match reading::text_of(&linked.join("commondir")) {
        Some(common) => linked.join(common.trim()),
        None => linked,
    }
}

/// Returns the files that git settings include.
fn included_files(text: &str, file: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut is_include = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_include = line.to_ascii_lowercase().starts_with("[include");
        }
        let setting = line.rsplit(']').next().unwrap_or(line);
        let Some((key, value)) = setting.split_once('=').filter(|_| is_include) else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        if key.trim().eq_ignore_ascii_case("path") {
            let folder = file.parent().unwrap_or(file);
            found.push(match (value.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => folder.join(value),
            });
        }
    }
    found
}
