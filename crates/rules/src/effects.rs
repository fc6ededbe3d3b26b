//! What a command does to the world, by name: `git.force-push`, `delete.outside` (HT-40).
//!
//! What programs do stands as data in `guards/effects.toml`. Here it is compared with what is
//! understood of a command, and the effects are found that depend on paths.

mod blind;
mod places;
mod table;

use hookloop_shell::{Command, Input, PathUse, Place, RedirectKind, Understood};

use places::PlaceKind;
pub use places::Places;
use table::table;

use blind::blind_spots;

/// Something that a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// What it is.
    pub name: String,
    /// The command in its normal form.
    pub line: String,
    /// The path, or what else it is about; empty where the effect has none.
    pub about: String,
}

/// Finds the effects of a shell text.
pub fn effects_of(understood: &Understood, places: &Places) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut branch = places.branch.clone();
    for command in &understood.commands {
        by_table(command, &mut effects);
        by_code(command, &mut effects);
        if command.place == Place::Here {
            by_paths(command, places, &mut effects);
        } else {
            elsewhere(command, &mut effects);
        }
        by_secrets(command, &mut effects);
        by_branch(command, &mut branch, places, &mut effects);
    }
    blind_spots(understood, &mut effects);
    effects
}

fn note(effects: &mut Vec<Effect>, name: &str, command: &Command, about: &str) {
    let effect = Effect {
        name: name.to_owned(),
        line: command.line().chars().take(300).collect(),
        about: about.to_owned(),
    };
    if !effects.contains(&effect) {
        effects.push(effect);
    }
}

fn by_table(command: &Command, effects: &mut Vec<Effect>) {
    for entry in table().of(&command.program) {
        if entry.fits(command) {
            note(effects, &entry.effect, command, "");
        }
    }
}

/// Program text in other languages, and text that clients of databases read.
fn by_code(command: &Command, effects: &mut Vec<Effect>) {
    let mut texts: Vec<&str> = command.code.iter().map(String::as_str).collect();
    if let Input::Text(text) = &command.input {
        texts.push(text);
    }
    for entry in table().codes() {
        if !entry
            .programs
            .iter()
            .any(|it| it == "*" || command.program.starts_with(it.as_str()))
        {
            continue;
        }
        let args = command.args().iter().map(|it| it.text.as_str());
        let is_client = entry.reads_arguments;
        let found = texts
            .iter()
            .copied()
            .chain(args.filter(|_| is_client))
            .any(|text| entry.fits(text));
        if found {
            note(effects, &entry.effect, command, "");
        }
    }
}

fn by_paths(command: &Command, places: &Places, effects: &mut Vec<Effect>) {
    let recursive = ["-r", "-R", "--recursive", "-delete", "-d"]
        .iter()
        .any(|it| command.has_flag(it))
        || [
            "find", "rimraf", "rd", "git", "mv", "rsync", "trash", "del-cli",
        ]
        .contains(&command.program.as_str())
        || command
            .through
            .iter()
            .any(|it| it == "find" || it == "xargs");
    let is_dry = ["--dry-run", "-n", "--simulate"]
        .iter()
        .any(|it| command.has_flag(it))
        && ["git", "rsync", "rimraf", "del-cli", "trash"].contains(&command.program.as_str());
    if !is_dry {
        let moves = command.program == "mv" || command.subcommand.as_deref() == Some("mv");
        for path in &command.deletes {
            if moves {
                moved(command, path, places, effects);
            } else {
                deleted(command, path, recursive, places, effects);
            }
        }
    }
    for path in &command.writes {
        written(command, path, places, effects);
    }
    for redirect in &command.redirects {
        let truncates = redirect.kind == RedirectKind::Write
            && (command.program.is_empty() || [":", "true"].contains(&command.program.as_str()));
        let empties = redirect.kind == RedirectKind::Write
            && command.program == "cat"
            && command.args().iter().any(|it| it.text == "/dev/null");
        if (truncates || empties) && places.is_worth_keeping(&redirect.target.text) {
            note(effects, "overwrite.project", command, &redirect.target.text);
        }
    }
    let empties = command.program == "cp" && command.args().iter().any(|it| it.text == "/dev/null")
        || command.program == "truncate" && command.line().contains("-s 0")
        || command.program == "dd" && !command.writes.is_empty();
    if empties {
        for path in &command.writes {
            if places.is_worth_keeping(&path.written) {
                note(effects, "overwrite.project", command, &path.written);
            }
        }
    }
    permissions(command, places, effects);
}

fn deleted(
    command: &Command,
    path: &PathUse,
    recursive: bool,
    places: &Places,
    effects: &mut Vec<Effect>,
) {
    if !path.known {
        if recursive && places.unknown_is_dangerous(&path.written) {
            note(effects, "delete.unknown", command, &path.written);
        }
        return;
    }
    for absolute in &path.paths {
        let name = match places.kind(absolute, path.pattern) {
            PlaceKind::Outside | PlaceKind::System | PlaceKind::Home => "delete.outside",
            PlaceKind::Root => "delete.root",
            PlaceKind::Repository => "delete.repository",
            PlaceKind::Whole => "delete.project",
            PlaceKind::Inside if recursive || path.pattern && Places::is_broad(absolute) => {
                "delete.project"
            }
            PlaceKind::Inside | PlaceKind::Temporary | PlaceKind::Disposable => continue,
        };
        note(effects, name, command, absolute);
    }
}

fn moved(command: &Command, path: &PathUse, places: &Places, effects: &mut Vec<Effect>) {
    let to_nowhere = command
        .words
        .last()
        .is_some_and(|it| it.text == "/dev/null");
    for absolute in &path.paths {
        let kind = places.kind(absolute, path.pattern);
        let serious = matches!(
            kind,
            PlaceKind::Root
                | PlaceKind::System
                | PlaceKind::Home
                | PlaceKind::Whole
                | PlaceKind::Repository
        );
        if to_nowhere || serious {
            note(effects, "delete.outside", command, absolute);
        }
    }
}

fn written(command: &Command, path: &PathUse, places: &Places, effects: &mut Vec<Effect>) {
    for absolute in &path.paths {
        let tidy = hookloop_shell::tidy(absolute);
        if places::is_device(&tidy) {
            note(effects, "disk.write", command, absolute);
        } else if places.is_start_file(&tidy) {
            note(effects, "persist", command, absolute);
        } else if places.kind(absolute, path.pattern) == PlaceKind::System {
            note(effects, "write.system", command, absolute);
        } else if tidy.contains("/.git/") && !tidy.ends_with("/.git/info/exclude") {
            note(effects, "git.internals", command, absolute);
        }
    }
}

fn permissions(command: &Command, places: &Places, effects: &mut Vec<Effect>) {
    if !["chmod", "chown", "chgrp", "chattr", "setfacl"].contains(&command.program.as_str()) {
        return;
    }
    let recursive = command.has_flag("-R")
        || command.has_flag("--recursive")
        || command
            .through
            .iter()
            .any(|it| it == "find" || it == "xargs");
    let open = command.args().iter().any(|it| {
        let text = it.text.as_str();
        let mode = text.trim_start_matches('0');
        mode.len() == 3 && mode.ends_with(['7', '6']) && mode.chars().all(|it| it.is_ascii_digit())
            || [
                "a+w", "o+w", "ugo+rwx", "a+rwx", "+w", "a=rwx", "o+rw", "o+rwx", "go+w", "ugo+w",
                "u+s", "g+s", "+s", "o=rwx", "a+rw",
            ]
            .contains(&text)
            || mode.len() == 4 && mode.starts_with(['4', '2', '6'])
    });
    if open {
        note(effects, "permissions.open", command, "");
    }
    for path in &command.writes {
        for absolute in &path.paths {
            let kind = places.kind(absolute, path.pattern);
            let outside = matches!(
                kind,
                PlaceKind::Root | PlaceKind::System | PlaceKind::Home | PlaceKind::Outside
            );
            let closes = command.args().iter().any(|it| {
                ["000", "0", "-rwx", "a-rwx", "u-rwx", "a-w"].contains(&it.text.as_str())
            });
            let changes_all =
                recursive && (closes || command.program != "chmod" && kind == PlaceKind::Whole);
            let system = kind == PlaceKind::System || kind == PlaceKind::Root;
            if outside && (recursive || system) || changes_all {
                note(effects, "permissions.outside", command, absolute);
            }
        }
    }
}

/// What happens in containers and on other machines, where no path is ours.
fn elsewhere(command: &Command, effects: &mut Vec<Effect>) {
    if command.place != Place::Remote {
        let whole = command
            .deletes
            .iter()
            .any(|it| ["/", "/*"].contains(&it.written.as_str()));
        if whole {
            note(effects, "delete.root", command, "/");
        }
        return;
    }
    let recursive = command.has_flag("-r") || command.has_flag("-R");
    if !command.deletes.is_empty() && recursive {
        note(effects, "delete.outside", command, "another machine");
    }
}

/// Programs that only look at names.
const LOOKS_AT_NAMES: &[&str] = &[
    "ls",
    "ll",
    "stat",
    "test",
    "[",
    "[[",
    "file",
    "du",
    "echo",
    "printf",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "touch",
    "exa",
    "eza",
    "tree",
    "mkdir",
    "find",
    "fd",
    "which",
    "type",
    "chmod",
    "chown",
    "lsof",
    "inotifywait",
    "cd",
];

/// Programs that don't put what they read anywhere.
const GIT_LOOKS_AT_NAMES: &[&str] = &[
    "check-ignore",
    "ls-files",
    "status",
    "log",
    "rm",
    "update-index",
    "ls-tree",
    "rev-parse",
    "config",
];

fn by_secrets(command: &Command, effects: &mut Vec<Effect>) {
    let looks = LOOKS_AT_NAMES.contains(&command.program.as_str()) && command.redirects.is_empty()
        || command.program == "git"
            && command
                .subcommand
                .as_deref()
                .is_some_and(|it| GIT_LOOKS_AT_NAMES.contains(&it));
    for redirect in &command.redirects {
        if redirect.kind == RedirectKind::Text || redirect.kind == RedirectKind::Descriptor {
            continue;
        }
        if let Some(kind) = places::secret_kind(&redirect.target.text, redirect.target.pattern) {
            let name = if redirect.kind == RedirectKind::Read {
                "read"
            } else {
                "write"
            };
            note(
                effects,
                &format!("{kind}.{name}"),
                command,
                &redirect.target.text,
            );
        }
    }
    if looks {
        return;
    }
    let uses = [
        (&command.reads, "read"),
        (&command.writes, "write"),
        (&command.deletes, "write"),
    ];
    for (paths, what) in uses {
        for path in paths {
            if let Some(kind) = places::secret_kind(&path.written, path.pattern) {
                note(effects, &format!("{kind}.{what}"), command, &path.written);
            }
        }
    }
    let quotes_data = ["git", "grep", "rg", "echo", "printf", "gh", "sed", "awk"]
        .contains(&command.program.as_str());
    if let Some(code) = command.code.as_deref().filter(|_| !quotes_data) {
        for word in code.split(|it: char| it.is_whitespace() || "'\"`(),;=+[]{}<>".contains(it)) {
            if let Some(kind) =
                places::secret_kind(word, false).filter(|_| !word.starts_with("process.env"))
            {
                note(effects, &format!("{kind}.read"), command, word);
            }
        }
    }
    if [
        "docker", "podman", "curl", "wget", "scp", "rsync", "aws", "tar", "zip", "7z", "nc",
        "openssl", "base64",
    ]
    .contains(&command.program.as_str())
    {
        for word in command.args() {
            let value = word.text.rsplit(['=', '@', ':']).next().unwrap_or("");
            for text in [word.text.as_str(), value] {
                if let Some(kind) = places::secret_kind(text, word.pattern) {
                    note(effects, &format!("{kind}.read"), command, text);
                }
            }
        }
    }
}

/// Finds the branches that a push changes.
fn pushed(command: &Command, branch: Option<&str>, places: &Places, effects: &mut Vec<Effect>) {
    let operands: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
    let is_protected = |name: &str| places.is_protected_branch(name);

    let is_dry = command.has_flag("--dry-run") || command.has_flag("-n");
    if is_dry {
        return;
    }
    let targets = operands.iter().skip(1).map(|it| {
        let target = it.trim_start_matches('+').rsplit(':').next().unwrap_or("");
        target.trim_start_matches("refs/heads/")
    });
    let mut named = false;
    for target in targets {
        named = true;
        let target = if target == "HEAD" {
            branch.unwrap_or("")
        } else {
            target
        };
        if is_protected(target) {
            note(effects, "branch.push", command, target);
        }
    }
    let all =
        command.has_flag("--all") || command.has_flag("--mirror") || command.has_flag("--branches");
    if all {
        note(effects, "branch.push", command, "all branches");
    } else if let Some(name) = branch.filter(|it| !named && is_protected(it)) {
        note(effects, "branch.push", command, name);
    }
}

/// Variables by which the checks of a repository are skipped.
const SKIPS_CHECKS: &[&str] = &[
    "HUSKY",
    "HUSKY_SKIP_HOOKS",
    "SKIP",
    "LEFTHOOK",
    "OVERCOMMIT_DISABLE",
    "PRE_COMMIT_ALLOW_NO_CONFIG",
];

fn by_branch(
    command: &Command,
    branch: &mut Option<String>,
    places: &Places,
    effects: &mut Vec<Effect>,
) {
    if command.program != "git" {
        return;
    }
    if command
        .env
        .iter()
        .any(|it| SKIPS_CHECKS.contains(&it.name.as_str()))
    {
        note(effects, "git.no-verify", command, "");
    }
    let operands: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
    let is_protected = |name: &str| places.is_protected_branch(name);
    match command.subcommand.as_deref() {
        Some("checkout" | "switch") => {
            let creates = ["-b", "-B", "-c", "-C", "--create", "--orphan"];
            let new_branch = command
                .words
                .windows(2)
                .find(|pair| creates.contains(&pair[0].text.as_str()));
            if let Some([_, name]) = new_branch {
                *branch = Some(name.text.clone());
            } else if let [name] = operands[..] {
                *branch = Some(name.to_owned());
            }
        }
        Some("commit" | "merge" | "cherry-pick" | "revert" | "am" | "rebase" | "pull-never") => {
            let is_dry = ["--dry-run", "--abort", "--quit", "--show-current-patch"]
                .iter()
                .any(|it| command.has_flag(it));
            if let Some(name) = branch.as_deref().filter(|it| is_protected(it) && !is_dry) {
                note(effects, "branch.commit", command, name);
            }
        }
        Some("push") => pushed(command, branch.as_deref(), places, effects),
        Some("branch" | "update-ref") => {
            let forces = ["-f", "-D", "-d", "-M", "-m", "--delete", "--force"]
                .iter()
                .any(|it| command.has_flag(it))
                || command.subcommand.as_deref() == Some("update-ref");
            for operand in operands.iter().take(1) {
                let name = operand.trim_start_matches("refs/heads/");
                if forces && is_protected(name) {
                    note(effects, "branch.rewrite", command, name);
                }
            }
        }
        _ => {}
    }
}

/// Finds the effects of a tool that reads or writes a file by its path.
pub(crate) fn of_path(absolute: &str, what: &str, places: &Places) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(kind) = places::secret_kind(absolute, absolute.contains(['*', '?'])) {
        names.push(format!("{kind}.{what}"));
    }
    if what == "write" {
        let path = hookloop_shell::tidy(absolute);
        if places.is_start_file(&path) {
            names.push("persist".to_owned());
        } else if places.kind(&path, false) == PlaceKind::System {
            names.push("write.system".to_owned());
        } else if path.contains("/.git/") {
            names.push("git.internals".to_owned());
        }
    }
    names
}
