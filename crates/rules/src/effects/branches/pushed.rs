//! What a push changes at the other end.

use std::sync::LazyLock;

use hookloop_shell::{Command, Word, matches};
use regex::Regex;

use super::super::{Effect, note};
use super::cloned::COPIED_BRANCH;
use super::{ALL, Branches, bare};

impl Branches<'_> {
    /// Names the branches that a push overwrites or deletes, if it says which and overwrites
    /// nothing that it hasn't seen: whoever reads the effects knows whose branches they are.
    pub(in crate::effects) fn by_force(&self, command: &Command, effects: &mut Vec<Effect>) {
        if command.program != "git" || command.subcommand.as_deref() != Some("push") {
            return;
        }
        let is_forced = |it: &Effect| it.name == "git.force-push" && it.about.is_empty();
        let line = command.line();
        let cut: String = line.chars().take(300).collect();
        let Some(at) = effects
            .iter()
            .position(|it| is_forced(it) && it.line == cut)
        else {
            return;
        };
        let Some(targets) = self.named_by_force(command) else {
            return;
        };
        effects.remove(at);
        for target in targets {
            note(effects, "git.force-push", command, &target);
        }
    }

    fn named_by_force(&self, command: &Command) -> Option<Vec<String>> {
        let options: Vec<&str> = command
            .arguments()
            .iter()
            .map(|it| it.text.as_str())
            .collect();
        let options = options.into_iter().filter(|it| it.starts_with('-'));
        let allowed = [
            "--force-with-lease",
            "--force-if-includes",
            "-d",
            "--delete",
            "-u",
            "--set-upstream",
            "-q",
            "--quiet",
            "--progress",
            "-v",
            "--verbose",
        ];
        let options: Vec<&str> = options.collect();
        let is_allowed = |it: &&str| allowed.contains(it) || it.starts_with("--force-with-lease=");
        let leases = options
            .iter()
            .any(|it| it.starts_with("--force-with-lease"));
        let deletes = options.iter().any(|it| ["-d", "--delete"].contains(it));
        let operands: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
        let is_plain = |it: &&str| !it.contains(['*', '$', '`', '+', '^', '~']);
        if !options.iter().all(is_allowed) || !operands.iter().all(is_plain) || deletes && leases {
            return None;
        }
        let named = operands.get(1..).unwrap_or_default();
        let is_deleted = |it: &&str| it.starts_with(':') && it.len() > 1;
        if !leases && !deletes && !named.iter().any(is_deleted) {
            return None;
        }
        let mut targets = Vec::new();
        for operand in named {
            let target = bare(target_written(operand));
            if is_head(target) {
                targets.extend(self.current_branches(command));
            } else {
                targets.push(target.to_owned());
            }
        }
        if named.is_empty() && leases {
            targets = self.current_branches(command);
        }
        let is_branch = |it: &String| !it.is_empty() && !it.starts_with("refs/");
        (!targets.is_empty() && targets.iter().all(is_branch)).then_some(targets)
    }

    /// Finds the branches that a push changes.
    pub(super) fn note_pushed_branches(
        &self,
        command: &Command,
        operands: &[&str],
        effects: &mut Vec<Effect>,
    ) {
        let is_dry = command.has_flag("--dry-run") || command.has_flag("-n");
        if is_dry {
            return;
        }
        let mut named = false;
        let given = given_refspecs(command);
        let defaults = [
            "push.default=matching",
            "push.default=upstream",
            "push.default=tracking",
        ];
        let goes_elsewhere = command
            .words_after_program()
            .iter()
            .any(|it| defaults.contains(&it.text.as_str()));
        if goes_elsewhere {
            note(effects, "branch.push", command, "all branches");
        }
        // With `--repo` the first operand is a branch already.
        let remotes = usize::from(
            !command
                .words_after_program()
                .iter()
                .any(|it| it.text.starts_with("--repo")),
        );
        // What `xargs` reads may name anything: `xargs -a list git push`.
        if operands
            .first()
            .is_some_and(|it| it.starts_with("$(xargs)"))
            || command.operands().next().is_some_and(may_be_several)
        {
            note(effects, "branch.unknown", command, "");
        }
        for operand in operands.iter().skip(remotes) {
            named = true;
            self.note_named(operand, command, effects);
        }
        // Git accepts unambiguous abbreviations of options.
        let all = command.arguments().iter().any(|word| {
            ["--all", "--mirror", "--branches"]
                .iter()
                .any(|it| word.text.len() > 3 && it.starts_with(word.text.as_str()))
        });
        // Alone, this pushes only tags.
        let only_tags = command.has_flag("--tags") && !named;
        if all {
            note(effects, "branch.push", command, "all branches");
        } else if !(named || only_tags && given.is_empty()) {
            self.note_unseen(command, effects);
            let mut here = self.current_branches(command);
            if here.is_empty() {
                // What settings push doesn't depend on the current branch.
                here.push(String::new());
            }
            for here in here {
                let targets = self.targets_from(&here, command, operands, &given);
                self.note_pushed(&targets, command, effects);
            }
        }
    }

    /// Notes the branches that an operand of a push names.
    fn note_named(&self, operand: &str, command: &Command, effects: &mut Vec<Effect>) {
        let target = bare(target_written(operand.trim_start_matches('+')));
        // A colon alone: every branch that both sides have.
        let all_common = operand.trim_start_matches('+') == ":";
        if all_common || is_default(target) || self.is_default(target) || lists_branches(target) {
            note(effects, "branch.push", command, "all branches");
            return;
        }
        if is_looked_up(target) || self.is_any_variable(target) {
            note(effects, "branch.unknown", command, target);
        }
        let is_here = is_head(target) || may_be_head(target);
        let targets = if is_here {
            self.note_unseen(command, effects);
            self.current_branches(command)
        } else {
            vec![target.to_owned()]
        };
        if operand.contains("origin/HEAD") {
            note(effects, "branch.push", command, "all branches");
        } else {
            self.note_pushed(&targets, command, effects);
        }
    }

    /// Returns whether a name is nothing but variables that nobody knows, without a default: the
    /// result may be any branch.
    fn is_any_variable(&self, name: &str) -> bool {
        let is_computed = name.contains("$(") || name.contains(":-") || !may_be_head(name);
        let begin = name.strip_prefix("${").or_else(|| name.strip_prefix('$'));
        let Some(variable) = begin.filter(|_| !is_computed) else {
            return false;
        };
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let end = variable.find(|it| !is_part(it)).unwrap_or(variable.len());
        let rest = PARTS.as_ref().map(|it| it.replace_all(name, ""));
        let is_own = self.of_own.iter().any(|it| *it == variable[..end]);
        rest.is_none_or(|it| it.is_empty()) && !is_own
    }

    /// Notes that what is checked out is pushed where nobody here sees what that is.
    fn note_unseen(&self, command: &Command, effects: &mut Vec<Effect>) {
        if self.is_out_of_sight(command) {
            note(effects, "branch.unknown", command, "");
        }
    }

    fn note_pushed(&self, targets: &[String], command: &Command, effects: &mut Vec<Effect>) {
        for target in targets {
            let is_every = target.starts_with("refs/*") || target == "*";
            if target == ALL || target == COPIED_BRANCH || is_every || may_be_common(target) {
                note(effects, "branch.push", command, "all branches");
            } else if self.is_protected(target) {
                note(effects, "branch.push", command, target);
            }
        }
    }

    /// Returns the branches that a push without operands changes, starting from the one that is
    /// checked out: settings of the repository and of the command may name others.
    fn targets_from(
        &self,
        here: &str,
        command: &Command,
        operands: &[&str],
        given: &[String],
    ) -> Vec<String> {
        let remote = operands.first().map(|it| (*it).to_owned());
        let of_branch = |what: &str| self.setting(command, &format!("branch.{here}.{what}"));
        let remote = remote
            .or_else(|| of_branch("pushremote"))
            .or_else(|| self.setting(command, "remote.pushdefault"))
            .or_else(|| of_branch("remote"));
        let remote = remote.unwrap_or_else(|| "origin".to_owned());
        let mut set = self.settings(command, &format!("remote.{remote}.push"));
        set.extend_from_slice(given);
        if !set.is_empty() {
            return set.iter().filter_map(|it| target_of(it, here)).collect();
        }
        let target = match self.setting(command, "push.default").as_deref() {
            Some("nothing") => return Vec::new(),
            Some("matching") => "all branches".to_owned(),
            Some("upstream" | "tracking") => {
                of_branch("merge").map_or_else(|| here.to_owned(), |it| bare(&it).to_owned())
            }
            _ => here.to_owned(),
        };
        vec![target]
    }
}

/// Returns the branch that a setting for pushes changes; nothing for tags, and for what is
/// excluded.
fn target_of(setting: &str, here: &str) -> Option<String> {
    let target = setting.trim_start_matches('+').rsplit(':').next()?;
    let is_other = target.starts_with('^') || target.starts_with("refs/tags/");
    let target = match bare(target) {
        // A colon alone: every branch that both sides have.
        "" => "all branches",
        name if is_head(name) => here,
        name => name,
    };
    (!is_other).then(|| target.to_owned())
}

/// Returns whether a name that is computed when the command runs means the branch that others build
/// on.
fn is_default(name: &str) -> bool {
    let name = name.to_lowercase();
    let asks = name.contains("default") || name.contains("head branch");
    // Only computed text counts: a literal name beside it is another branch.
    let mut words = parts_of(&name).flat_map(|it| it.split(|it: char| !it.is_alphanumeric()));
    name.contains(['$', '`'])
        && (asks || words.any(|it| matches!(it, "main" | "master")) || may_become_default(&name))
}

/// Returns whether a name is computed by looking up the branch that others build on, or branches
/// with such names.
pub(super) fn looks_up_default(name: &str) -> bool {
    const ASKS: [&str; 8] = [
        "defaultBranch",
        "default_branch",
        "init.default",
        "HEAD branch",
        "remote show",
        "remotes/origin/HEAD",
        "origin/HEAD",
        "refs/heads/ma",
    ];
    let is_computed = name.contains("$(") || name.contains('`');
    let mut words = name.split(|it: char| !it.is_alphanumeric() && !"/-".contains(it));
    is_computed
        && (ASKS.iter().any(|it| name.contains(it))
            || name.contains("branch -l") && words.any(|it| matches!(it, "main" | "master")))
}

/// Returns whether a pattern of names matches branches that others build on.
fn may_be_common(pattern: &str) -> bool {
    let names = [
        "main",
        "master",
        "develop",
        "trunk",
        "production",
        "release/1",
    ];
    pattern.contains('*') && names.iter().any(|it| matches(pattern, it))
}

/// Returns whether names are computed by listing branches: all of them are among these.
fn lists_branches(name: &str) -> bool {
    let lists = [
        "git branch --format",
        "git for-each-ref",
        "git branch |",
        "git branch -l",
    ];
    (name.contains("$(") || name.contains('`'))
        && lists.iter().any(|it| name.contains(it))
        && !["--points-at", "--contains", "--merged", "head -", "--count"]
            .iter()
            .any(|it| name.contains(it))
}

/// The parts of a name that are computed when the command runs.
static PARTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+").ok());

/// Returns the parts of a name that are computed when the command runs; all of it if they can't be
/// told apart.
fn parts_of(name: &str) -> impl Iterator<Item = &str> {
    let is_nested = name.matches("$(").count() > 1 || name.contains(['"', '\'']);
    let parts = PARTS.as_ref().filter(|_| !is_nested);
    let found: Vec<&str> = match parts {
        Some(parts) => parts.find_iter(name).map(|it| it.as_str()).collect(),
        None => vec![name],
    };
    found.into_iter()
}

/// Returns whether a name with parts that are computed when the command runs may turn out to be
/// that of the branch that others build on: `ma${x}in`.
fn may_become_default(name: &str) -> bool {
    let Some(parts) = PARTS.as_ref() else {
        return true;
    };
    let pattern = parts.replace_all(name, "*");
    let has_letters = pattern.contains(char::is_alphanumeric);
    has_letters && ["main", "master"].iter().any(|it| matches(&pattern, it))
}

/// Returns whether a name that is computed when the command runs may be that of the branch that is
/// checked out: it consists of nothing else, and isn't called a tag or a version.
fn may_be_head(name: &str) -> bool {
    let other = ["tag", "version", "release"];
    let lower = name.to_lowercase();
    name.starts_with(['$', '`']) && !other.iter().any(|it| lower.contains(it))
}

/// Returns the branch of `from:to`, whatever is in a substitution.
fn target_written(operand: &str) -> &str {
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut begins = 0;
    let mut before = ' ';
    for (at, letter) in operand.char_indices() {
        match letter {
            '(' | '{' if before == '$' || depth > 0 => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '`' => quoted = !quoted,
            ':' if depth == 0 && !quoted => begins = at + 1,
            _ => {}
        }
        before = letter;
    }
    &operand[begins..]
}

/// Returns whether a name is computed otherwise than by asking git what is checked out: the result
/// may be any branch.
fn is_looked_up(name: &str) -> bool {
    let asks_git = [
        "git branch --show-current",
        "rev-parse --abbrev-ref",
        "rev-parse --symbolic-full-name",
        "symbolic-ref",
        "name-rev",
        "describe",
    ];
    let of_remote = ["origin/HEAD", "@{u", "upstream"];
    let has = |words: &[&str]| words.iter().any(|it| name.contains(it));
    name.starts_with("$(")
        && name != "$(…)"
        && may_be_head(name)
        && (!has(&asks_git) || has(&of_remote))
}

/// Returns whether a value of a variable is the name of what is checked out, or begins as no
/// protected branch does.
pub(super) fn is_own(value: &str) -> bool {
    let asks = value.starts_with("$(") || value.starts_with('`');
    let is_literal = !value.is_empty() && !value.starts_with(['$', '`']);
    asks && value.contains("git ") && !is_looked_up(value) || is_literal && !is_default(value)
}

/// Returns whether the first operand of a push isn't only a repository, but perhaps everything that
/// follows it too: `git push $ARGS`, `git push "${ARGS[@]}"`.
fn may_be_several(word: &Word) -> bool {
    let text = word.text.as_str();
    let is_list = text == "$@" || text == "$*" || text.contains("[@]");
    let is_remote = || {
        let name = text.to_lowercase();
        [
            "remote", "origin", "upstream", "fork", "url", "repo", "host",
        ]
        .iter()
        .any(|it| name.contains(it))
    };
    let is_computed = text.starts_with('$') && !text.contains(['/', ':', '@']);
    !word.known && (is_list || is_computed && !word.quoted && !is_remote())
}

/// Returns whether a name means what is checked out.
fn is_head(name: &str) -> bool {
    matches!(name, "HEAD" | "@")
}

/// Returns what a push without operands pushes, according to the command: `-c
/// remote.origin.push=HEAD:refs/heads/main`.
fn given_refspecs(command: &Command) -> Vec<String> {
    let given = command.words_after_program().iter().filter_map(|it| {
        let (key, value) = it.text.split_once('=')?;
        let last = key.strip_prefix("remote.")?.rsplit('.').next()?;
        last.eq_ignore_ascii_case("push").then(|| value.to_owned())
    });
    let by_variables = command.env.iter().filter_map(|it| {
        let at = it.name.strip_prefix("GIT_CONFIG_KEY_")?;
        let key = it.value.text.to_lowercase();
        let is_push = key.starts_with("remote.") && key.rsplit('.').next() == Some("push");
        let name = format!("GIT_CONFIG_VALUE_{at}");
        let mut values = command.env.iter().filter(|it| is_push && it.name == name);
        values.next().map(|it| it.value.text.clone())
    });
    given.chain(by_variables).collect()
}
