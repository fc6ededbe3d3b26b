//! What other commits bring into the working tree.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Word};
use hookloop_trust::real_path;

use super::before::{Before, takes_from_elsewhere};
use super::concern::Concern;
use super::git_queries::{Compared, Git};
use super::git_trees::top_of;
use super::reading;
use crate::lazy_protected::LazyProtected;
use crate::protected::Touch;

/// How many files are passed to git at once.
const MAX_BATCH: usize = 256;

/// Git commands that change the working tree.
const CHANGE_TREES: [&str; 31] = [
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
    "submodule deinit",
    "bisect",
    "stash branch",
    "checkout-index",
    "filter-branch",
    "sparse-checkout init",
    "sparse-checkout add",
];

/// Returns the concern about a git command that puts other commits' files into the working tree:
/// the protected file that differs there, or the commit that can't be examined.
pub(super) fn check_restored(
    protected: &LazyProtected,
    command: &Command,
    before: &Before,
    variables: &[(OsString, OsString)],
) -> Option<Concern> {
    if command.program != "git" {
        return None;
    }
    let subcommand = command.subcommand.as_deref()?;
    let words: Vec<&Word> = command.operands().collect();
    let elsewhere_set = in_another_tree(protected, command, before, subcommand)
        .or_else(|| tree_set_elsewhere(protected, command, before, variables));
    if elsewhere_set.is_some() {
        return elsewhere_set;
    }
    if subcommand.starts_with("bisect") {
        return searched(protected, command, variables);
    }
    if subcommand == "update-index" && command.has_flag("--index-info") {
        return Some(Concern::Unclear(command.line()));
    }
    let keeps = ["--keep", "--merge"].iter().any(|it| command.has_flag(it));
    if subcommand == "reset" && !keeps {
        return None;
    }
    let concern = check_stash(protected, command, before, variables);
    if concern.is_some() {
        return concern;
    }
    if brings_unknown(protected, command, before, &words) {
        return Some(Concern::Unclear(command.line()));
    }
    let pairs = resolved_commit_pairs(subcommand, &words, before)?;
    for folder in command.folders.iter().map(Path::new) {
        let top = top_of(folder);
        if !are_below(protected, &top) {
            continue;
        }
        if let Some(word) = words.iter().find(|it| !it.known) {
            return Some(Concern::Unclear(format!("git {subcommand} {}", word.text)));
        }
        let unclear = |what: &str| Some(Concern::Unclear(format!("git {subcommand} {what}")));
        // The arguments refer to another repository, or depend on a configuration given for this
        // call.
        if let Some(word) = other_repository(command) {
            return unclear(word);
        }
        let git = Git { folder, variables };
        let mut all = pairs.clone();
        if ["checkout", "switch"].contains(&subcommand) {
            // Naming a branch that only a remote has creates it here.
            for (from, to) in &pairs {
                let Some(there) = git.branches_of_remotes(to) else {
                    return unclear(to);
                };
                all.extend(there.into_iter().map(|it| (from.clone(), it)));
            }
        }
        for (from, to) in &all {
            let names = match git.diff(from, to) {
                Compared::Files(names) => names,
                // A word that doesn't name a commit is a path, a new branch or a mistake.
                Compared::NoCommit => continue,
                Compared::Unknown => return unclear(to),
            };
            let names = names.split('\0').filter(|it| !it.is_empty());
            let mut paths = names.map(|name| top.join(name));
            if let Some(hit) = paths.find_map(|it| protected.affected(Touch::Replace, &it)) {
                return Some(Concern::Touches(hit));
            }
        }
    }
    None
}

/// What a stash removes or restores, if earlier commands determine the files.
fn check_stash(
    protected: &LazyProtected,
    command: &Command,
    before: &Before,
    variables: &[(OsString, OsString)],
) -> Option<Concern> {
    let subcommand = command.subcommand.as_deref()?;
    let texts: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
    let mut folders = command.folders.iter();
    let has_guards = folders.any(|it| holds_guards(protected, it));
    let unclear = || Some(Concern::Unclear(command.line()));
    if ["stash", "stash push", "stash save"].contains(&subcommand) {
        let held = put_back(protected, command, before, variables).map(Concern::Touches);
        return held.or_else(|| unclear().filter(|_| before.makes_commits && has_guards));
    }
    unclear().filter(|_| has_guards && before.refs.hides_stash(subcommand, &texts))
}

/// Returns whether a command puts files of commits into a tree with guards that can't be examined
/// yet: the call creates these commits itself, or they come from elsewhere.
fn brings_unknown(
    protected: &LazyProtected,
    command: &Command,
    before: &Before,
    words: &[&Word],
) -> bool {
    let subcommand = command.subcommand.as_deref().unwrap_or_default();
    let brings = subcommand != "reset"
        && CHANGE_TREES.contains(&subcommand)
        && (before.makes_commits || takes_from_elsewhere(command));
    if !brings || words.is_empty() || !command.folders.iter().any(|it| holds_guards(protected, it))
    {
        return false;
    }
    let makes_branch = ["-b", "-B", "-c", "-C"]
        .iter()
        .any(|it| command.has_flag(it));
    !makes_branch || words.len() > 1
}

/// `GIT_DIR=../x git checkout .`, `git --work-tree=.. clean`: what another or an unknown repository
/// does to a tree with guards.
fn in_another_tree(
    protected: &LazyProtected,
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
        tree.contains('$') || trees.any(|it| are_below(protected, &it))
    };
    // If no tree is named, the other repository's own settings decide where it is.
    let may_hold = tree.is_none_or(|tree| holds_guards(&tree));
    may_hold.then(|| Concern::Unclear(command.line()))
}

/// Returns whether guards depend on files in the repository of a folder.
fn holds_guards(protected: &LazyProtected, folder: &str) -> bool {
    let top = top_of(Path::new(folder));
    are_below(protected, &top)
}

/// Returns whether guards depend on something below a folder.
fn are_below(protected: &LazyProtected, folder: &Path) -> bool {
    protected.below(folder).iter().any(|it| it.exists())
        || !protected.lists_below(folder).is_empty()
}

/// `git bisect start`: may check out any commit in which a protected file differs.
fn searched(
    protected: &LazyProtected,
    command: &Command,
    variables: &[(OsString, OsString)],
) -> Option<Concern> {
    let own = command.subcommand.as_deref().unwrap_or_default();
    let own = own.split(' ').skip(1).map(str::to_owned);
    let words: Vec<String> = own
        .chain(command.operands().map(|it| it.text.clone()))
        .collect();
    let verb = words.first()?.as_str();
    if ["log", "view", "visualize", "terms", "help"].contains(&verb) {
        return None;
    }
    let unclear = || Some(Concern::Unclear(command.line()));
    for folder in command.folders.iter().map(Path::new) {
        let top = top_of(folder);
        let names = names_below(protected, &top);
        if names.is_empty() {
            continue;
        }
        let git = Git {
            folder: &top,
            variables,
        };
        // The commit that a bisection returns to is in a file.
        let started = reading::text_of(&top.join(".git/BISECT_START"));
        let commits = words.iter().skip(1).map(String::as_str);
        let commits = commits.take_while(|it| *it != "--" && verb != "run");
        let commits: Vec<&str> = commits.chain(started.as_deref().map(str::trim)).collect();
        for some in names.chunks(MAX_BATCH) {
            let mut asked = vec!["rev-list", "--max-count=1", "--all", "HEAD"];
            asked.extend(commits.iter().filter(|it| !it.starts_with('-')));
            asked.push("--");
            asked.extend(some.iter().map(String::as_str));
            match git.says(&asked) {
                Some((true, found)) if found.trim().is_empty() => {}
                _ => return unclear(),
            }
        }
    }
    None
}

/// Returns the protected files in a repository, relative to its root.
fn names_below(protected: &LazyProtected, top: &Path) -> Vec<String> {
    let below = protected.below(top).into_iter();
    let below = below.chain(protected.lists_below(top));
    let below = below.filter(|it| it.starts_with(top));
    below
        .filter_map(|it| Some(it.strip_prefix(top).ok()?.to_str()?.to_owned()))
        .collect()
}

/// `core.worktree` of a repository's settings, or of those that a call gives: files are where it
/// says.
fn tree_set_elsewhere(
    protected: &LazyProtected,
    command: &Command,
    before: &Before,
    variables: &[(OsString, OsString)],
) -> Option<Concern> {
    let subcommand = command.subcommand.as_deref().unwrap_or_default();
    let first = subcommand.split(' ').next().unwrap_or_default();
    let is_bare_reset = first == "reset" && !command.has_option(&["--hard", "--keep", "--merge"]);
    let changes = CHANGE_TREES
        .iter()
        .any(|it| it.split(' ').next() == Some(first));
    if !changes || is_bare_reset {
        return None;
    }
    let unclear = || Some(Concern::Unclear(command.line()));
    let has_tree = |text: &str| text.to_ascii_lowercase().contains("worktree");
    let given = command.values_of(&["-c", "--config-env"]);
    let mut set = command.env.iter().chain(&before.exported);
    let by_variable = set.any(|it| {
        let is_file = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].contains(&it.name.as_str());
        it.name.starts_with("GIT_CONFIG") && has_tree(&it.value.text)
            || is_file && !["/dev/null", ""].contains(&it.value.text.as_str())
    });
    if by_variable || before.refs.moves_tree || given.iter().any(|it| has_tree(&it.text)) {
        return unclear();
    }
    for folder in command.folders.iter().map(Path::new) {
        let git = Git { folder, variables };
        let Some((true, said)) = git.says(&["rev-parse", "--show-toplevel"]) else {
            continue;
        };
        let top = Path::new(said.trim_end_matches('\n'));
        let is_usual = real_path(top) == real_path(&top_of(folder));
        if !is_usual
            && (!protected.below(top).is_empty() || protected.affected(Touch::Write, top).is_some())
        {
            return unclear();
        }
    }
    None
}

/// Returns a protected file that differs from the last commit: a stash reverts it. It removes one
/// that is about to be committed for the first time.
fn put_back(
    protected: &LazyProtected,
    command: &Command,
    before: &Before,
    variables: &[(OsString, OsString)],
) -> Option<PathBuf> {
    command.folders.iter().find_map(|folder| {
        let top = top_of(Path::new(folder));
        let git = Git {
            folder: &top,
            variables,
        };
        let names = names_below(protected, &top);
        names
            .chunks(MAX_BATCH)
            .find_map(|some| git.first_difference(some, before.refs.stages))
            .and_then(|name| protected.affected(Touch::Replace, &top.join(name)))
    })
}

/// Settings that affect neither which commit a word names nor where files are.
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

/// Returns the argument that directs a git command to another repository, or changes the meaning of
/// its arguments.
fn other_repository(command: &Command) -> Option<&str> {
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

/// Returns the pairs of commits between which files may change, by their names, and by what earlier
/// commands made these refer to. Whether those commands succeeded isn't known: the name may have
/// existed.
fn resolved_commit_pairs(
    subcommand: &str,
    words: &[&Word],
    before: &Before,
) -> Option<Vec<(String, String)>> {
    let mut pairs = commit_pairs(subcommand, words)?;
    let meant =
        |(from, to): &(String, String)| (before.refs.resolve(from), before.refs.resolve(to));
    let others: Vec<(String, String)> = pairs.iter().map(meant).collect();
    for pair in others {
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    Some(pairs)
}

/// Returns the pairs of commits between which files may change, if a command changes any.
fn commit_pairs(subcommand: &str, words: &[&Word]) -> Option<Vec<(String, String)>> {
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
            // `pull` names a remote first. Without arguments, all of these use the upstream branch.
            let mut to = named;
            if subcommand == "pull" {
                let remote = (!to.is_empty()).then(|| to.remove(0));
                to = to
                    .iter()
                    .flat_map(|it| tracking_branches(remote.as_deref(), it))
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
        // The verb may be in the subcommand or the arguments.
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
            // The stashed changes, and the untracked files stored beside them.
            vec![
                (format!("{entry}^1"), entry.clone()),
                (head(), format!("{entry}^3")),
            ]
        }
        _ => return None,
    })
}

/// Returns the local names of a remote's branch.
fn tracking_branches(remote: Option<&str>, branch: &str) -> [String; 2] {
    let (branch, _) = branch.split_once(':').unwrap_or((branch, ""));
    let remote = remote.unwrap_or("origin");
    [format!("{remote}/{branch}"), branch.to_owned()]
}

/// Returns the merge base of two commits in a folder's repository.
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
