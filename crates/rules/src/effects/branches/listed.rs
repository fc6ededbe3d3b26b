//! Branches that are deleted in bulk: all that git lists, less what a filter leaves out.

use hookloop_shell::Command;

use super::super::{Effect, note};
use super::Branches;

/// Programs that leave out lines of what they read, according to a pattern.
const SEARCHES: [&str; 6] = ["grep", "egrep", "fgrep", "rg", "ggrep", "ag"];

/// Programs with which a person chooses lines.
const CHOOSERS: [&str; 5] = ["fzf", "gum", "peco", "sk", "percol"];

/// Which names of branches were printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Listed {
    /// None, or those that somebody chose.
    #[default]
    Chosen,
    /// All, with those that others build on.
    All,
}

impl Branches<'_> {
    /// Follows what happens to a list of all branches, up to the command that deletes them.
    pub(super) fn by_listing(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let is_git = command.program == "git";
        if is_git && lists_all(command) {
            self.listed = Listed::All;
        } else if self.listed == Listed::All && is_git && deletes_listed(command) {
            note(effects, "branch.unknown", command, "");
        } else if self.listed == Listed::All && narrows(command) {
            self.listed = Listed::Chosen;
        }
    }
}

/// Returns whether a command of git prints the names of all branches.
fn lists_all(command: &Command) -> bool {
    let mut words = command.arguments().iter().map(|it| it.text.as_str());
    let mut operands = command.operands().map(|it| it.text.as_str());
    match command.subcommand.as_deref() {
        Some("branch") => {
            const ONE: [&str; 6] = [
                "--show-current",
                "--points-at",
                "--contains",
                "-d",
                "-D",
                "--delete",
            ];
            // Behind these, an operand is a commit, not a pattern.
            let by_commit = words.clone().any(|it| {
                ["--merged", "--no-merged"]
                    .iter()
                    .any(|known| it.starts_with(known))
            });
            !words.any(|it| ONE.contains(&it)) && (by_commit || operands.next().is_none())
        }
        Some("for-each-ref") => operands.all(|it| {
            let it = it.trim_end_matches(['*', '/']);
            ["refs", "refs/heads", "refs/remotes", "refs/remotes/origin"].contains(&it)
        }),
        Some("show-ref") => words.any(|it| it == "--heads" || it == "--branches"),
        _ => false,
    }
}

/// Returns whether a command of git deletes branches whose names it gets from a program.
fn deletes_listed(command: &Command) -> bool {
    let deletes = ["-d", "-D", "--delete"]
        .iter()
        .any(|it| command.has_flag(it));
    let is_listed = |text: &str| {
        text.starts_with("$(xargs)")
            || text.contains("$(")
            || text.contains('`')
            || command.repeats && text.contains('$')
    };
    command.subcommand.as_deref() == Some("branch")
        && deletes
        && command.arguments().iter().any(|it| is_listed(&it.text))
}

/// Returns whether a command takes branches that others build on out of the list that it reads.
fn narrows(command: &Command) -> bool {
    const COMMON: [&str; 2] = ["main", "master"];
    let program = command.program.as_str();
    let mut words = command.texts_after_program();
    if SEARCHES.contains(&program) {
        let inverts = words.clone().any(|it| {
            it == "--invert-match"
                || it.starts_with('-') && !it.starts_with("--") && it.contains('v')
        });
        let names_common = words.any(|it| COMMON.iter().any(|name| it.contains(name)));
        return inverts == names_common;
    }
    // An expression between slashes; `s/…/…/` and `y/…/…/` only change each line.
    let is_matched = |it: &str| it.matches('/').count() == 2 && !it.starts_with(['s', 'y']);
    if ["sed", "gsed"].contains(&program) {
        return words.any(is_matched);
    }
    if ["awk", "gawk", "mawk", "perl"].contains(&program) {
        let compares = |it: &str| ["==", "!=", "~"].iter().any(|sign| it.contains(sign));
        return words.any(|it| is_matched(it) || compares(it));
    }
    CHOOSERS.contains(&program)
        || ["[", "[[", "test"].contains(&program)
            && words.any(|it| COMMON.iter().any(|name| it.contains(name)))
}
