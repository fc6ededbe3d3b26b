//! Which branches a command changes, and which checks of a repository it skips.

mod aliases;
mod checks;
mod cloned;
mod dotfiles;
mod folders;
mod listed;
mod mercurial;
mod moved;
mod pushed;
mod services;
mod tools;

pub(super) use aliases::sets_alias;
use checks::{SKIPS_CHECKS, removed_checks, skips_checks};
pub(super) use checks::{checks_nothing, internals, is_check_file};
use listed::Listed;
use pushed::looks_up_default;
pub(super) use services::mutates;
use services::sends_requests;
use std::collections::HashMap;

use hookloop_shell::Command;

use super::{Effect, Places, note};

/// What represents a branch that isn't known: it may be the one that others build on.
const ALL: &str = "all branches";

/// What is known about branches on the way through a text.
pub(super) struct Branches<'p> {
    places: &'p Places,
    /// What was checked out on the way, by the roots of work trees; an empty root means one that
    /// isn't known.
    checked_out: Vec<CheckedOut>,
    /// Worktrees that were added: the last part of their paths, which stands for their roots.
    worktrees: Vec<String>,
    /// Branches that were made without being checked out.
    made: Vec<String>,
    /// Aliases that were set on the way.
    aliases: HashMap<String, String>,
    /// Other settings that were made on the way, in order.
    made_settings: Vec<(String, String)>,
    /// Branches may have come from elsewhere on the way.
    may_have_more: bool,
    /// Which names of branches were printed on the way.
    listed: Listed,
    /// The checks are skipped by an exported variable.
    skips_checks: bool,
    /// Variables that skip the checks once they are exported.
    would_skip: Vec<String>,
    /// Variables that were given the name of the branch that others build on.
    of_default: Vec<String>,
    /// Variables that were given the name of what is checked out, or of which the beginning is
    /// known.
    of_own: Vec<String>,
    /// A repository was created on the way: what is in it is its own.
    begins_repository: bool,
    /// The repository that an exported variable names.
    git_dir: Option<String>,
    /// The branch or bookmark that Mercurial checked out on the way.
    mercurial_branch: Option<String>,
}

/// A branch that was checked out in a work tree.
struct CheckedOut {
    root: String,
    branch: String,
    /// Whether it isn't known if there is a branch of this name: if there isn't one, the previous
    /// one stays checked out.
    is_doubtful: bool,
    /// Whether that was on another machine.
    is_remote: bool,
}

impl<'p> Branches<'p> {
    pub(super) fn new(places: &'p Places) -> Self {
        Self {
            places,
            checked_out: Vec::new(),
            worktrees: Vec::new(),
            made: Vec::new(),
            aliases: HashMap::new(),
            made_settings: Vec::new(),
            may_have_more: false,
            listed: Listed::default(),
            skips_checks: false,
            would_skip: Vec::new(),
            of_default: Vec::new(),
            of_own: Vec::new(),
            begins_repository: false,
            git_dir: None,
            mercurial_branch: None,
        }
    }

    /// Finds what a command does to branches and checks.
    pub(super) fn by_branch(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        if ["export", "set", ""].contains(&command.program.as_str()) {
            self.note_assignments(command);
        }
        removed_checks(command, effects);
        let commits = ["commit", "push", "release", "version", "publish", "cz"];
        let runs_checks = command
            .words_after_program()
            .iter()
            .any(|it| commits.iter().any(|verb| it.text.contains(verb)));
        let skips = command
            .env
            .iter()
            .any(|it| SKIPS_CHECKS.contains(&it.name.as_str()) && it.value.text == "0");
        if runs_checks && skips {
            note(effects, "git.no-verify", command, "");
        }
        self.by_reference_file(command, effects);
        self.by_listing(command, effects);
        match command.program.as_str() {
            "git" | "hub" if !asks_help(command) => self.by_git(command, effects),
            "hg" | "chg" => {
                self.by_mercurial(command, effects);
                self.by_tool(command, effects);
            }
            "gh" if command.words.iter().any(|it| it.text == "clone") => self.cloned(command),
            "gh" if checks_out(command) => {
                // The name of a pull request's branch isn't known here.
                self.set_head_perhaps(command, "a pull request");
            }
            "gh" | "glab"
                if command
                    .subcommand
                    .as_deref()
                    .is_some_and(|it| it.starts_with("api")) =>
            {
                self.by_service(command, effects);
            }
            client if sends_requests(client) => {
                let is_host = |text: &str| {
                    [
                        "api.github.com",
                        "api.bitbucket.org",
                        "/api/v1/repos/",
                        "/api/v3/repos/",
                        "/api/v4/projects/",
                        "/_apis/git/",
                        "/rest/api/1.0/projects/",
                        "/rest/api/latest/projects/",
                        "/git/refs/heads/",
                        "/a/projects/",
                        "API/repos/",
                        "CI_API_V4_URL",
                        "GITHUB_API_URL",
                    ]
                    .iter()
                    .any(|it| text.contains(it))
                };
                if command
                    .words_after_program()
                    .iter()
                    .any(|it| is_host(&it.text))
                {
                    self.by_service(command, effects);
                }
            }
            _ => self.by_tool(command, effects),
        }
    }

    /// Notes what assignments say about checks and about the repository that is meant.
    fn note_assignments(&mut self, command: &Command) {
        let words = command.texts_after_program();
        let exported = words.filter_map(|it| it.split_once('='));
        let assigned = command.env.iter();
        let assigned = assigned.map(|it| (it.name.as_str(), it.value.text.as_str()));
        // In `cmd`, that is `set NAME=VALUE`.
        let is_export = ["export", "set"].contains(&command.program.as_str());
        for (name, value) in exported.chain(assigned) {
            if looks_up_default(value) {
                self.of_default.push(name.to_owned());
            } else if pushed::is_own(value) {
                self.of_own.push(name.to_owned());
            }
            let skips = skips_checks(name, value);
            self.skips_checks |= is_export && skips;
            if skips && !is_export {
                self.would_skip.push(name.to_owned());
            }
            if name == "GIT_DIR" {
                self.git_dir = (!value.is_empty()).then(|| value.to_owned());
            }
        }
        let mut words = command.texts_after_program();
        let is_one = |it: &str| self.would_skip.iter().any(|name| name == it);
        self.skips_checks |= is_export && words.any(is_one);
    }

    /// Returns whether a name is computed by looking up the branch that others build on, now or
    /// before.
    fn is_default(&self, name: &str) -> bool {
        let variable = name.rsplit_once('$').map_or("", |(_, it)| it);
        let variable = variable.trim_start_matches('{');
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let end = variable.find(|it| !is_part(it)).unwrap_or(variable.len());
        let is_one = |it: &String| !it.is_empty() && *it == variable[..end];
        looks_up_default(name) || self.of_default.iter().any(is_one)
    }

    fn is_protected(&self, name: &str) -> bool {
        name == ALL || self.places.is_protected_branch(name)
    }

    /// Notes which branch a new folder has: one that an option creates, else the one after the
    /// path.
    fn add_worktree(&mut self, command: &Command, effects: &mut Vec<Effect>) {
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
                // One letter only creates a branch; the other moves an existing one.
                if let Some(name) = new.filter(|it| word.contains('B') && self.is_protected(it)) {
                    note(effects, "branch.rewrite", command, name);
                }
            } else if !word.starts_with('-') {
                named.push(word);
            }
        }
        if let [path, rest @ ..] = &named[..] {
            // Without another name, the branch has the folder's name.
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
            let branch = new.or_else(|| rest.first().copied()).unwrap_or(name);
            self.worktrees.push(name.to_owned());
            self.check_out_at(name, bare(branch), command);
        }
    }

    fn by_git(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let subcommand = command.subcommand.as_deref().unwrap_or("");
        self.by_checks(command, subcommand, effects);
        if subcommand.starts_with(['$', '`']) {
            note(effects, "run.unknown", command, "");
        }
        self.bring(subcommand);
        self.note_alias(command);
        if subcommand == "config" {
            self.note_setting(command);
        }
        let operands: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
        match subcommand {
            "checkout" | "switch" => self.check_out(command, &operands, effects),
            "symbolic-ref" => self.by_symbolic_reference(command, &operands, effects),
            "worktree" | "worktree add" => self.add_worktree(command, effects),
            "commit" | "merge" | "cherry-pick" | "revert" | "am" | "rebase" => {
                let is_dry = ["--dry-run", "--abort", "--quit", "--show-current-patch"]
                    .iter()
                    .any(|it| command.has_flag(it))
                    || leaves_commit(command, subcommand);
                // With `--root` there is nothing to rebase onto.
                let at = usize::from(!command.has_flag("--root"));
                let named = (subcommand == "rebase")
                    .then(|| rebase_operands(command).get(at).map(|it| (*it).to_owned()))
                    .flatten();
                if !is_dry && !self.catches_up(command, subcommand, &operands) {
                    self.note_commit(command, named, effects);
                }
            }
            // A part of another history is merged into this one.
            "subtree"
                if ["add", "pull", "merge"]
                    .iter()
                    .any(|it| operands.contains(it)) =>
            {
                self.note_commit(command, None, effects);
            }
            "quiltimport" | "citool" | "absorb" | "squash" | "undo" => {
                self.note_commit(command, None, effects);
            }
            "gui" if operands.contains(&"citool") => self.note_commit(command, None, effects),
            _ if subcommand.starts_with("lfs")
                && (command.words.iter()).any(|it| ["import", "export"].contains(&&*it.text)) =>
            {
                note(effects, "branch.rewrite", command, "all branches");
            }
            "fast-import" => note(effects, "branch.rewrite", command, "all branches"),
            // Pulling another branch merges it into this one.
            "pull" if operands.len() > 1 => {
                for here in self.current_branches(command) {
                    let from_elsewhere = operands[1..].iter().any(|it| bare(it) != here);
                    if from_elsewhere && self.is_protected(&here) {
                        note(effects, "branch.commit", command, &here);
                    }
                }
                self.note_fetched(command, &operands, effects);
            }
            "clone" => self.cloned(command),
            "init" => self.begins_repository = true,
            "reset" if moves_head(command, &operands) => {
                let here = self.current_branches(command);
                for name in here.iter().filter(|it| self.is_protected(it)) {
                    note(effects, "branch.rewrite", command, name);
                }
            }
            "push" | "send-pack" => self.note_pushed_branches(command, &operands, effects),
            "fetch" => self.note_fetched(command, &operands, effects),
            "branch" | "update-ref" => {
                if let [name, ..] = operands[..] {
                    self.made.push(name.to_owned());
                }
                self.note_upstream(command, &operands);
                self.note_moved(command, subcommand, effects);
            }
            _ => {}
        }
    }

    /// Returns whether a command updates a branch from its own upstream, as `git pull` does.
    fn catches_up(&self, command: &Command, subcommand: &str, operands: &[&str]) -> bool {
        let changes_more = ["--onto", "--root", "-x", "--exec", "--squash"]
            .iter()
            .any(|it| command.has_flag(it));
        let here = self.current_branches(command);
        let is_upstream = |upstream: &str| {
            // Nobody sees which branch it is, so what others build on counts as its upstream.
            let is_likely = self.is_out_of_sight(command)
                && upstream
                    .split_once('/')
                    .is_some_and(|(remote, name)| remote == "origin" && self.is_protected(name));
            is_likely || !here.is_empty() && here.iter().all(|it| is_upstream_of(upstream, it))
        };
        ["merge", "rebase"].contains(&subcommand)
            && !changes_more
            && operands.len() == 1
            && is_upstream(operands[0])
    }

    /// Notes a command of git that skips the checks.
    fn by_checks(&self, command: &Command, subcommand: &str, effects: &mut Vec<Effect>) {
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
        if by_variable || self.skips_checks && runs_checks || self.moves_checks(command) {
            note(effects, "git.no-verify", command, "");
        }
    }

    fn by_symbolic_reference(
        &mut self,
        command: &Command,
        operands: &[&str],
        effects: &mut Vec<Effect>,
    ) {
        match operands[..] {
            ["HEAD", target] => self.set_head(command, bare(target)),
            [name, _] if self.is_protected(bare(name)) => {
                note(effects, "branch.rewrite", command, bare(name));
            }
            [name] if command.has_flag("-d") || command.has_flag("--delete") => {
                note(effects, "branch.rewrite", command, bare(name));
            }
            _ => {}
        }
    }

    /// Returns whether a command may run in a repository that was created on the way.
    fn is_begun(&self, command: &Command) -> bool {
        let is_other = |it: &String| *it != self.places.workspace;
        self.begins_repository
            && (command.folders.is_empty() || command.folders.iter().any(is_other))
    }

    /// Notes a commit on a branch: the one that is named, or the one that is checked out.
    fn note_commit(&self, command: &Command, named: Option<String>, effects: &mut Vec<Effect>) {
        let is_unseen = named.is_none() && self.is_out_of_sight(command);
        let branches = named.map_or_else(|| self.current_branches(command), |it| vec![it]);
        if self.is_begun(command) {
            return;
        }
        if is_unseen {
            note(effects, "branch.unknown", command, "");
        }
        for name in branches.iter().filter(|it| self.is_protected(it)) {
            note(effects, "branch.commit", command, name);
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
        // The letter that creates a branch is the last in its cluster.
        let creates = |option: &str| {
            let letters = option.strip_prefix('-').filter(|it| !it.starts_with('-'));
            creates.contains(&option)
                || letters.is_some_and(|it| it.ends_with(['b', 'B', 'c', 'C']))
        };
        // For these subcommands, `-m` doesn't take a message.
        let merges = ["checkout", "switch"].contains(&subcommand)
            && command.arguments().iter().any(|it| it.text == "-m");
        let all = command.arguments().iter().map(|it| it.text.as_str());
        let all: Vec<&str> = all.filter(|it| !it.starts_with('-')).collect();
        let operands = if merges { &all[..] } else { operands };
        let tracked = ["-t", "--track"].iter().any(|it| command.has_flag(it));
        let new_branch = command.words[at.unwrap_or(0)..]
            .windows(2)
            .find(|pair| creates(&pair[0].text));
        let new_branch = match new_branch {
            Some([option, name]) => Some((option.text.as_str(), name.text.as_str())),
            _ => attached_branch(command, subcommand),
        };
        if let Some((option, name)) = new_branch {
            let forces = option == "--force-create" || option.ends_with(['B', 'C']);
            if forces && self.is_protected(name) {
                note(effects, "branch.rewrite", command, name);
            }
            self.set_head(command, name);
        } else if let [name] = operands[..]
            && let Some((_, name)) = name.split_once('/').filter(|_| tracked)
        {
            self.set_head(command, name);
        } else if let [name] = operands[..] {
            // Files are restored, and the branch stays.
            let of_files = [
                "-p",
                "--patch",
                "--ours",
                "--theirs",
                "--pathspec-from-file",
            ]
            .iter()
            .any(|it| command.has_flag(it))
                || command.words.windows(2).any(|pair| pair[0].text == "--");
            // If nothing follows the dashes, the word before them is a branch, whatever its name.
            let is_branch = command.words.last().is_some_and(|it| it.text == "--");
            if matches!(name, "-" | "@{-1}") {
                self.return_to_previous(command);
            } else if self.is_default(name) {
                self.set_head(command, ALL);
            } else if !of_files && (is_branch || !self.is_path(command, name)) {
                self.set_head_perhaps(command, name);
            }
        }
    }
}

/// Returns whether a command leaves it to another one to commit what it fetches.
fn leaves_commit(command: &Command, subcommand: &str) -> bool {
    let is_given = |option: &str| command.has_flag(option);
    match subcommand {
        // Without this option, a branch may still be fast-forwarded.
        "merge" => is_given("--squash") || is_given("--no-commit") && is_given("--no-ff"),
        "cherry-pick" | "revert" => is_given("--no-commit") || is_given("-n"),
        _ => false,
    }
}

/// Returns whether a name means a branch's upstream.
fn is_upstream_of(name: &str, branch: &str) -> bool {
    let of_remote = name
        .strip_prefix("origin/")
        .or_else(|| name.strip_prefix("upstream/"));
    of_remote == Some(branch) || ["@{u}", "@{upstream}"].contains(&name.trim_start_matches("HEAD"))
}

/// Returns whether `git reset` sets the branch to another commit: with files as operands it
/// doesn't.
fn moves_head(command: &Command, operands: &[&str]) -> bool {
    let [target] = operands[..] else {
        return command.has_flag("--hard") && operands.len() > 1;
    };
    let by_mode = ["--hard", "--keep", "--merge", "--mixed", "--soft"]
        .iter()
        .any(|it| command.has_flag(it));
    let name = target.trim_start_matches("HEAD").trim_start_matches('@');
    let is_relative = target != name && name.starts_with(['~', '^', '{']);
    let is_hash = target.len() >= 7 && target.chars().all(|it| it.is_ascii_hexdigit());
    let is_other = !matches!(target, "HEAD" | "@");
    by_mode && is_other || is_relative || is_hash || target == "ORIG_HEAD"
}

/// Returns whether the client of a code host checks out a pull request, and does nothing else.
fn checks_out(command: &Command) -> bool {
    let words = command.texts_after_program();
    let mut named = words.filter(|it| !it.starts_with('-'));
    named.next() == Some("pr") && matches!(named.next(), Some("checkout" | "co"))
}

/// Returns whether a command of git only shows a page of its manual.
fn asks_help(command: &Command) -> bool {
    let is_alone = || command.arguments().len() == 1 && command.has_flag("-h");
    command.has_flag("--help") || command.subcommand.as_deref() == Some("help") || is_alone()
}

/// Returns a branch's name without `refs/heads/`.
fn bare(name: &str) -> &str {
    // The rest is an option for the server: `HEAD:main%submit`.
    let name = name.split('%').next().unwrap_or(name);
    let name = name.trim_start_matches("refs/heads/");
    name.strip_prefix("heads/").unwrap_or(name)
}

/// Returns the letter that creates a branch, with the name in the same word: `git checkout -Bmain`.
fn attached_branch<'c>(command: &'c Command, subcommand: &str) -> Option<(&'c str, &'c str)> {
    let letters = match subcommand {
        "checkout" => ['b', 'B'],
        "switch" => ['c', 'C'],
        _ => return None,
    };
    let mut words = command.arguments().iter().map(|it| it.text.as_str());
    words.find_map(|it| {
        let is_attached = it
            .strip_prefix('-')
            .is_some_and(|it| it.starts_with(letters));
        (is_attached && it.len() > 2).then(|| it.split_at(2))
    })
}

/// Returns the operands of `git rebase`: onto what, and which branch.
fn rebase_operands(command: &Command) -> Vec<&str> {
    const WITH_VALUE: [&str; 8] = [
        "-x",
        "--exec",
        "-s",
        "--strategy",
        "-X",
        "--strategy-option",
        "--whitespace",
        "--onto",
    ];
    let mut named = Vec::new();
    let mut words = command.arguments().iter().map(|it| it.text.as_str());
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            named.push(word);
        }
    }
    named
}

#[cfg(test)]
mod tests;
