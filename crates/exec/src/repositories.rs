//! Repositories of git, for rules that depend on what is checked out and set in them (HT-40).

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_process::{Question, ask_here, find_program};
use hookloop_rules::Repositories;

/// How long git may take to say what is set.
const LONGEST: Duration = Duration::from_secs(5);

/// How much of a file of git's is read.
const MOST: u64 = 4 * 1024 * 1024;

/// Settings, by key, in the order in which git reads them.
type Settings = Arc<Vec<(String, String)>>;

/// The repositories on this machine, as they are now.
#[derive(Debug)]
pub(crate) struct GitRepositories {
    /// Where git is found, and the home whose settings it reads.
    variables: Vec<(OsString, OsString)>,
    /// What was asked already, by the work tree's root.
    settings: Mutex<HashMap<PathBuf, Settings>>,
}

impl GitRepositories {
    pub(crate) fn new(variables: &[(OsString, OsString)]) -> Self {
        let kept = variables
            .iter()
            .filter(|(name, _)| name == "PATH" || name == "HOME" || name == "XDG_CONFIG_HOME");
        Self {
            variables: kept.cloned().collect(),
            settings: Mutex::default(),
        }
    }

    fn settings(&self, root: &Path) -> Settings {
        let mut known = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = known.get(root) {
            return Arc::clone(settings);
        }
        let settings = Arc::new(self.asked(root).unwrap_or_default());
        known.insert(root.to_owned(), Arc::clone(&settings));
        settings
    }

    fn asked(&self, root: &Path) -> Option<Vec<(String, String)>> {
        let reply = ask_here(&Question {
            program: &find_program(&self.variables, "git")?,
            arguments: &[
                "-c",
                "safe.directory=*",
                "config",
                "--list",
                "-z",
                "--includes",
            ],
            variables: &self.variables,
            folder: root,
            input: "",
            longest: LONGEST,
        });
        let said = reply.ok()?.stdout;
        let entries = said.split('\0').filter_map(|it| it.split_once('\n'));
        Some(
            entries
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        )
    }
}

impl Repositories for GitRepositories {
    fn root(&self, folder: &str) -> Option<String> {
        let found = Checkout::of(Path::new(folder))?;
        Some(found.root.to_string_lossy().into_owned())
    }

    fn branch(&self, folder: &str) -> Option<String> {
        let found = Checkout::of(Path::new(folder))?;
        let head = read(&found.own.join("HEAD"))?;
        let name = head.trim().strip_prefix("ref: refs/heads/")?;
        Some(name.to_owned())
    }

    fn has_branch(&self, folder: &str, name: &str) -> bool {
        let Some(found) = Checkout::of(Path::new(folder)) else {
            return false;
        };
        let shared = &found.shared;
        let remotes = fs::read_dir(shared.join("refs/remotes"));
        let mut remotes = remotes.into_iter().flatten().flatten();
        let is_packed = || {
            let packed = read(&shared.join("packed-refs")).unwrap_or_default();
            let mut names = packed.lines().filter_map(|line| line.split_once(' '));
            names.any(|(_, full)| {
                let short = full.strip_prefix("refs/heads/");
                let of_remote = full.strip_prefix("refs/remotes/");
                let of_remote = of_remote.and_then(|it| it.split_once('/'));
                short == Some(name) || of_remote.is_some_and(|(_, it)| it == name)
            })
        };
        shared.join("refs/heads").join(name).is_file()
            || remotes.any(|it| it.path().join(name).is_file())
            || is_packed()
    }

    fn has_path(&self, folder: &str, name: &str) -> bool {
        Path::new(folder).join(name).exists()
    }

    fn previous_branch(&self, folder: &str) -> Option<String> {
        let found = Checkout::of(Path::new(folder))?;
        let log = read(&found.own.join("logs/HEAD"))?;
        let moved = log
            .lines()
            .rev()
            .find_map(|line| line.split_once("checkout: moving from ").map(|(_, it)| it))?;
        let (from, _) = moved.split_once(" to ")?;
        Some(from.to_owned())
    }

    fn setting(&self, folder: &str, key: &str) -> Option<String> {
        let found = Checkout::of(Path::new(folder))?;
        let settings = self.settings(&found.root);
        let last = settings.iter().rev().find(|(known, _)| known == key);
        last.map(|(_, value)| value.clone())
    }
}

/// A work tree, and where its repository is.
struct Checkout {
    root: PathBuf,
    /// The folder of this work tree alone.
    own: PathBuf,
    /// The folder that all work trees of the repository share.
    shared: PathBuf,
}

impl Checkout {
    /// Finds the work tree that a folder belongs to; the folder may be the repository itself.
    fn of(folder: &Path) -> Option<Self> {
        let is_repository = |it: &Path| it.join("HEAD").is_file() && it.join("objects").is_dir();
        let above = folder.ancestors().find_map(|it| {
            let inside = it.join(".git");
            if inside.exists() {
                Some((it.to_owned(), inside))
            } else {
                is_repository(it).then(|| (it.to_owned(), it.to_owned()))
            }
        });
        let (root, git) = above?;
        let own = if git.is_file() {
            let text = read(&git)?;
            root.join(text.strip_prefix("gitdir:")?.trim())
        } else {
            git
        };
        let shared = read(&own.join("commondir")).map(|text| own.join(text.trim()));
        Some(Self {
            root,
            shared: shared.unwrap_or_else(|| own.clone()),
            own,
        })
    }
}

/// Reads a regular file of bearable size.
fn read(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    let is_fit = metadata.is_file() && metadata.len() <= MOST;
    let bytes = is_fit.then(|| fs::read(file).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
