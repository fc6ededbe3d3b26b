//! Which branches a command changes, and which checks of a repository it skips.

mod moved;

use hookloop_shell::{Command, PathUse, RedirectKind, Surroundings, Understood, understand};

use super::{Effect, Places, note};

/// Variables by which the checks of a repository are skipped.
const SKIPS_CHECKS: &[&str] = &[
    "HUSKY",
    "HUSKY_SKIP_HOOKS",
    "SKIP",
    "LEFTHOOK",
    "LEFTHOOK_EXCLUDE",
    "OVERCOMMIT_DISABLE",
    "PRE_COMMIT_ALLOW_NO_CONFIG",
    "SKIP_SIMPLE_GIT_HOOKS",
];

/// What is known of branches on the way through a text.
pub(super) struct Branches<'p> {
    places: &'p Places,
    /// The branch that is checked out.
    checked_out: Option<String>,
    /// Worktrees that were added: the last part of their paths, and their branches.
    worktrees: Vec<(String, String)>,
    /// The checks are skipped by an exported variable.
    skips_checks: bool,
}

impl<'p> Branches<'p> {
    pub(super) fn new(places: &'p Places) -> Self {
        Self {
            places,
            checked_out: places.branch.clone(),
            worktrees: Vec::new(),
            skips_checks: false,
        }
    }

    /// Finds what a command does to branches and checks.
    pub(super) fn by_branch(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        if command.program == "export" {
            self.skips_checks |= command.args().iter().any(|it| {
                let set = it.text.split_once('=');
                set.is_some_and(|(name, value)| skips_checks(name, value))
            });
        }
        removed_checks(command, effects);
        let commits = ["commit", "push", "release", "version", "publish"];
        let runs_checks = command
            .args()
            .iter()
            .any(|it| commits.iter().any(|verb| it.text.contains(verb)));
        let skips = command
            .env
            .iter()
            .any(|it| SKIPS_CHECKS.contains(&it.name.as_str()) && it.value.text == "0");
        if runs_checks && skips {
            note(effects, "git.no-verify", command, "");
        }
        match command.program.as_str() {
            "git" | "hub" => self.by_git(command, effects),
            "gh" | "glab"
                if command
                    .subcommand
                    .as_deref()
                    .is_some_and(|it| it.starts_with("api")) =>
            {
                self.by_service(command, effects);
            }
            "curl" | "wget" | "http" | "https" | "xh" | "curlie" => {
                let is_host = |text: &str| {
                    [
                        "api.github.com",
                        "api.bitbucket.org",
                        "/api/v3/repos/",
                        "/api/v4/projects/",
                    ]
                    .iter()
                    .any(|it| text.contains(it))
                };
                if command.args().iter().any(|it| is_host(&it.text)) {
                    self.by_service(command, effects);
                }
            }
            _ => {}
        }
    }

    fn is_protected(&self, name: &str) -> bool {
        self.places.is_protected_branch(name)
    }

    /// Returns the branch that is checked out where a command runs.
    fn here(&self, command: &Command) -> Option<&str> {
        let of_worktree = self.worktrees.iter().find(|(name, _)| {
            let mut folders = command.folders.iter();
            let there = command
                .words
                .windows(2)
                .any(|pair| pair[0].text == "-C" && pair[1].text.ends_with(name.as_str()));
            there || folders.any(|it| it.trim_end_matches('/').ends_with(&format!("/{name}")))
        });
        match of_worktree {
            Some((_, branch)) => Some(branch),
            None => self.checked_out.as_deref(),
        }
    }

    /// Notes which branch a new folder has: one that an option makes, else the one behind the path.
    fn add_worktree(&mut self, command: &Command) {
        let at = command.words.iter().position(|it| it.text == "add");
        let words = &command.words[at.map_or(0, |at| at + 1)..];
        let mut new = None;
        let mut named = Vec::new();
        let mut words = words.iter().map(|it| it.text.as_str());
        while let Some(word) = words.next() {
            let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
            if word == "--reason" {
                words.next();
            } else if let Some((_, name)) = letters.and_then(|it| it.split_once(['b', 'B'])) {
                new = if name.is_empty() {
                    words.next()
                } else {
                    Some(name)
                };
            } else if !word.starts_with('-') {
                named.push(word);
            }
        }
        if let [path, rest @ ..] = &named[..] {
            // Without any other name, the branch is called like the folder.
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
            let branch = new.or_else(|| rest.first().copied()).unwrap_or(name);
            self.worktrees
                .push((name.to_owned(), bare(branch).to_owned()));
        }
    }

    fn by_git(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let subcommand = command.subcommand.as_deref().unwrap_or("");
        let runs_checks = [
            "commit",
            "merge",
            "push",
            "rebase",
            "am",
            "cherry-pick",
            "revert",
        ]
        .contains(&subcommand);
        let by_variable = command
            .env
            .iter()
            .any(|it| skips_checks(&it.name, &it.value.text));
        if by_variable || self.skips_checks && runs_checks || moves_checks(command) {
            note(effects, "git.no-verify", command, "");
        }
        let operands: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
        match subcommand {
            "checkout" | "switch" => self.check_out(command, &operands, effects),
            "symbolic-ref" => {
                if let ["HEAD", target] = operands[..] {
                    self.checked_out = Some(bare(target).to_owned());
                }
            }
            "worktree" | "worktree add" => self.add_worktree(command),
            "commit" | "merge" | "cherry-pick" | "revert" | "am" | "rebase" => {
                let is_dry = ["--dry-run", "--abort", "--quit", "--show-current-patch"]
                    .iter()
                    .any(|it| command.has_flag(it));
                let named = (subcommand == "rebase")
                    .then(|| operands.get(1).copied())
                    .flatten();
                let branch = named.or_else(|| self.here(command));
                if let Some(name) = branch.filter(|it| self.is_protected(it) && !is_dry) {
                    note(effects, "branch.commit", command, name);
                }
            }
            // What is pulled from another branch is merged into this one.
            "pull" if operands.len() > 1 => {
                let here = self.here(command).unwrap_or("");
                let from_elsewhere = operands[1..].iter().any(|it| bare(it) != here);
                if from_elsewhere && self.is_protected(here) {
                    note(effects, "branch.commit", command, here);
                }
                self.fetched(command, &operands, effects);
            }
            "reset" if command.has_flag("--hard") && !operands.is_empty() => {
                if let Some(name) = self.here(command).filter(|it| self.is_protected(it)) {
                    note(effects, "branch.rewrite", command, name);
                }
            }
            "push" | "send-pack" => self.pushed(command, &operands, effects),
            "fetch" => self.fetched(command, &operands, effects),
            "branch" | "update-ref" => {
                self.moved(command, subcommand, effects);
            }
            _ => {}
        }
    }

    fn check_out(&mut self, command: &Command, operands: &[&str], effects: &mut Vec<Effect>) {
        let creates = [
            "-b",
            "-B",
            "-c",
            "-C",
            "--create",
            "--orphan",
            "--force-create",
        ];
        let subcommand = command.subcommand.as_deref().unwrap_or("");
        let at = command.words.iter().position(|it| it.text == subcommand);
        let new_branch = command.words[at.unwrap_or(0)..]
            .windows(2)
            .find(|pair| creates.contains(&pair[0].text.as_str()));
        if let Some([option, name]) = new_branch {
            let forces = ["-B", "-C", "--force-create"].contains(&option.text.as_str());
            if forces && self.is_protected(&name.text) {
                note(effects, "branch.rewrite", command, &name.text);
            }
            self.checked_out = Some(name.text.clone());
        } else if let [name] = operands[..] {
            self.checked_out = Some(name.to_owned());
        }
    }

    /// Finds the branches that a push changes.
    fn pushed(&self, command: &Command, operands: &[&str], effects: &mut Vec<Effect>) {
        let is_dry = command.has_flag("--dry-run") || command.has_flag("-n");
        if is_dry {
            return;
        }
        let mut named = false;
        // `-c remote.origin.push=HEAD:refs/heads/main`.
        let settings = command.args().iter().filter_map(|it| {
            let (key, value) = it.text.split_once('=')?;
            let last = key.strip_prefix("remote.")?.rsplit('.').next()?;
            last.eq_ignore_ascii_case("push").then_some(value)
        });
        for target in settings.filter_map(|it| it.rsplit(':').next()) {
            named = true;
            if self.is_protected(bare(target)) {
                note(effects, "branch.push", command, bare(target));
            }
        }
        let defaults = [
            "push.default=matching",
            "push.default=upstream",
            "push.default=tracking",
        ];
        let goes_elsewhere = command
            .args()
            .iter()
            .any(|it| defaults.contains(&it.text.as_str()));
        if goes_elsewhere {
            note(effects, "branch.push", command, "all branches");
        }
        // With `--repo` the first operand is a branch already.
        let remotes = usize::from(
            !command
                .args()
                .iter()
                .any(|it| it.text.starts_with("--repo")),
        );
        for operand in operands.iter().skip(remotes) {
            named = true;
            let target = bare(
                operand
                    .trim_start_matches('+')
                    .rsplit(':')
                    .next()
                    .unwrap_or(""),
            );
            let target = if target == "HEAD" || target == "@" {
                self.here(command).unwrap_or("")
            } else {
                target
            };
            let is_default = !operand.is_empty() && operand.contains("origin/HEAD");
            if target.contains('*') || is_default {
                note(effects, "branch.push", command, "all branches");
            } else if self.is_protected(target) {
                note(effects, "branch.push", command, target);
            }
        }
        let all = ["--all", "--mirror", "--branches"]
            .iter()
            .any(|it| command.has_flag(it));
        if all {
            note(effects, "branch.push", command, "all branches");
        } else if let Some(name) = self
            .here(command)
            .filter(|it| !named && self.is_protected(it))
        {
            note(effects, "branch.push", command, name);
        }
    }

    /// Finds the branches that a call of the service of a code host changes.
    fn by_service(&self, command: &Command, effects: &mut Vec<Effect>) {
        let words: Vec<&str> = command.args().iter().map(|it| it.text.as_str()).collect();
        let methods = ["PUT", "POST", "PATCH", "DELETE"];
        let writes = words
            .iter()
            .any(|it| methods.iter().any(|method| it.ends_with(method)));
        // A body makes a call one that writes, where no method is named.
        let bodies = [
            "-f",
            "-F",
            "--field",
            "--raw-field",
            "--input",
            "-d",
            "--data",
            "--data-raw",
            "--json",
            "--post-data",
            "--data-binary",
        ];
        let has_body = bodies.iter().any(|it| command.has_flag(it));
        let reads = words.iter().any(|it| it.ends_with("GET"));
        let mutates = words.iter().any(|it| {
            let changes = [
                "BranchProtection",
                "Ruleset",
                "mergePullRequest",
                "mergeBranch",
                "updateRef",
                "deleteRef",
                "createCommitOnBranch",
            ];
            it.contains("mutation") && changes.iter().any(|name| it.contains(name))
        });
        let merges = |word: &str| {
            word.contains("/pulls/") && word.ends_with("/merge")
                || word.contains("/merge_requests/") && word.ends_with("/merge")
        };
        if words.contains(&"force=true") && words.iter().any(|it| it.contains("git/refs")) {
            note(effects, "git.force-push", command, "");
        }
        if mutates || writes && words.iter().any(|it| merges(it)) {
            note(effects, "branch.push", command, "all branches");
        }
        for word in words.iter().filter(|_| writes || has_body && !reads) {
            let rules = [
                "/rulesets",
                "/protected_branches",
                "/branch-restrictions",
                "default_branch",
                "/statuses/",
            ];
            if rules.iter().any(|it| word.contains(it)) {
                note(effects, "branch.rewrite", command, "all branches");
            }
            let body = |key: &str| {
                let (_, behind) = word.split_once(&format!("\"{key}\""))?;
                behind
                    .trim_start()
                    .strip_prefix(':')?
                    .trim_start()
                    .strip_prefix('"')
            };
            let name = word
                .strip_prefix("branch=")
                .or_else(|| word.strip_prefix("base="))
                .or_else(|| word.split_once("heads/").map(|(_, it)| it))
                .or_else(|| word.split_once("/branches/").map(|(_, it)| it))
                .or_else(|| body("base"))
                .or_else(|| body("branch"));
            let name = name.map(|it| it.split(['/', '"']).next().unwrap_or(""));
            if let Some(name) = name.filter(|it| self.is_protected(it)) {
                note(effects, "branch.push", command, name);
            }
        }
    }
}

/// Tells whether a variable has the checks of a repository skipped, or other settings read that
/// may have it.
fn skips_checks(name: &str, value: &str) -> bool {
    let other_settings = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"];
    SKIPS_CHECKS.contains(&name) && !(name == "HUSKY" && value == "1")
        || name.starts_with("GIT_CONFIG") && value.to_lowercase().contains("hookspath")
        || other_settings.contains(&name) && !["", "/dev/null"].contains(&value)
}

/// Returns a branch's name without `refs/heads/`.
fn bare(name: &str) -> &str {
    let name = name.trim_start_matches("refs/heads/");
    name.strip_prefix("heads/").unwrap_or(name)
}

/// Tells whether a command has git look for its checks where there are none.
fn moves_checks(command: &Command) -> bool {
    if command.subcommand.as_deref() != Some("config") {
        return false;
    }
    let mut words = command
        .args()
        .iter()
        .skip_while(|it| !it.text.eq_ignore_ascii_case("core.hookspath"));
    let unsets = ["--unset", "--unset-all", "unset"]
        .iter()
        .any(|it| command.args().iter().any(|word| word.text == *it));
    if unsets && words.clone().next().is_some() {
        return true;
    }
    let asks = ["--get", "--get-all"]
        .iter()
        .any(|it| command.args().iter().any(|word| word.text == *it));
    match words.nth(1) {
        // A folder of the project holds checks that somebody wrote.
        Some(folder) => {
            !asks && (folder.text.is_empty() || folder.text.starts_with(['/', '~', '$']))
        }
        None => false,
    }
}

/// Finds checks of the repository that are taken away.
fn removed_checks(command: &Command, effects: &mut Vec<Effect>) {
    const REPLACES: &[&str] = &[
        "ln", "cp", "mv", "install", "tee", "truncate", "sed", "gsed", "perl", "vim", "vi", "nano",
        "patch", "dd",
    ];
    let is_check = |path: &str| {
        path.contains(".git/hooks") || path.contains(".husky") || is_configuration(path)
    };
    let closes = command.program == "chmod"
        && command.args().iter().any(|it| {
            it.text.starts_with('0')
                || ["-x", "a-x", "u-x", "-rwx", "644", "600", "444"].contains(&it.text.as_str())
        });
    let written = command
        .redirects
        .iter()
        .filter(|it| it.kind == RedirectKind::Write && it.target.text.contains(".git/hooks/"));
    let arguments = command.args().iter().filter(|_| closes);
    let may_replace = REPLACES.contains(&command.program.as_str());
    let replaced = command
        .writes
        .iter()
        .filter(|it| may_replace && lies_in_hooks(it, ".git/hooks/"));
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
    let taken = command
        .deletes
        .iter()
        .chain(replaced)
        .map(|it| it.written.as_str());
    if emptied(command) {
        note(effects, "git.no-verify", command, "");
    }
    let about = taken
        .chain(arguments.map(|it| it.text.as_str()))
        .find(|it| is_check(it))
        .or_else(|| written.map(|it| it.target.text.as_str()).next());
    if let Some(about) = about {
        note(effects, "git.no-verify", command, about);
    }
}

/// Tells whether a command leaves checks that check nothing.
fn emptied(command: &Command) -> bool {
    let printed = match command.program.as_str() {
        "echo" | "printf" => command.args().iter().map(|it| it.text.as_str()).collect(),
        "" | ":" | "true" => Vec::new(),
        _ => vec!["something"],
    };
    let is_emptied = command
        .redirects
        .iter()
        .filter(|it| it.kind == RedirectKind::Write)
        .any(|it| checks_nothing(&it.target.text, &printed.join(" ").replace("\\n", "\n")));
    let truncated = command.program == "truncate"
        && command
            .writes
            .iter()
            .any(|it| it.written.contains(".husky/") || is_configuration(&it.written));
    let replaced_by_nothing = ["sed", "gsed", "perl"].contains(&command.program.as_str())
        && command
            .args()
            .iter()
            .any(|it| it.text.contains("/true/") || it.text.contains("/exit 0/"))
        && command
            .writes
            .iter()
            .any(|it| it.written.contains(".husky/") || is_configuration(&it.written));
    is_emptied || truncated || replaced_by_nothing
}

/// Tells whether a file says which checks run.
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

/// Tells whether a file of checks would check nothing with this content.
pub(super) fn checks_nothing(path: &str, content: &str) -> bool {
    let is_check =
        path.contains(".husky/") || path.contains(".git/hooks/") || is_configuration(path);
    let empty = ["", "true", ":", "exit 0", "exit", "repos: []", "{}"];
    is_check
        && content
            .lines()
            .map(|it| it.trim().trim_end_matches(';'))
            .filter(|it| !it.starts_with('#'))
            .all(|it| empty.contains(&it))
}

/// Tells whether a path lies in a folder, as it is written or where it leads.
fn lies_in_hooks(path: &PathUse, folder: &str) -> bool {
    path.written.contains(folder) || path.paths.iter().any(|it| it.contains(folder))
}

/// Returns what an alias of git stands for that a command defines, understood.
pub(super) fn alias(command: &Command, places: &Places) -> Option<Understood> {
    if command.program != "git" {
        return None;
    }
    let words = command.args();
    let given = words.iter().enumerate().find_map(|(at, word)| {
        let inner = word.text.strip_prefix("-c").unwrap_or(&word.text);
        let inner = inner.strip_prefix("alias.")?;
        match inner.split_once('=') {
            Some((_, meant)) => Some(meant.to_owned()),
            None => words.get(at + 1).map(|it| it.text.clone()),
        }
    })?;
    let text = match given.strip_prefix('!') {
        Some(shell) => shell.to_owned(),
        // What an alias means may not define another one: this ends.
        None if given.contains("alias.") => return None,
        None => format!("git {given}"),
    };
    let folder = Some(places.workspace.as_str()).filter(|it| it.starts_with('/'));
    Some(understand(
        &text,
        Surroundings {
            folder,
            home: Some(places.home.as_str()).filter(|it| it.starts_with('/')),
            repository: folder,
            ..Surroundings::default()
        },
    ))
}
