//! Branches that are moved to another commit, renamed, overwritten or deleted by name.

use hookloop_shell::{Command, Input};

use super::super::{Effect, note};
use super::{ALL, Branches, bare};

impl Branches<'_> {
    /// Notes a protected branch that is set by what is fetched: `git fetch . x:main`.
    pub(super) fn note_fetched(
        &self,
        command: &Command,
        operands: &[&str],
        effects: &mut Vec<Effect>,
    ) {
        let targets = operands.iter().skip(1).filter_map(|it| it.split_once(':'));
        for (source, target) in targets {
            let is_all = target.starts_with("refs/heads/*");
            // It is fast-forwarded to its own upstream.
            let catches_up = bare(source) == bare(target)
                && !command.has_flag("-f")
                && !command.has_flag("--force")
                && operands
                    .first()
                    .is_some_and(|it| !it.contains(['.', '/', ':']));
            if is_all {
                note(effects, "branch.rewrite", command, ALL);
            } else if catches_up || !self.is_protected(bare(target)) {
                continue;
            }
            if !target.contains("remotes/") && !target.is_empty() {
                note(effects, "branch.rewrite", command, bare(target));
            }
        }
    }

    /// Notes a protected branch that is set to another commit, renamed or deleted by its name.
    pub(super) fn note_moved(
        &self,
        command: &Command,
        subcommand: &str,
        effects: &mut Vec<Effect>,
    ) {
        let changed = match subcommand {
            "update-ref" => update_ref_name(command),
            _ => BranchRequest::of(command).changed_branches(),
        };
        let here = self.current_branches(command);
        let changed = changed.into_iter().flat_map(|name| match name {
            "HEAD" | "@" if subcommand == "update-ref" => here.clone(),
            name => vec![bare(name).to_owned()],
        });
        // Naming the first branch of a repository doesn't move one.
        if subcommand == "branch" && self.is_begun(command) {
            return;
        }
        for name in changed.filter(|it| self.is_protected(it)) {
            note(effects, "branch.rewrite", command, &name);
        }
        // `git update-ref --stdin` reads one order a line.
        match &command.input {
            _ if !command.has_flag("--stdin") => {}
            Input::Text(text) => {
                let names = text.split(|it: char| it.is_whitespace() || "\\\0".contains(it));
                for name in names.filter(|it| it.starts_with("refs/heads/")) {
                    if self.is_protected(bare(name)) {
                        note(effects, "branch.rewrite", command, bare(name));
                    }
                }
            }
            _ => note(effects, "branch.rewrite", command, "all branches"),
        }
    }
}

/// Returns the name that `git update-ref` sets or deletes.
fn update_ref_name(command: &Command) -> Vec<&str> {
    let mut words = command.arguments().iter().map(|it| it.text.as_str());
    while let Some(word) = words.next() {
        match word {
            // The reason for the log.
            "-m" => {
                words.next();
            }
            _ if word.starts_with('-') => {}
            name => return vec![name],
        }
    }
    Vec::new()
}

/// What happens to a branch; of several words, the one later in this list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Copied,
    Renamed,
    Deleted,
}

/// What `git branch` does, according to its arguments.
#[derive(Default)]
struct BranchRequest<'w> {
    forces: bool,
    change: Option<Change>,
    names: Vec<&'w str>,
}

impl<'w> BranchRequest<'w> {
    fn of(command: &'w Command) -> Self {
        let mut asked = Self::default();
        let mut words = command.arguments().iter().map(|it| it.text.as_str());
        while let Some(word) = words.next() {
            if word == "--" {
                asked.names.extend(words);
                break;
            }
            if let Some(long) = word.strip_prefix("--") {
                asked.long(long);
            } else if let Some(letters) = word.strip_prefix('-').filter(|it| !it.is_empty()) {
                if asked.cluster(letters) {
                    words.next();
                }
            } else {
                asked.names.push(word);
            }
        }
        asked
    }

    /// Reads a long option: git accepts unambiguous abbreviations.
    fn long(&mut self, option: &str) {
        /// How far each of them may be abbreviated, beside `format`, `merged` and `contains`.
        const LONG: [(&str, usize, Option<Change>); 4] = [
            ("force", 3, None),
            ("move", 2, Some(Change::Renamed)),
            ("copy", 3, Some(Change::Copied)),
            ("delete", 1, Some(Change::Deleted)),
        ];
        for (long, least, change) in LONG {
            if option.len() >= least && long.starts_with(option) {
                self.forces |= change.is_none();
                self.change = self.change.max(change);
            }
        }
    }

    /// Reads letters that share one dash; returns whether the next word is the value of the last
    /// one.
    fn cluster(&mut self, letters: &str) -> bool {
        for (at, letter) in letters.char_indices() {
            let change = match letter {
                'm' | 'M' => Some(Change::Renamed),
                'c' | 'C' => Some(Change::Copied),
                'd' | 'D' => Some(Change::Deleted),
                // Everything after it is the upstream.
                'u' => return at + 1 == letters.len(),
                _ => None,
            };
            self.forces |= matches!(letter, 'f' | 'M' | 'C');
            self.change = self.change.max(change);
        }
        false
    }

    /// Returns the names of the branches that change.
    fn changed_branches(self) -> Vec<&'w str> {
        let names = self.names.into_iter();
        let forced = usize::from(self.forces);
        match self.change {
            Some(Change::Deleted) => names.collect(),
            Some(Change::Renamed) => names.take(2).collect(),
            // The first of two is only read; without force, no branch is overwritten.
            Some(Change::Copied) => {
                let skipped = usize::from(names.len() > 1);
                names.skip(skipped).take(forced).collect()
            }
            None => names.take(forced).collect(),
        }
    }
}
