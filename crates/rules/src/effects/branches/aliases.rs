//! Aliases of git: given with a command, or set in its repository.

use hookloop_shell::{Command, Surroundings, Understood, join, understand};

use super::Branches;

/// Commands of git that everybody uses, which no alias can take the place of.
const OWN: [&str; 32] = [
    "add",
    "am",
    "apply",
    "bisect",
    "blame",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "describe",
    "diff",
    "fetch",
    "grep",
    "init",
    "log",
    "ls-files",
    "merge",
    "mv",
    "pull",
    "push",
    "rebase",
    "remote",
    "reset",
    "restore",
    "rev-parse",
    "show",
    "stash",
    "status",
    "switch",
];

impl Branches<'_> {
    /// Returns what an alias of git stands for, understood: one that the command itself defines, or one that is
    /// set where it runs.
    pub(in crate::effects) fn alias(&self, command: &Command) -> Option<Understood> {
        if command.program != "git" {
            return None;
        }
        let given = defined(command).or_else(|| {
            let name = command.subcommand.as_deref()?;
            let is_own = OWN.contains(&name) || name.contains(char::is_whitespace);
            let key = format!("alias.{}", name.to_lowercase());
            (!is_own).then(|| self.setting(command, &key)).flatten()
        })?;
        // An alias of the shell gets what stands behind it, too.
        let behind = join(command.behind().iter().map(|it| it.text.as_str()));
        let text = match given.strip_prefix('!') {
            Some(shell) => format!("{shell} {behind}"),
            // What an alias means may not define another one.
            None if given.contains("alias.") => return None,
            None => format!("git {given} {behind}"),
        };
        let places = self.places;
        let absolute = |text: &'_ str| text.starts_with('/');
        let workspace = Some(places.workspace.as_str()).filter(|it| absolute(it));
        let folder = command.folders.first().map(String::as_str).or(workspace);
        Some(understand(
            &text,
            Surroundings {
                folder,
                home: Some(places.home.as_str()).filter(|it| absolute(it)),
                repository: workspace,
                ..Surroundings::default()
            },
        ))
    }
}

/// Returns the alias that a command defines for itself.
fn defined(command: &Command) -> Option<String> {
    let words = command.args();
    words.iter().enumerate().find_map(|(at, word)| {
        let inner = word.text.strip_prefix("-c").unwrap_or(&word.text);
        let inner = inner.strip_prefix("alias.")?;
        match inner.split_once('=') {
            Some((_, meant)) => Some(meant.to_owned()),
            None => words.get(at + 1).map(|it| it.text.clone()),
        }
    })
}
