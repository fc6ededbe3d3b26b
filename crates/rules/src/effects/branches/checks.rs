//! A repository's own checks: how they are skipped, removed or emptied.

use std::sync::LazyLock;

use hookloop_shell::{Command, Input, PathUse, RedirectKind};
use regex::Regex;

use super::super::{Effect, note};
use super::Branches;

/// Variables that make git skip the checks of a repository.
pub(super) const SKIPS_CHECKS: &[&str] = &[
    "HUSKY",
    "HUSKY_SKIP_HOOKS",
    "SKIP",
    "LEFTHOOK",
    "LEFTHOOK_EXCLUDE",
    "OVERCOMMIT_DISABLE",
    "PRE_COMMIT_ALLOW_NO_CONFIG",
    "SKIP_SIMPLE_GIT_HOOKS",
];

/// Returns whether a variable makes git skip the checks of a repository, or read other settings
/// that may do so.
pub(super) fn skips_checks(name: &str, value: &str) -> bool {
    let other_settings = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"];
    SKIPS_CHECKS.contains(&name) && !value.is_empty() && !(name == "HUSKY" && value == "1")
        || says_to_skip(name, value)
        || name.starts_with("GIT_CONFIG") && value.to_lowercase().contains("hookspath")
        || other_settings.contains(&name) && !["", "/dev/null"].contains(&value)
}

/// Returns whether the name of a variable says that checks are left out: `SKIP_GIT_HOOKS=1`,
/// `DISABLE_HUSKY=1`.
fn says_to_skip(name: &str, value: &str) -> bool {
    const VERBS: [&str; 5] = ["SKIP", "NO", "DISABLE", "BYPASS", "IGNORE"];
    const CHECKS: [&str; 12] = [
        "HOOK",
        "HOOKS",
        "HUSKY",
        "YORKIE",
        "LEFTHOOK",
        "OVERCOMMIT",
        "PRECOMMIT",
        "PREPUSH",
        "TALISMAN",
        "GITLEAKS",
        "GGSHIELD",
        "COMMITLINT",
    ];
    let is_off = ["", "0", "false", "no", "off"].contains(&value);
    let mut parts = name.split('_');
    !is_off && parts.clone().any(|it| VERBS.contains(&it)) && parts.any(|it| CHECKS.contains(&it))
}

impl Branches<'_> {
    /// Returns whether a command makes git look for its checks where there are none.
    pub(super) fn moves_checks(&self, command: &Command) -> bool {
        if command.subcommand.as_deref() != Some("config") {
            return false;
        }
        let mut words = command
            .words_after_program()
            .iter()
            .skip_while(|it| !it.text.eq_ignore_ascii_case("core.hookspath"));
        let unsets = ["--unset", "--unset-all", "unset"].iter().any(|it| {
            command
                .words_after_program()
                .iter()
                .any(|word| word.text == *it)
        });
        if unsets && words.clone().next().is_some() {
            return true;
        }
        let asks = ["--get", "--get-all"].iter().any(|it| {
            command
                .words_after_program()
                .iter()
                .any(|word| word.text == *it)
        });
        match words.nth(1) {
            // A folder of the project holds checks that somebody wrote, if it is there.
            Some(folder) => {
                let is_elsewhere =
                    folder.text.is_empty() || folder.text.starts_with(['/', '~', '$']);
                !asks && (is_elsewhere || self.lacks(command, &folder.text))
            }
            None => false,
        }
    }

    /// Returns whether a folder doesn't exist and isn't named as a folder of checks is.
    fn lacks(&self, command: &Command, folder: &str) -> bool {
        let name = folder
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or("");
        let is_there = || self.has_path(command, folder) == Some(true);
        !is_folder_of_checks(name) && !is_there()
    }
}

/// Returns whether a program other than git commits or pushes without the checks, as its option
/// says.
fn leaves_out_checks(command: &Command) -> bool {
    const COMMITTERS: &[&str] = &[
        "gcz",
        "git-cz",
        "cz",
        "commitizen",
        "gitmoji",
        "commitlint",
        "koji",
        "oco",
        "opencommit",
        "aicommits",
        "lerna",
        "standard-version",
        "commit-and-tag-version",
        "release-it",
        "np",
        "bumpp",
        "bumpversion",
        "bump2version",
        "bump-my-version",
        "changelogen",
        "cog",
        "aider",
        "git-machete",
        "gt",
        "sl",
        "hg",
        "chg",
    ];
    // These programs quote the option, or give it another meaning.
    const OTHERS: &[&str] = &[
        "git", "cargo", "echo", "printf", "grep", "egrep", "rg", "ag", "gh", "sed", "awk", "jq",
        "man", "tldr",
    ];
    const VERBS: &[&str] = &[
        "commit", "push", "version", "bump", "submit", "amend", "merge", "release", "cz",
    ];
    let program = command.program.as_str();
    let mut words = command.texts_after_program();
    let mut commits = || COMMITTERS.contains(&program) || words.any(|it| VERBS.contains(&it));
    !OTHERS.contains(&program) && command.has_flag("--no-verify") && commits()
}

/// Finds checks of the repository that are removed.
pub(super) fn removed_checks(command: &Command, effects: &mut Vec<Effect>) {
    const REPLACES: &[&str] = &[
        "ln", "cp", "mv", "install", "tee", "truncate", "sed", "gsed", "perl", "vim", "vi", "nano",
        "patch", "dd",
    ];
    let is_check = |path: &str| {
        path.contains(".git/hooks") || path.contains(".husky") || is_configuration(path)
    };
    let closes = command.program == "chmod"
        && command.words_after_program().iter().any(|it| {
            it.text.starts_with('0')
                || ["-x", "a-x", "u-x", "-rwx", "644", "600", "444"].contains(&it.text.as_str())
        });
    let written = command
        .redirects
        .iter()
        .filter(|it| it.kind == RedirectKind::Write && it.target.text.contains(".git/hooks/"));
    let arguments = command.words_after_program().iter().filter(|_| closes);
    let may_replace = REPLACES.contains(&command.program.as_str());
    let replaced = command
        .writes
        .iter()
        .filter(|it| may_replace && lies_in_hooks(it, ".git/hooks/") && !installs(command, it));
    let by_folder = command.deletes.iter().find(|it| {
        lies_in_hooks(it, ".git/hooks")
            || lies_in_hooks(it, ".husky")
            || is_configuration(&it.written)
    });
    if let Some(path) = by_folder {
        note(effects, "git.no-verify", command, &path.written);
    }
    let quotes_data = ["git", "grep", "rg", "echo", "printf", "gh", "sed", "awk"]
        .contains(&command.program.as_str());
    let code = command.code.as_deref().filter(|_| !quotes_data);
    if code.is_some_and(|it| {
        let removes = [
            "remove", "unlink", "rm", "rename", "move", "write", "chmod", "replace",
        ];
        (it.contains(".git/hooks") || it.contains(".husky"))
            && removes.iter().any(|verb| it.contains(verb))
    }) {
        note(effects, "git.no-verify", command, ".git/hooks");
    }
    let removed = command
        .deletes
        .iter()
        .chain(replaced)
        .map(|it| it.written.as_str());
    if empties_checks(command) || leaves_out_checks(command) {
        note(effects, "git.no-verify", command, "");
    }
    let about = removed
        .chain(arguments.map(|it| it.text.as_str()))
        .find(|it| is_check(it))
        .or_else(|| written.map(|it| it.target.text.as_str()).next());
    if let Some(about) = about {
        note(effects, "git.no-verify", command, about);
    }
}

/// Returns whether a command leaves checks that check nothing.
fn empties_checks(command: &Command) -> bool {
    let printed = match command.program.as_str() {
        "echo" | "printf" => command.texts_after_program().collect(),
        "cat" if command.words_after_program().is_empty() => match &command.input {
            Input::Text(text) => vec![text.as_str()],
            _ => vec!["something"],
        },
        "cat"
            if command
                .words_after_program()
                .iter()
                .all(|it| it.text == "/dev/null") =>
        {
            Vec::new()
        }
        "" | ":" | "true" => Vec::new(),
        _ => vec!["something"],
    };
    let is_emptied = command
        .redirects
        .iter()
        .filter(|it| it.kind == RedirectKind::Write)
        .any(|it| checks_nothing(&it.target.text, &printed.join(" ").replace("\\n", "\n")));
    let switched_off = command
        .redirects
        .iter()
        .filter(|it| it.takes_output)
        .any(|it| turns_checks_off(&it.target.text, &printed.join(" ").replace("\\n", "\n")));
    let truncated = command.program == "truncate"
        && command
            .writes
            .iter()
            .any(|it| it.written.contains(".husky/") || is_configuration(&it.written));
    let is_check =
        |it: &str| it.contains(".husky/") || it.contains(".git/hooks/") || is_configuration(it);
    let in_place = ["-i", "--in-place"].iter().any(|it| command.has_flag(it));
    let names_check = command
        .words_after_program()
        .iter()
        .any(|it| is_check(&it.text));
    let by_nothing = ["cp", "install", "dd"].contains(&command.program.as_str())
        && command
            .words_after_program()
            .iter()
            .any(|it| it.text.ends_with("/dev/null"));
    let by_lines = ["ed", "ex", "red"].contains(&command.program.as_str())
        && command
            .code
            .as_deref()
            .is_some_and(|it| it.contains("exit 0") || it.lines().any(takes_out));
    if names_check && (by_nothing || by_lines) {
        return true;
    }
    let replaced_by_nothing = ["sed", "gsed", "perl"].contains(&command.program.as_str())
        && command
            .words_after_program()
            .iter()
            .any(|it| takes_out(&it.text))
        && (command.writes.iter().any(|it| is_check(&it.written))
            || in_place
                && command
                    .words_after_program()
                    .iter()
                    .any(|it| is_check(&it.text)));
    is_emptied || switched_off || truncated || replaced_by_nothing
}

/// Returns whether an editor's expression removes a check from a file, or turns it into a comment.
fn takes_out(expression: &str) -> bool {
    static TAKES_OUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"/(true|exit 0|:)/|^\d*[aic]\s*\\?\s*exit\b|^s(.).*(.)(#|//)|^/.*/d$|^\S*/d$|^\d*(,\$?\d*)?d$|^s/[^/]+//g?$")
            .ok()
    });
    TAKES_OUT.as_ref().is_none_or(|it| it.is_match(expression))
}

/// Returns whether a check is copied from the file of the same name in the project.
fn installs(command: &Command, check: &PathUse) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or("").to_owned();
    let mut operands = command.operands();
    ["cp", "install", "ln"].contains(&command.program.as_str())
        && operands.next().is_some_and(|it| {
            let from = name(&it.text);
            let is_inside = !it.text.starts_with(['/', '~', '$']);
            let stem = from.split('.').next().unwrap_or("");
            // In the folder, it keeps its own name.
            let is_folder = check.written.trim_end_matches('/').ends_with(".git/hooks");
            let kinds = ["pre-", "post-", "commit-msg", "prepare-commit-msg"];
            let is_one = is_folder && kinds.iter().any(|it| stem.starts_with(it));
            // All checks of a folder: `cp .githooks/* .git/hooks/`.
            let is_all = is_folder
                && ["*", "."].contains(&from.as_str())
                && it.text.rsplit('/').nth(1).is_some_and(is_folder_of_checks);
            is_all && is_inside || it.known && is_inside && (stem == name(&check.written) || is_one)
        })
}

/// Returns what is changed of a repository's own files, if a path is one of them; a check that is
/// installed lies in its folder.
pub(in crate::effects) fn internals(
    command: &Command,
    path: &PathUse,
    absolute: &str,
) -> Option<String> {
    let is_internal = absolute.contains("/.git/") && !absolute.ends_with("/.git/info/exclude");
    let end = if installs(command, path) { "/" } else { "" };
    is_internal.then(|| format!("{absolute}{end}"))
}

/// Returns whether a folder is named as a folder of checks is.
fn is_folder_of_checks(name: &str) -> bool {
    [
        "hooks",
        ".hooks",
        "githooks",
        ".githooks",
        "git-hooks",
        ".git-hooks",
        ".husky",
        "_",
    ]
    .contains(&name)
}

/// Returns whether a file says which checks run.
fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or("");
    let stem = name.trim_start_matches('.');
    [
        "pre-commit-config.yaml",
        "lefthook.yml",
        "lefthook.yaml",
        "huskyrc",
        "simple-git-hooks.json",
        "overcommit.yml",
    ]
    .contains(&stem)
}

/// Returns whether a file is a check of a repository, or says which run.
pub(in crate::effects) fn is_check_file(path: &str) -> bool {
    path.contains("/.git/hooks") || path.contains("/.husky") || is_configuration(path)
}

/// Returns whether a file of checks would check nothing with this content.
pub(in crate::effects) fn checks_nothing(path: &str, content: &str) -> bool {
    let is_check =
        path.contains(".husky/") || path.contains(".git/hooks/") || is_configuration(path);
    let empty = ["", "true", ":", "exit 0", "exit", "repos: []", "{}"];
    turns_checks_off(path, content)
        || is_check
            && content
                .lines()
                .map(|it| it.trim().trim_end_matches(';'))
                .filter(|it| !it.starts_with('#'))
                .all(|it| empty.contains(&it))
}

/// Returns whether a file that is read before the checks switches them off: `HUSKY=0` in
/// `~/.huskyrc` or in a profile of a shell.
fn turns_checks_off(path: &str, content: &str) -> bool {
    const PROFILES: &[&str] = &[
        ".huskyrc",
        ".bashrc",
        ".bash_profile",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".envrc",
    ];
    let is_read = path.contains("config/husky/") || PROFILES.iter().any(|it| path.ends_with(it));
    is_read
        && content.lines().any(|line| {
            let line = line.trim().trim_start_matches("export ").trim_start();
            line.split_once('=')
                .is_some_and(|(name, value)| skips_checks(name, value.trim_matches(['"', '\''])))
        })
}

/// Returns whether a path is in a folder, as it is written or where it leads.
fn lies_in_hooks(path: &PathUse, folder: &str) -> bool {
    path.written.contains(folder) || path.paths.iter().any(|it| it.contains(folder))
}
