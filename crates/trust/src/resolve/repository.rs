//! What git reads before it answers a hook that asks it (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_shell::Command;

use crate::aspect::Part;
use crate::named_file::text_of;
use crate::resolve::Finder;

/// Commands of git that print the content of files, as attributes say.
const PRINTING: [&str; 8] = [
    "diff",
    "show",
    "log",
    "grep",
    "blame",
    "archive",
    "check-attr",
    "diff-index",
];

impl Finder<'_> {
    /// Notes the settings by which git answers a hook.
    pub(super) fn asks_git(&mut self, command: &Command, folder: &Path) {
        if command.program != "git" {
            return;
        }
        let part = Part::GitSettings(asked_about(command));
        if let Some(home) = self.ground.surroundings.home.clone() {
            for name in [".gitconfig", ".config/git/config"] {
                self.aspect(&home.join(name), part.clone());
            }
            for name in [".config/git/ignore", ".config/git/attributes"] {
                self.implicit(&home.join(name));
            }
        }
        let Some((top, own)) = repository(folder) else {
            return;
        };
        for name in ["config", "config.worktree"] {
            self.aspect(&own.join(name), part.clone());
        }
        for name in ["info/exclude", "info/attributes", "info/grafts"] {
            self.implicit(&own.join(name));
        }
        let subcommand = command.subcommand.as_deref().unwrap_or_default();
        if PRINTING.contains(&subcommand) {
            self.implicit(&top.join(".gitattributes"));
        }
    }
}

/// Returns the sections of settings that a command of git prints: all of them where it isn't known which.
fn asked_about(command: &Command) -> BTreeSet<String> {
    let all = || BTreeSet::from(["*".to_owned()]);
    match command.subcommand.as_deref() {
        Some("config") => {
            let mut keys = command.operands().filter(|it| it.text.contains('.'));
            let Some(key) = keys
                .next()
                .filter(|it| it.known && !it.text.contains(['$', '*']))
            else {
                return all();
            };
            let section = key.text.split('.').next().unwrap_or_default();
            BTreeSet::from([section.to_ascii_lowercase()])
        }
        Some("remote") => BTreeSet::from(["remote".to_owned()]),
        Some("var") => BTreeSet::from([
            "user".to_owned(),
            "author".to_owned(),
            "committer".to_owned(),
        ]),
        _ => {
            let mut words = command.args().iter().map(|it| it.text.as_str());
            if words.any(|it| it.contains("@{u") || it.contains("@{p") || it.contains("upstream")) {
                BTreeSet::from(["branch".to_owned(), "remote".to_owned(), "push".to_owned()])
            } else {
                BTreeSet::new()
            }
        }
    }
}

/// Returns the root of the repository that a folder lies in, and the folder of its settings.
fn repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let top = folder.ancestors().find(|it| it.join(".git").exists())?;
    let own = top.join(".git");
    if own.is_dir() {
        return Some((top.to_path_buf(), own));
    }
    // A working tree of its own has the settings of its repository.
    let text = text_of(&own)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let inner = top.join(named);
    let common = text_of(&inner.join("commondir")).map(|it| inner.join(it.trim()));
    Some((top.to_path_buf(), common.unwrap_or(inner)))
}
