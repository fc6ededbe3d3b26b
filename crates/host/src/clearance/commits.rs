//! What other commits bring into the working tree.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_process::{Question, ask_here, find_program};
use hookloop_shell::{Command, Word};

use super::before::{Before, takes_from_elsewhere};
use super::concern::Concern;
use super::git_trees::top_of;
use crate::protected::{Protected, Touch};

/// A list of changed files that is longer, in bytes, isn't looked at.
const LONGEST: usize = 1 << 20;

/// Where programs are looked for if nobody says.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The tree without a file, which git knows without having it.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// How many protected files are compared with the last commit.
const MOST_COMPARED: usize = 64;

/// How long git may take to compare.
const LIMIT: Duration = Duration::from_secs(5);

/// How git is asked: nothing that a repository sets may run, and nothing is fetched.
const QUIETLY: [(&str, &str); 3] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Commands of git that change the working tree.
const CHANGE_TREES: [&str; 24] = [
    "checkout",
    "switch",
    "restore",
    "rm",
    "mv",
    "clean",
    "reset",
    "read-tree",
    "checkout-index",
    "stash",
    "stash push",
    "stash save",
    "stash pop",
    "stash apply",
    "merge",
    "pull",
    "rebase",
    "cherry-pick",
    "revert",
    "apply",
    "am",
    "sparse-checkout set",
    "sparse-checkout reapply",
    "submodule update",
];

/// Returns what is held against a command of git that puts other commits' files into the working tree:
/// the protected file that differs there, or the commit that can't be looked at.
pub(super) fn brought(
    protected: &Protected,
    command: &Command,
    before: &Before,
    variables: &[(OsString, OsString)],
) -> Option<Concern> {
    if command.program != "git" {
        return None;
    }
    let subcommand = command.subcommand.as_deref()?;
    let words: Vec<&Word> = command.operands().collect();
    if let Some(held) = in_another_tree(protected, command, before, subcommand) {
        return Some(held);
    }
    if subcommand == "update-index" && command.has_flag("--index-info") {
        return Some(Concern::Unclear(command.line()));
    }
    let keeps = ["--keep", "--merge"].iter().any(|it| command.has_flag(it));
    if subcommand == "reset" && !keeps {
        return None;
    }
    if ["stash", "stash push", "stash save"].contains(&subcommand)
        && let Some(hit) = put_back(protected, command, variables)
    {
        return Some(Concern::Touches(hit));
    }
    if brings_unknown(protected, command, before, &words) {
        return Some(Concern::Unclear(command.line()));
    }
    let pairs = compared(subcommand, &words)?;
    for folder in command.folders.iter().map(Path::new) {
        let top = top_of(folder);
        if !protected.below(&top).iter().any(|it| it.exists()) {
            continue;
        }
        if let Some(word) = words.iter().find(|it| !it.known) {
            return Some(Concern::Unclear(format!("git {subcommand} {}", word.text)));
        }
        let unclear = |what: &str| Some(Concern::Unclear(format!("git {subcommand} {what}")));
        // What it means by its words is another repository's, or its configuration's, to say.
        if let Some(word) = elsewhere(command) {
            return unclear(word);
        }
        let git = Git { folder, variables };
        let mut all = pairs.clone();
        if ["checkout", "switch"].contains(&subcommand) {
            // A branch that only a remote has is made here by its name.
            for (from, to) in &pairs {
                let Some(there) = git.branches_of_remotes(to) else {
                    return unclear(to);
                };
                all.extend(there.into_iter().map(|it| (from.clone(), it)));
            }
        }
        for (from, to) in &all {
            let names = match git.changed(from, to) {
                Compared::Files(names) => names,
                // A word that names no commit is a path, a new branch or a mistake.
                Compared::NoCommit => continue,
                Compared::Unknown => return unclear(to),
            };
            let names = names.split('\0').filter(|it| !it.is_empty());
            let mut paths = names.map(|name| top.join(name));
            if let Some(hit) = paths.find_map(|it| protected.touched_by(Touch::Write, &it)) {
                return Some(Concern::Touches(hit));
            }
        }
    }
    None
}

/// Tells whether a command puts files of commits into a tree with guards that nobody can look at yet: the
/// call makes them itself, or they come from elsewhere.
fn brings_unknown(
    protected: &Protected,
    command: &Command,
    before: &Before,
    words: &[&Word],
) -> bool {
    let subcommand = command.subcommand.as_deref().unwrap_or_default();
    let brings = subcommand != "reset"
        && CHANGE_TREES.contains(&subcommand)
        && (before.makes_commits || takes_from_elsewhere(command));
    let holds_guards = |folder: &String| {
        let top = top_of(Path::new(folder));
        protected.below(&top).iter().any(|it| it.exists())
    };
    if !brings || words.is_empty() || !command.folders.iter().any(holds_guards) {
        return false;
    }
    let makes_branch = ["-b", "-B", "-c", "-C"]
        .iter()
        .any(|it| command.has_flag(it));
    !makes_branch || words.len() > 1
}

/// `GIT_DIR=../x git checkout .`, `git --work-tree=.. clean`: what another repository, or none that is known,
/// does to a tree with guards.
fn in_another_tree(
    protected: &Protected,
    command: &Command,
    before: &Before,
    subcommand: &str,
) -> Option<Concern> {
    let changes = CHANGE_TREES.contains(&subcommand)
        && (subcommand != "reset"
            || ["--hard", "--keep", "--merge"]
                .iter()
                .any(|it| command.has_flag(it)));
    let set: Vec<_> = command.env.iter().chain(&before.exported).collect();
    let variable = |name: &str| {
        set.iter()
            .rev()
            .find(|it| it.name == name)
            .map(|it| &it.value)
    };
    let own = command
        .subcommand
        .as_deref()
        .and_then(|it| it.split(' ').next());
    let words = command.words.iter().skip(1);
    let head: Vec<&Word> = words
        .take_while(|it| Some(it.text.as_str()) != own)
        .collect();
    let option = |name: &str| {
        let mut places = head.iter().enumerate();
        places.find_map(|(at, word)| {
            let rest = word.text.strip_prefix(name)?;
            match rest.strip_prefix('=') {
                Some(value) => Some(value.to_owned()),
                None => head.get(at + 1).map(|it| it.text.clone()),
            }
        })
    };
    let tree =
        option("--work-tree").or_else(|| variable("GIT_WORK_TREE").map(|it| it.text.clone()));
    let folder = option("--git-dir").or_else(|| variable("GIT_DIR").map(|it| it.text.clone()));
    if !changes || tree.is_none() && folder.is_none() {
        return None;
    }
    let holds_guards = |tree: &str| {
        let mut trees = command.folders.iter().map(|it| Path::new(it).join(tree));
        tree.contains('$') || trees.any(|it| protected.below(&it).iter().any(|it| it.exists()))
    };
    // Without a tree that is named, the other repository's own settings say which it is.
    let may_hold = tree.is_none_or(|tree| holds_guards(&tree));
    may_hold.then(|| Concern::Unclear(command.line()))
}

/// Returns a protected file that isn't as the last commit has it: a stash puts it back.
fn put_back(
    protected: &Protected,
    command: &Command,
    variables: &[(OsString, OsString)],
) -> Option<PathBuf> {
    command.folders.iter().find_map(|folder| {
        let folder = Path::new(folder);
        let top = top_of(folder);
        let git = Git {
            folder: &top,
            variables,
        };
        let below = protected.below(&top).into_iter();
        let below: Vec<PathBuf> = below
            .filter(|it| it.starts_with(&top))
            .take(MOST_COMPARED)
            .collect();
        let names: Vec<String> = below
            .iter()
            .filter_map(|it| Some(it.strip_prefix(&top).ok()?.to_str()?.to_owned()))
            .collect();
        let mut asked = vec!["ls-tree", "-r", "-z", "HEAD", "--"];
        asked.extend(names.iter().map(String::as_str));
        let (true, listed) = git.says(&asked)? else {
            return None;
        };
        let mut entries = listed.split('\0').filter_map(|it| {
            let (kind, name) = it.split_once('\t')?;
            Some((kind.rsplit(' ').next()?, name))
        });
        entries.find_map(|(hash, name)| {
            let path = top.join(name);
            let arguments = ["hash-object", "--no-filters", "--", name];
            let is_same = path.is_file()
                && git
                    .says(&arguments)
                    .is_some_and(|(_, now)| now.trim() == hash);
            (!is_same).then(|| protected.touched_by(Touch::Write, &path))?
        })
    })
}

/// Settings that say nothing of which commit a word names, nor of where files lie.
const PLAIN: [&str; 14] = [
    "advice.",
    "user.",
    "color.",
    "commit.",
    "gpg.",
    "http.",
    "credential.",
    "pager.",
    "core.autocrlf",
    "core.editor",
    "core.fsmonitor",
    "core.hookspath",
    "core.pager",
    "core.quotepath",
];

/// Returns what sends a command of git to another repository, or lets its words mean something else.
fn elsewhere(command: &Command) -> Option<&str> {
    let before = command.words.iter().skip(1).map(|it| it.text.as_str());
    let own = command
        .subcommand
        .as_deref()
        .and_then(|it| it.split(' ').next());
    let before: Vec<&str> = before.take_while(|it| Some(*it) != own).collect();
    let mut places = before.iter().enumerate();
    let sent = places.find(|(at, it)| {
        let is_plain = |setting: &&str| {
            let setting = setting.to_ascii_lowercase();
            PLAIN.iter().any(|plain| setting.starts_with(plain))
        };
        if **it == "-c" {
            return !before.get(at + 1).is_some_and(is_plain);
        }
        let options = ["--git-dir", "--work-tree", "--namespace", "--config-env"];
        options.iter().any(|option| it.starts_with(option))
    });
    let sent = sent.map(|(_, it)| *it);
    let mut variables = command.env.iter().map(|it| it.name.as_str());
    sent.or_else(|| {
        variables
            .find(|it| it.starts_with("GIT_CONFIG") || ["GIT_DIR", "GIT_WORK_TREE"].contains(it))
    })
}

/// Returns the pairs of commits between which files may change, if a command changes any.
fn compared(subcommand: &str, words: &[&Word]) -> Option<Vec<(String, String)>> {
    let head = || "HEAD".to_owned();
    let named: Vec<String> = words
        .iter()
        .flat_map(|it| it.text.split(".."))
        .map(|it| it.trim_start_matches(['.', '^']))
        .filter(|it| !it.is_empty())
        .map(|it| if it == "-" { "@{-1}" } else { it }.to_owned())
        .collect();
    Some(match subcommand {
        "checkout" | "switch" | "merge" | "rebase" | "pull" | "reset" => {
            // `pull` names a remote first, and without names all of them take the branch that is followed.
            let mut to = named;
            if subcommand == "pull" {
                let remote = (!to.is_empty()).then(|| to.remove(0));
                to = to
                    .iter()
                    .flat_map(|it| tracked(remote.as_deref(), it))
                    .collect();
            }
            if to.is_empty() && ["merge", "rebase", "pull"].contains(&subcommand) {
                to.push("@{upstream}".to_owned());
            }
            to.into_iter().map(|it| (head(), it)).collect()
        }
        "cherry-pick" | "revert" => {
            let own = named.iter().map(|it| (format!("{it}^"), it.clone()));
            let others = named.iter().map(|it| (head(), it.clone()));
            own.chain(others).collect()
        }
        // The verb may stand in either.
        _ if subcommand.starts_with("stash") => {
            let verbs = subcommand
                .split(' ')
                .chain(named.iter().map(String::as_str));
            let verb = verbs
                .skip(1)
                .find(|it| ["pop", "apply", "branch"].contains(it))?;
            let last = named.last().filter(|it| *it != verb);
            let entry = match last {
                Some(number) if number.bytes().all(|it| it.is_ascii_digit()) => {
                    format!("stash@{{{number}}}")
                }
                Some(name) if name.starts_with("stash@") => name.clone(),
                _ => "stash@{0}".to_owned(),
            };
            // What it holds, and the files beside it that nothing tracked.
            vec![
                (format!("{entry}^1"), entry.clone()),
                (head(), format!("{entry}^3")),
            ]
        }
        _ => return None,
    })
}

/// Returns the names that a branch of a remote has here.
fn tracked(remote: Option<&str>, branch: &str) -> [String; 2] {
    let (branch, _) = branch.split_once(':').unwrap_or((branch, ""));
    let remote = remote.unwrap_or("origin");
    [format!("{remote}/{branch}"), branch.to_owned()]
}

/// Returns the commit from which two others came, as git tells it of a folder's repository.
pub(super) fn merge_base(
    folder: &Path,
    variables: &[(OsString, OsString)],
    one: &str,
    other: &str,
) -> Option<String> {
    let git = Git { folder, variables };
    let (has_one, said) = git.says(&["merge-base", one, other])?;
    let commit = said.trim();
    let is_commit =
        matches!(commit.len(), 40 | 64) && commit.bytes().all(|it| it.is_ascii_hexdigit());
    (has_one && is_commit).then(|| commit.to_owned())
}

/// What git says of two commits.
enum Compared {
    /// The files in which they differ, by their names from the repository's root, each ended by a NUL.
    Files(String),
    /// One of the names isn't a commit's.
    NoCommit,
    /// It didn't say, or said more than is looked at.
    Unknown,
}

/// The repository of a folder, as git tells of it.
struct Git<'a> {
    folder: &'a Path,
    variables: &'a [(OsString, OsString)],
}

impl Git<'_> {
    /// Compares two commits; where nothing was committed yet, everything is new.
    fn changed(&self, from: &str, to: &str) -> Compared {
        match self.compared(from, to) {
            Compared::NoCommit if from == "HEAD" && self.is_unborn() => {
                self.compared(EMPTY_TREE, to)
            }
            compared => compared,
        }
    }

    fn is_unborn(&self) -> bool {
        let head = self.says(&["rev-parse", "--quiet", "--verify", "HEAD"]);
        !matches!(head, Some((true, _)))
    }

    fn compared(&self, from: &str, to: &str) -> Compared {
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
            Some((true, names)) if names.len() < LONGEST => Compared::Files(names),
            Some((false, _)) => Compared::NoCommit,
            _ => Compared::Unknown,
        }
    }

    /// Returns the branches of this name that remotes have.
    fn branches_of_remotes(&self, name: &str) -> Option<Vec<String>> {
        let pattern = format!("refs/remotes/*/{name}");
        let (_, refs) = self.says(&["for-each-ref", "--format=%(refname)", &pattern])?;
        Some(refs.lines().map(str::to_owned).collect())
    }

    /// Returns whether git did what it was asked, and what it printed; nothing where it can't be asked.
    fn says(&self, arguments: &[&str]) -> Option<(bool, String)> {
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
