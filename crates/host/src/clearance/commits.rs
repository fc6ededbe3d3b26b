//! What other commits bring into the working tree.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use hookloop_process::{Question, ask_here, find_program};
use hookloop_shell::{Command, Word};

use super::concern::Concern;
use super::trees::top_of;
use crate::protected::{Protected, Touch};

/// A list of changed files that is longer, in bytes, isn't looked at.
const LONGEST: usize = 1 << 20;

/// Where programs are looked for if nobody says.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// How long git may take to compare.
const LIMIT: Duration = Duration::from_secs(5);

/// How git is asked: nothing that a repository sets may run, and nothing is fetched.
const QUIETLY: [(&str, &str); 3] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Returns what is held against a command of git that puts other commits' files into the working tree:
/// the protected file that differs there, or the commit that can't be looked at.
pub(super) fn brought(
    protected: &Protected,
    command: &Command,
    variables: &[(OsString, OsString)],
) -> Option<Concern> {
    if command.program != "git" {
        return None;
    }
    let subcommand = command.subcommand.as_deref()?;
    let words: Vec<&Word> = command.operands().collect();
    let keeps = ["--keep", "--merge"].iter().any(|it| command.has_flag(it));
    if subcommand == "reset" && !keeps {
        return None;
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
        for (from, to) in &pairs {
            // A word that names no commit is a path, a new branch or a mistake.
            let Some(names) = changed(folder, [from, to], variables) else {
                continue;
            };
            if names.len() >= LONGEST {
                return Some(Concern::Unclear(format!("git {subcommand} {to}")));
            }
            let names = names.split('\0').filter(|it| !it.is_empty());
            let mut paths = names.map(|name| top.join(name));
            if let Some(hit) = paths.find_map(|it| protected.touched_by(Touch::Write, &it)) {
                return Some(Concern::Touches(hit));
            }
        }
    }
    None
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

/// Lists the files in which two commits differ, by their names from the repository's root, each ended by a
/// NUL; nothing where one of the names isn't a commit's.
fn changed(
    folder: &Path,
    commits: [&str; 2],
    variables: &[(OsString, OsString)],
) -> Option<String> {
    if commits.iter().any(|it| it.starts_with('-')) {
        return None;
    }
    let own = QUIETLY.map(|(name, value)| (name.into(), value.into()));
    let kept = variables.iter().filter(|(name, _)| {
        let name = name.to_string_lossy();
        name == "PATH" || name == "HOME"
    });
    let mut variables: Vec<(OsString, OsString)> = kept.cloned().chain(own).collect();
    if !variables.iter().any(|(name, _)| name == "PATH") {
        variables.push(("PATH".into(), USUAL_PATH.into()));
    }
    let program = find_program(&variables, "git")?;
    let options = [
        "-c",
        "core.fsmonitor=false",
        "diff-tree",
        "-r",
        "-z",
        "--name-only",
    ];
    let plain = ["--no-renames", "--no-ext-diff", "--no-textconv"];
    let arguments: Vec<&str> = [&options[..], &plain, &commits, &["--"]].concat();
    let asked = ask_here(&Question {
        program: &program,
        arguments: &arguments,
        variables: &variables,
        folder,
        input: "",
        longest: LIMIT,
    });
    let reply = asked.ok()?;
    match reply.status {
        Some(status) => status.success().then_some(reply.stdout),
        // What git didn't say in time isn't known.
        None => Some("\0".repeat(LONGEST)),
    }
}
