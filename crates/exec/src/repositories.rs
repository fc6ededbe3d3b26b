//! Git repositories, for rules that depend on what is checked out and configured in them (HT-40).

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_process::{Question, ask_here, find_program};
use hookloop_rules::{FolderContent, Repositories};
use hookloop_settings::bounded::read_regular;

use crate::links;

/// How long git may take to print its settings.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How much of a file of git's is read.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// How many files and folders are looked at below a folder.
const MAX_ENTRIES: usize = 1000;

/// Settings, by key, in the order in which git reads them; nothing if nobody can read them.
type Settings = Option<Arc<Vec<(String, String)>>>;

/// The repositories on this machine, as they are now.
#[derive(Debug)]
pub(crate) struct GitRepositories {
    /// Where git is found, and the home whose settings it reads.
    variables: Vec<(OsString, OsString)>,
    /// Earlier results, by the work tree's root.
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

    /// Returns what is set in a work tree; nothing if git can't be asked, or doesn't say.
    fn settings_for(&self, root: &Path) -> Settings {
        let mut known = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = known.get(root) {
            return settings.clone();
        }
        let settings = self.list_settings(root).map(Arc::new);
        known.insert(root.to_owned(), settings.clone());
        settings
    }

    fn list_settings(&self, root: &Path) -> Option<Vec<(String, String)>> {
        let output = self.git_output(root, &["config", "--list", "-z", "--includes"])?;
        let entries = output.split('\0').filter(|it| !it.is_empty());
        // A key without a value means true.
        let entries = entries.map(|it| it.split_once('\n').unwrap_or((it, "true")));
        Some(
            entries
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    /// Returns what git prints; nothing if it fails.
    fn git_output(&self, root: &Path, arguments: &[&str]) -> Option<String> {
        let reply = ask_here(&Question {
            program: &find_program(&self.variables, "git")?,
            arguments: &[&["-c", "safe.directory=*"], arguments].concat(),
            variables: &self.variables,
            folder: root,
            input: "",
            longest: TIMEOUT,
        });
        let reply = reply.ok()?;
        let has_answered = reply.status.is_some_and(|it| it.success());
        has_answered.then_some(reply.stdout)
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
        if found.has_tables() {
            let output =
                self.git_output(&found.root, &["symbolic-ref", "-q", "--short", "HEAD"])?;
            return Some(output.trim().to_owned());
        }
        Some(name.to_owned())
    }

    fn has_branch(&self, folder: &str, name: &str) -> bool {
        let Some(found) = Checkout::of(Path::new(folder)) else {
            return false;
        };
        let shared = &found.shared;
        let packed = shared.join("packed-refs");
        // If the references can't be read, any branch may exist.
        if found.has_tables() || packed.exists() && read(&packed).is_none() {
            return true;
        }
        let remotes = fs::read_dir(shared.join("refs/remotes"));
        let mut remotes = remotes.into_iter().flatten().flatten();
        let is_packed = || {
            let packed = read(&packed).unwrap_or_default();
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

    fn text(&self, path: &str) -> Option<String> {
        read(Path::new(path))
    }

    fn previous_branch(&self, folder: &str) -> Option<String> {
        let found = Checkout::of(Path::new(folder))?;
        if found.has_tables() {
            let output = self.git_output(&found.root, &["rev-parse", "--abbrev-ref", "@{-1}"])?;
            return Some(output.trim().to_owned());
        }
        let log = read(&found.own.join("logs/HEAD"))?;
        let moved = log
            .lines()
            .rev()
            .find_map(|line| line.split_once("checkout: moving from ").map(|(_, it)| it))?;
        let (from, _) = moved.split_once(" to ")?;
        Some(from.to_owned())
    }

    fn settings(&self, folder: &str, key: &str) -> Vec<String> {
        let Some(found) = Checkout::of(Path::new(folder)) else {
            return Vec::new();
        };
        let Some(settings) = self.settings_for(&found.root) else {
            // If the settings can't be read, assume that every branch may be pushed.
            let matching = key == "push.default";
            return matching
                .then(|| "matching".to_owned())
                .into_iter()
                .collect();
        };
        let values = settings.iter().filter(|(known, _)| known == key);
        values.map(|(_, value)| value.clone()).collect()
    }

    fn real_path(&self, path: &str) -> Option<String> {
        links::resolve(Path::new(path))
    }

    fn below(&self, folder: &str, skips: &dyn Fn(&str) -> bool) -> FolderContent {
        let mut folders = VecDeque::from([PathBuf::from(folder)]);
        let mut below = FolderContent::default();
        while let Some(folder) = folders.pop_front() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    let is_none = [ErrorKind::NotFound, ErrorKind::NotADirectory];
                    below.more |= !is_none.contains(&error.kind());
                    continue;
                }
            };
            for entry in entries.flatten() {
                if below.paths.len() >= MAX_ENTRIES {
                    below.more = true;
                    return below;
                }
                let path = entry.path();
                let text = path.to_string_lossy().into_owned();
                let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
                // Git's object store is large, and commands don't name files in it.
                if is_folder && !path.ends_with(".git/objects") && !skips(&text) {
                    folders.push_back(path);
                }
                below.paths.push(text);
            }
        }
        below
    }

    fn links(&self, folder: &str) -> Vec<String> {
        links::links_in(Path::new(folder))
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

    /// Returns whether branches are in tables that only git reads, instead of in files.
    fn has_tables(&self) -> bool {
        self.shared.join("reftable").is_dir()
    }
}

/// Reads a regular file of bearable size.
fn read(file: &Path) -> Option<String> {
    let bytes = read_regular(file, MAX_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::path::Path;

    use hookloop_rules::{FolderContent, Repositories as _};

    use super::{GitRepositories, MAX_BYTES, MAX_ENTRIES};

    /// Makes a repository with a branch, as git lays one out.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("objects")).unwrap();
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(git.join("refs/heads/topic"), "").unwrap();
        folder
    }

    fn with_git() -> GitRepositories {
        let path = std::env::var_os("PATH").unwrap_or_default();
        GitRepositories::new(&[("PATH".into(), path)])
    }

    fn settings(repositories: &GitRepositories, folder: &Path, key: &str) -> Vec<String> {
        repositories.settings(&folder.to_string_lossy(), key)
    }

    /// HT-1: what is below a folder is found, the nearest first, without what is skipped and what
    /// git keeps.
    #[test]
    fn what_is_below_a_folder_is_found() {
        let folder = repository();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::create_dir_all(folder.path().join("build")).unwrap();
        fs::write(folder.path().join("a/b/x.lock"), "").unwrap();
        fs::write(folder.path().join("build/y.lock"), "").unwrap();
        fs::write(folder.path().join(".git/config"), "").unwrap();
        fs::create_dir_all(folder.path().join(".git/objects/ab")).unwrap();
        let root = folder.path().to_string_lossy().into_owned();
        let below = with_git().below(&root, &|it| it.ends_with("/build"));
        assert!(!below.more);
        let is_of_git = |it: &String| it.starts_with(&format!("{root}/.git/"));
        let (of_git, mut others): (Vec<_>, Vec<_>) = below.paths.into_iter().partition(is_of_git);
        assert!(of_git.contains(&format!("{root}/.git/config")));
        assert!(!of_git.iter().any(|it| it.contains("/objects/")));
        assert!(others.last().unwrap().ends_with("/a/b/x.lock"));
        others.sort();
        let expected = [".git", "a", "a/b", "a/b/x.lock", "build"].map(|it| format!("{root}/{it}"));
        assert_eq!(others, expected);
        let none = with_git().below(&format!("{root}/none"), &|_| false);
        assert_eq!(none, FolderContent::default());
        // Entries beyond the limit are reported as existing.
        for number in 0..MAX_ENTRIES {
            fs::write(folder.path().join(format!("a/{number}")), "").unwrap();
        }
        assert!(with_git().below(&root, &|_| false).more);
    }

    /// HT-40: a setting has every value that git's files give it, and one that is only named is
    /// switched on.
    #[test]
    fn every_value_of_a_setting_counts() {
        let folder = repository();
        let text = "[core]\nrepositoryformatversion = 0\nbare\n[remote \"origin\"]\n\
                    push = refs/heads/main\npush = refs/heads/topic\n";
        fs::write(folder.path().join(".git/config"), text).unwrap();
        let repositories = with_git();
        let pushed = settings(&repositories, folder.path(), "remote.origin.push");
        assert_eq!(pushed, ["refs/heads/main", "refs/heads/topic"]);
        assert_eq!(
            settings(&repositories, folder.path(), "core.bare"),
            ["true"]
        );
        assert!(settings(&repositories, folder.path(), "push.default").is_empty());
    }

    /// HT-40: if settings can't be read, a push may change every branch.
    #[test]
    fn unreadable_settings_push_every_branch() {
        let broken = repository();
        fs::write(broken.path().join(".git/config"), "[broken").unwrap();
        let folder = repository();
        let nowhere = GitRepositories::new(&[("PATH".into(), OsString::from("/nowhere"))]);
        for (repositories, folder) in [(with_git(), &broken), (nowhere, &folder)] {
            let pushes = settings(&repositories, folder.path(), "push.default");
            assert_eq!(pushes, ["matching"]);
            assert!(settings(&repositories, folder.path(), "alias.x").is_empty());
        }
    }

    /// HT-40: if the names of branches can't be read, a branch of any name may be there.
    #[test]
    fn any_branch_may_be_where_nobody_can_look() {
        let folder = repository();
        let has = |name: &str| with_git().has_branch(&folder.path().to_string_lossy(), name);
        assert!(has("topic") && !has("other"));
        let packed = folder.path().join(".git/packed-refs");
        fs::write(&packed, "1234 refs/heads/packed\n").unwrap();
        assert!(has("packed") && !has("other"));
        fs::File::create(&packed)
            .unwrap()
            .set_len(MAX_BYTES + 1)
            .unwrap();
        assert!(has("other"));
        fs::remove_file(&packed).unwrap();
        fs::create_dir(folder.path().join(".git/reftable")).unwrap();
        assert!(has("other"));
    }
}
