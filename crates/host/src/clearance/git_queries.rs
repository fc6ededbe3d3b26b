//! Asks git about commits and files without letting a repository run anything.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hookloop_process::{Question, ask_here, find_program};

/// The maximum length of a list of changed files, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The default search path.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The empty tree, which git knows without storing it.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The time limit for git.
const LIMIT: Duration = Duration::from_secs(5);

/// Options for git: nothing that a repository configures may run, and nothing is fetched.
const QUIETLY: [(&str, &str); 3] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// The result of comparing two commits.
pub(super) enum Compared {
    /// The files in which they differ, relative to the repository's root, each terminated by a NUL.
    Files(String),
    /// One of the names doesn't refer to a commit.
    NoCommit,
    /// Git gave no answer, or too long a one.
    Unknown,
}

/// The repository of a folder, queried with git.
pub(super) struct Git<'a> {
    pub(super) folder: &'a Path,
    pub(super) variables: &'a [(OsString, OsString)],
}

impl Git<'_> {
    /// Returns the first of some files that differs from the last commit, or that the next commit
    /// would contain for the first time. If the next commit's content isn't known, every file that
    /// it could contain counts. If git gives no answer, or too long a one, returns the first file.
    pub(super) fn first_difference(&self, names: &[String], stages: bool) -> Option<String> {
        let listed = |asked: &[&str]| -> Option<Vec<(String, String)>> {
            let names = names.iter().map(String::as_str);
            let all: Vec<&str> = asked.iter().copied().chain(["--"]).chain(names).collect();
            let (_, said) = self.says(&all).filter(|(_, said)| said.len() < MAX_BYTES)?;
            let entries = said.split('\0').filter_map(|it| {
                let (kind, name) = it.split_once('\t')?;
                let hash = kind.split(' ').find(|it| it.len() >= 40)?;
                Some((hash.to_owned(), name.to_owned()))
            });
            Some(entries.collect())
        };
        let committed = listed(&["ls-tree", "-r", "-z", "HEAD"]);
        let index = listed(&["ls-files", "-s", "-z"]);
        let (Some(committed), Some(index)) = (committed, index) else {
            return names.first().cloned();
        };
        let is_same = |hash: &str, name: &str| {
            let asked = ["hash-object", "--no-filters", "--", name];
            let is_file = self.folder.join(name).is_file();
            is_file && self.says(&asked).is_some_and(|(_, now)| now.trim() == hash)
        };
        let is_committed = |name: &str| committed.iter().any(|it| it.1 == name);
        let mut in_commit = committed.iter().filter(|(hash, name)| !is_same(hash, name));
        let mut in_index = index
            .iter()
            .filter(|(hash, name)| !is_committed(name) || stages && !is_same(hash, name));
        let found = in_commit.next().or_else(|| in_index.next());
        found.map(|it| it.1.clone()).or_else(|| {
            let mut new = names
                .iter()
                .filter(|it| !is_committed(it) && self.folder.join(it).is_file());
            let is_taken = |name: &&String| {
                let asked = ["check-ignore", "--quiet", "--", name.as_str()];
                !matches!(self.says(&asked), Some((true, _)))
            };
            new.find(is_taken).filter(|_| stages).cloned()
        })
    }

    /// Compares two commits; before the first commit, everything is new.
    pub(super) fn diff(&self, from: &str, to: &str) -> Compared {
        match self.run_diff(from, to) {
            Compared::NoCommit if from == "HEAD" && self.is_unborn() => self.added_by(to),
            // Some names of commits can't be extended (`:/text`), and the first commit has no
            // parent.
            Compared::NoCommit if from.strip_suffix('^') == Some(to) => self.introduced_by(to),
            compared => compared,
        }
    }

    /// Compares a commit with its parent.
    fn introduced_by(&self, name: &str) -> Compared {
        if name.starts_with('-') {
            return Compared::NoCommit;
        }
        let commit = match self.says(&["rev-parse", "--quiet", "--verify", name]) {
            Some((true, said)) => said.trim().to_owned(),
            Some((false, _)) => return Compared::NoCommit,
            None => return Compared::Unknown,
        };
        match self.run_diff(&format!("{commit}^"), &commit) {
            Compared::NoCommit => self.added_by(&commit),
            compared => compared,
        }
    }

    /// Returns all files of a commit. The name of the empty tree depends on how the repository
    /// computes names.
    fn added_by(&self, commit: &str) -> Compared {
        match self.says(&["hash-object", "-t", "tree", "/dev/null"]) {
            Some((true, empty)) => self.run_diff(empty.trim(), commit),
            Some((false, _)) => self.run_diff(EMPTY_TREE, commit),
            None => Compared::Unknown,
        }
    }

    fn is_unborn(&self) -> bool {
        let head = self.says(&["rev-parse", "--quiet", "--verify", "HEAD"]);
        !matches!(head, Some((true, _)))
    }

    fn run_diff(&self, from: &str, to: &str) -> Compared {
        if [from, to].iter().any(|it| it.starts_with('-')) {
            return Compared::NoCommit;
        }
        let plain = ["--no-renames", "--no-ext-diff", "--no-textconv"];
        let arguments = [
            &["diff-tree", "-r", "-z", "--name-only"][..],
            &plain,
            &[from, to, "--"],
        ];
        match self.says(&arguments.concat()) {
            Some((true, names)) if names.len() < MAX_BYTES => Compared::Files(names),
            Some((false, _)) => Compared::NoCommit,
            _ => Compared::Unknown,
        }
    }

    /// Returns the remotes' branches with this name.
    pub(super) fn branches_of_remotes(&self, name: &str) -> Option<Vec<String>> {
        let pattern = format!("refs/remotes/*/{name}");
        let (_, refs) = self.says(&["for-each-ref", "--format=%(refname)", &pattern])?;
        Some(refs.lines().map(str::to_owned).collect())
    }

    /// Returns whether git succeeded, and its output; `None` if it can't be run.
    pub(super) fn says(&self, arguments: &[&str]) -> Option<(bool, String)> {
        let own = QUIETLY.map(|(name, value)| (name.into(), value.into()));
        let kept = self
            .variables
            .iter()
            .filter(|(name, _)| name == "PATH" || name == "HOME");
        let mut variables: Vec<(OsString, OsString)> = kept.cloned().chain(own).collect();
        if !variables.iter().any(|(name, _)| name == "PATH") {
            variables.push(("PATH".into(), USUAL_PATH.into()));
        }
        let program = find_program(&variables, "git")?;
        let quietly = ["-c", "core.fsmonitor=false", "-c", "safe.directory=*"];
        let asked = ask_here(&Question {
            program: &program,
            arguments: &[&quietly[..], arguments].concat(),
            variables: &variables,
            folder: self.folder,
            input: "",
            longest: LIMIT,
        });
        let reply = asked.ok()?;
        Some((reply.status?.success(), reply.stdout))
    }
}
