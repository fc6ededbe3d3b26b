//! What Mercurial commits and pushes, and on which branch.

use hookloop_shell::Command;

use super::super::{Effect, note};
use super::Branches;

/// The branch that a repository has at first, on which others build.
const DEFAULT: &str = "default";

/// What is checked out in a repository that was created on the way.
const NEW: &str = "the branch of a new repository";

/// Options before the subcommand or after it, with a value.
const VALUED: [&str; 14] = [
    "-R",
    "--repository",
    "--cwd",
    "--config",
    "-m",
    "--message",
    "-l",
    "--logfile",
    "-u",
    "--user",
    "-d",
    "--date",
    "-I",
    "-X",
];

impl Branches<'_> {
    /// Finds what a command of Mercurial does to branches.
    pub(super) fn by_mercurial(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let words = named_words(command);
        let Some((subcommand, operands)) = words.split_first() else {
            return;
        };
        let is = |full: &str, shortest: usize| {
            // Mercurial accepts unambiguous abbreviations.
            subcommand.len() >= shortest && full.starts_with(subcommand)
        };
        let only_shows = ["--help", "-h", "--no-commit", "--list", "-n", "--dry-run"]
            .iter()
            .any(|it| command.has_flag(it));
        if only_shows {
            return;
        }
        if ["init", "clone"].contains(subcommand) {
            // What is in it is its own until it is pushed.
            self.mercurial_branch = Some(NEW.to_owned());
        } else if is("branch", 6) || is("bookmarks", 4) || is("topics", 3) {
            let removes = ["-d", "--delete", "-i", "--inactive"]
                .iter()
                .any(|it| command.has_flag(it));
            if let Some(name) = operands.first().filter(|_| !removes) {
                self.mercurial_branch = Some((*name).to_owned());
            }
        } else if is("update", 2) || ["co", "checkout", "goto"].contains(subcommand) {
            if let Some(name) = operands.first() {
                self.mercurial_branch = Some((*name).to_owned());
            }
        } else if is("commit", 3)
            || is("import", 3)
            || is("backout", 3)
            || is("amend", 2)
            || ["ci", "patch", "graft", "transplant", "record", "fetch"].contains(subcommand)
        {
            self.note_mercurial(command, effects);
        } else if is("push", 2) && !says_what(command) {
            // Whatever the server doesn't have yet, on every branch.
            note(effects, "branch.unknown", command, "");
        }
    }

    /// Notes a commit on what is checked out.
    fn note_mercurial(&self, command: &Command, effects: &mut Vec<Effect>) {
        match self.mercurial_branch(command).as_deref() {
            None | Some(DEFAULT | "tip" | "." | "null") => {
                note(effects, "branch.unknown", command, "");
            }
            Some(name) if name != NEW && self.is_protected(name) => {
                note(effects, "branch.commit", command, name);
            }
            Some(_) => {}
        }
    }

    /// Returns the bookmark or branch that is checked out; nothing if nobody sees it.
    fn mercurial_branch(&self, command: &Command) -> Option<String> {
        if let Some(name) = &self.mercurial_branch {
            return Some(name.clone());
        }
        let repositories = self.places.repositories.as_ref()?;
        let folder = command.folders.first()?;
        let named = ["-R", "--repository", "--cwd"]
            .iter()
            .any(|it| command.has_flag(it));
        if named {
            return None;
        }
        let mut folders = std::path::Path::new(folder).ancestors();
        let root = folders.find_map(|it| {
            let text = it.to_string_lossy().into_owned();
            repositories.has_path(&text, ".hg").then_some(text)
        })?;
        let file = |name: &str| repositories.text(&format!("{root}/.hg/{name}"));
        let name = file("bookmarks.current").or_else(|| file("branch"));
        let name = name.map(|it| it.trim().to_owned());
        Some(
            name.filter(|it| !it.is_empty())
                .unwrap_or_else(|| DEFAULT.to_owned()),
        )
    }
}

/// Returns whether a push names a branch or a revision. What those are is judged elsewhere.
fn says_what(command: &Command) -> bool {
    let options = ["-r", "--rev", "-b", "--branch", "-B", "--bookmark"];
    let attached = ["-r", "-b", "-B"];
    options.iter().any(|it| command.has_flag(it))
        || command
            .texts_after_program()
            .any(|it| attached.iter().any(|option| it.starts_with(option)))
}

/// Returns the words of a command that are neither options nor their values.
fn named_words(command: &Command) -> Vec<&str> {
    let mut named = Vec::new();
    let mut words = command.texts_after_program();
    while let Some(word) = words.next() {
        if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            named.push(word);
        }
    }
    named
}
