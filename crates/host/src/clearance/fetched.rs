//! Folders that a call fetches from elsewhere: what is in them isn't known before it ran.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Word};

/// Programs that fetch a whole folder, with their verbs. The source and the folder follow.
const FETCHERS: [(&str, &[&str]); 14] = [
    ("git", &["clone"]),
    ("git", &["submodule add"]),
    ("gh", &["repo clone"]),
    ("glab", &["repo clone"]),
    ("hg", &["clone"]),
    ("svn", &["checkout", "co", "export"]),
    ("bzr", &["branch", "checkout", "clone"]),
    ("brz", &["branch", "checkout", "clone"]),
    ("fossil", &["clone"]),
    ("jj", &["git clone"]),
    ("darcs", &["clone", "get"]),
    ("degit", &[""]),
    ("tiged", &[""]),
    ("giget", &[""]),
];

/// Programs that fetch folders which they don't name, with their verbs.
const GENERATORS: [(&str, &[&str]); 6] = [
    ("cargo", &["generate"]),
    ("cookiecutter", &[""]),
    ("copier", &["copy"]),
    ("git", &["submodule update", "subtree add"]),
    ("repo", &["sync"]),
    ("fossil", &["open"]),
];

/// Programs that copy folders from other machines.
const COPIERS: [&str; 4] = ["scp", "rsync", "wget", "wget2"];

/// Subcommands of git that bring commits which were fetched into the working tree.
const SHOWS_COMMITS: [&str; 8] = [
    "checkout",
    "checkout-index",
    "cherry-pick",
    "merge",
    "read-tree",
    "rebase",
    "reset",
    "switch",
];

/// The folders that the earlier commands of a text fetch.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    folders: Vec<PathBuf>,
    /// Something was fetched to a folder whose name isn't known.
    anywhere: bool,
    /// Commits were fetched.
    commits: bool,
    /// The repositories that the text creates: before it runs, git can't say what comes into them.
    created: Vec<PathBuf>,
}

impl Fetched {
    /// Records what a command fetches; returns its folders.
    pub(super) fn note(&mut self, command: &Command) -> Vec<PathBuf> {
        let verb = command.subcommand.as_deref().unwrap_or_default();
        if command.program == "git" {
            self.commits |= ["fetch", "pull", "remote update"].contains(&verb);
            if verb == "pull" || self.commits && SHOWS_COMMITS.contains(&verb) {
                return self.note_commits(command);
            }
            if verb == "init" {
                let given = behind_verb(command, "git", "init").unwrap_or_default();
                let name = given.first().map_or(".", |it| it.text.as_str());
                self.created.extend(in_folders(command, name));
            }
        }
        // Another working tree with what was fetched.
        let of_tree = || {
            let words = behind_verb(command, "git", "worktree add")?;
            let shows = self.commits || words.iter().any(|it| it.text == "FETCH_HEAD");
            words
                .first()
                .filter(|_| shows)
                .map(|it| Destination::from(*it))
        };
        let Some(made) = fetched_by(command).or_else(of_tree) else {
            return Vec::new();
        };
        let Destination::Folder(name) = made else {
            self.anywhere = true;
            return Vec::new();
        };
        let folders = in_folders(command, &name);
        self.folders.extend(folders.iter().cloned());
        folders
    }

    /// `git init c; git -C c pull URL`: records what commits bring into a repository that wasn't
    /// there before.
    fn note_commits(&mut self, command: &Command) -> Vec<PathBuf> {
        let mut folders = in_folders(command, ".");
        folders.retain(|it| self.created.iter().any(|made| it.starts_with(made)));
        self.folders.extend(folders.iter().cloned());
        folders
    }

    /// Returns whether nothing was fetched.
    pub(super) const fn is_empty(&self) -> bool {
        self.folders.is_empty() && !self.anywhere
    }

    /// Returns whether a path is in a fetched folder, or may be: it isn't there yet.
    pub(super) fn may_hold(&self, path: &Path) -> bool {
        self.folders.iter().any(|it| path.starts_with(it)) || self.anywhere && !path.exists()
    }
}

/// Returns a path in each folder in which a command may run.
fn in_folders(command: &Command, name: &str) -> Vec<PathBuf> {
    let folders = command.folders.iter();
    folders
        .map(|it| PathBuf::from(absolute(it, name)))
        .collect()
}

/// Returns a path in a folder.
pub(super) fn absolute(folder: &str, name: &str) -> String {
    hookloop_shell::normalize_path(&hookloop_shell::join_path(folder, name))
}

/// Returns the words of a command that aren't options.
fn plain_words(command: &Command) -> Vec<&Word> {
    let words = command.words_after_program().iter();
    words
        .filter(|it| !it.is_option_value && !it.text.starts_with('-'))
        .collect()
}

/// Returns the words behind a verb of a program.
fn behind_verb<'c>(command: &'c Command, program: &str, verb: &str) -> Option<Vec<&'c Word>> {
    let plain = plain_words(command);
    (command.program == program).then(|| behind(&plain, verb).map(<[_]>::to_vec))?
}

/// Returns the folder that a command fetches, if it fetches one.
fn fetched_by(command: &Command) -> Option<Destination> {
    let program = command.program.as_str();
    let plain = plain_words(command);
    let behind_verb = |(named, verbs): &(&str, &[&str])| {
        let mut verbs = verbs.iter().filter(|_| *named == program);
        verbs.find_map(|it| behind(&plain, it))
    };
    if let Some(operands) = FETCHERS.iter().find_map(behind_verb) {
        return Some(match operands {
            [] => Destination::Unknown,
            [from] => named_after(from),
            [_, folder, ..] => Destination::from(*folder),
        });
    }
    if GENERATORS.iter().any(|it| behind_verb(it).is_some()) {
        return Some(Destination::Unknown);
    }
    let is_remote = |it: &Word| it.text.contains(':');
    if !COPIERS.contains(&program) || !plain.iter().any(|it| is_remote(it)) {
        return None;
    }
    if program.starts_with("wget") {
        let mirrors = ["-r", "-m", "--recursive", "--mirror"];
        return command.has_option(&mirrors).then_some(Destination::Unknown);
    }
    let last = plain.last().filter(|it| !is_remote(it));
    last.map(|it| Destination::from(*it))
}

/// Returns the words behind those of a verb.
fn behind<'c, 'w>(words: &'c [&'w Word], verb: &str) -> Option<&'c [&'w Word]> {
    let verb: Vec<&str> = verb.split_whitespace().collect();
    if verb.is_empty() {
        return Some(words);
    }
    let mut starts = words.windows(verb.len());
    let at = starts.position(|it| it.iter().zip(&verb).all(|(word, verb)| word.text == *verb))?;
    words.get(at + verb.len()..)
}

/// Where something is fetched to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Destination {
    Folder(String),
    /// It depends on what is fetched, or on a value that isn't known.
    Unknown,
}

impl From<&Word> for Destination {
    fn from(word: &Word) -> Self {
        if word.known {
            Self::Folder(word.text.clone())
        } else {
            Self::Unknown
        }
    }
}

/// `git clone https://a.b/c.git`: the folder is named after the source.
fn named_after(from: &Word) -> Destination {
    let Destination::Folder(text) = Destination::from(from) else {
        return Destination::Unknown;
    };
    let text = text.trim_end_matches('/').trim_end_matches("/.git");
    let name = text.rsplit(['/', ':']).next().unwrap_or(text);
    Destination::Folder(name.strip_suffix(".git").unwrap_or(name).to_owned())
}
