//! Branches that are set to another commit, renamed, copied over or deleted by their names.

use hookloop_shell::{Command, Input};

use super::super::{Effect, note};
use super::{Branches, bare};

impl Branches<'_> {
    /// Notes a protected branch that is set by what is fetched: `git fetch . x:main`.
    pub(super) fn fetched(&self, command: &Command, operands: &[&str], effects: &mut Vec<Effect>) {
        let targets = operands.iter().skip(1).filter_map(|it| it.split_once(':'));
        for (_, target) in targets.filter(|(_, it)| self.is_protected(bare(it))) {
            if !target.contains("remotes/") && !target.is_empty() {
                note(effects, "branch.rewrite", command, bare(target));
            }
        }
    }

    /// Notes a protected branch that is set to another commit, renamed or deleted by its name.
    pub(super) fn moved(&self, command: &Command, subcommand: &str, effects: &mut Vec<Effect>) {
        let words: Vec<&str> = command.args().iter().map(|it| it.text.as_str()).collect();
        let two = ["-m", "-M", "-C", "--move", "--copy"];
        let forces = ["-f", "-D", "-d", "--delete", "--force"]
            .iter()
            .chain(&two)
            .any(|it| command.has_flag(it) || words.contains(it))
            || subcommand == "update-ref";
        // The second of two names is the branch that is made.
        let names_two = two.iter().any(|it| words.contains(it));
        let names = words
            .iter()
            .skip_while(|it| **it != subcommand)
            .skip(1)
            .filter(|it| !it.starts_with('-'));
        let names: Vec<&str> = names.copied().take(if names_two { 2 } else { 1 }).collect();
        let copies = ["-C", "--copy"].iter().any(|it| words.contains(it));
        let changed = names.iter().skip(usize::from(copies && names.len() > 1));
        for name in changed.filter(|it| forces && self.is_protected(bare(it))) {
            note(effects, "branch.rewrite", command, bare(name));
        }
        // `git update-ref --stdin` reads one order a line.
        if let Input::Text(text) = &command.input
            && command.has_flag("--stdin")
        {
            for name in text
                .split_whitespace()
                .filter(|it| it.starts_with("refs/heads/"))
            {
                if self.is_protected(bare(name)) {
                    note(effects, "branch.rewrite", command, bare(name));
                }
            }
        }
    }
}
