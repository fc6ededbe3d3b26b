//! Aliases of git: given with a command, or set in its repository.

use hookloop_shell::{Command, Surroundings, Understood, join, understand};

use super::{Branches, dotfiles};

/// Git's own commands, which no alias can replace.
const OWN: [&str; 65] = [
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-ignore",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "describe",
    "diff",
    "diff-tree",
    "fast-export",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "mv",
    "name-rev",
    "notes",
    "pull",
    "push",
    "range-diff",
    "read-tree",
    "rebase",
    "reflog",
    "remote",
    "replace",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "worktree",
    "write-tree",
];

impl Branches<'_> {
    /// Returns what an alias of git stands for, understood: one that the command itself defines, or
    /// one that is set where it runs. Of a program that hands its words to git, it is that command.
    pub(in crate::effects) fn alias(&self, command: &Command) -> Option<Understood> {
        if command.program != "git" {
            let text = dotfiles::managed(command, &self.places.home)?;
            return Some(self.understand(&format!("!{text}"), "", command));
        }
        if let Some((_, text)) = alias_setting(command) {
            // The effects of the alias itself.
            return Some(self.understand(text, "", command));
        }
        let name = command.subcommand.as_deref()?;
        // These can't be aliases, so most git calls don't need to read git's settings.
        if OWN.contains(&name) || name.contains(char::is_whitespace) {
            return None;
        }
        let name = name.to_lowercase();
        let given = inline_alias(command, &name)
            .or_else(|| self.aliases.get(&name).cloned())
            .or_else(|| self.setting(command, &format!("alias.{name}")))?;
        // A shell alias also receives the arguments after it.
        let behind = join(command.arguments().iter().map(|it| it.text.as_str()));
        Some(self.understand(&given, &behind, command))
    }

    /// Notes an alias that a command sets: `git config alias.ci commit`.
    pub(super) fn note_alias(&mut self, command: &Command) {
        if let Some((name, text)) = alias_setting(command) {
            self.aliases.insert(name.to_lowercase(), text.to_owned());
        }
    }

    /// Notes another setting that a command makes: `git config push.default upstream`.
    pub(super) fn note_setting(&mut self, command: &Command) {
        let words = command.arguments().iter().map(|it| it.text.as_str());
        let mut words = words.filter(|it| !it.starts_with("--")).peekable();
        words.next_if(|it| *it == "set");
        if let (Some(key), Some(value)) = (words.next(), words.next())
            && key.contains('.')
        {
            self.made_settings.push((key.to_owned(), value.to_owned()));
        }
    }

    /// Notes a branch's new upstream: `git branch -u origin/main`.
    pub(super) fn note_upstream(&mut self, command: &Command, operands: &[&str]) {
        let words = command.arguments().iter().map(|it| it.text.as_str());
        let words: Vec<&str> = words.collect();
        let attached = words
            .iter()
            .find_map(|it| it.strip_prefix("--set-upstream-to="));
        let short = words.windows(2).find_map(|pair| {
            ["-u", "--set-upstream-to"]
                .contains(&pair[0])
                .then_some(pair[1])
        });
        let Some((_, target)) = attached.or(short).and_then(|it| it.split_once('/')) else {
            return;
        };
        let merge = format!("refs/heads/{target}");
        let named = operands
            .iter()
            .find(|it| !it.ends_with(&format!("/{target}")));
        let branches = named.map_or_else(
            || self.current_branches(command),
            |it| vec![(*it).to_owned()],
        );
        for branch in branches {
            self.made_settings
                .push((format!("branch.{branch}.merge"), merge.clone()));
        }
    }

    fn understand(&self, given: &str, behind: &str, command: &Command) -> Understood {
        let text = match given.strip_prefix('!') {
            Some(shell) => format!("{shell} {behind}"),
            None => format!("git {given} {behind}"),
        };
        let places = self.places;
        let absolute = |text: &'_ str| text.starts_with('/');
        let workspace = Some(places.workspace.as_str()).filter(|it| absolute(it));
        let folder = command.folders.first().map(String::as_str).or(workspace);
        understand(
            &text,
            Surroundings {
                folder,
                home: Some(places.home.as_str()).filter(|it| absolute(it)),
                repository: workspace,
                ..Surroundings::default()
            },
        )
    }
}

/// Returns whether a command sets an alias, which does nothing to a branch yet.
pub(in crate::effects) fn sets_alias(command: &Command) -> bool {
    alias_setting(command).is_some()
}

/// Returns the alias that a command sets, and what it stands for.
fn alias_setting(command: &Command) -> Option<(&str, &str)> {
    if command.program != "git" || command.subcommand.as_deref() != Some("config") {
        return None;
    }
    let mut words = command.arguments().iter().map(|it| it.text.as_str());
    let name = words.find_map(|it| it.strip_prefix("alias."))?;
    Some((name, words.next()?))
}

/// Returns what an alias stands for that a command defines for itself: `git -c alias.x=… x`.
fn inline_alias(command: &Command, name: &str) -> Option<String> {
    command.words_after_program().iter().find_map(|word| {
        let inner = word.text.strip_prefix("-c").unwrap_or(&word.text);
        let (known, meant) = inner.strip_prefix("alias.")?.split_once('=')?;
        known.eq_ignore_ascii_case(name).then(|| meant.to_owned())
    })
}
