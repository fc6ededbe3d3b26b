//! What commit names refer to after earlier commands of the same text.

use hookloop_shell::Command;

/// What earlier git commands did to references, stashes and settings.
#[derive(Debug, Default)]
pub(super) struct Refs {
    /// Branches and tags, with what each was set to.
    names: Vec<(String, String)>,
    stashes: Stashes,
    /// Whether the location of the working tree may have been changed.
    pub(super) moves_tree: bool,
    /// Whether the content of the next commit may have been changed.
    pub(super) stages: bool,
}

/// What happened to the list of stashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stashes {
    /// Nothing.
    #[default]
    Kept,
    /// The working tree's changes are the first stash.
    Pushed,
    /// The order is unknown.
    Changed,
}

impl Refs {
    /// Records the effects of a git command.
    pub(super) fn note(&mut self, command: &Command) {
        if command.program != "git" {
            return;
        }
        let words: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
        let subcommand = command.subcommand.as_deref().unwrap_or_default();
        match subcommand {
            "branch" | "tag" => self.note_names(command, &words),
            "checkout" | "switch" | "worktree add" => {
                let options = [
                    "-b",
                    "-B",
                    "-c",
                    "-C",
                    "--create",
                    "--force-create",
                    "--orphan",
                ];
                let options = if subcommand == "worktree add" {
                    &options[..2]
                } else {
                    &options[..]
                };
                for made in command.values_of(options) {
                    // The start point is the last word: the first may be the folder, which may have
                    // the same name.
                    let mut words = words.iter().rev();
                    let start = words.find(|it| **it != made.text).copied();
                    let start = start.unwrap_or("HEAD").to_owned();
                    self.names.push((made.text, start));
                }
            }
            "config" => {
                let mut words = command
                    .words_after_program()
                    .iter()
                    .map(|it| it.text.to_ascii_lowercase());
                self.moves_tree |=
                    words.any(|it| it.contains("worktree") || it.contains("include") || it == "-e");
            }
            "add" | "stage" | "rm" | "mv" | "update-index" | "read-tree" | "apply" | "reset"
            | "restore" | "commit" => self.stages = true,
            _ => {}
        }
        self.note_stash(subcommand, &words);
    }

    fn note_names(&mut self, command: &Command, words: &[&str]) {
        let asks = [
            "-d",
            "-D",
            "--delete",
            "--list",
            "-l",
            "--contains",
            "--merged",
            "--no-merged",
            "--points-at",
            "-v",
            "--verify",
            "--show-current",
            "--unset-upstream",
            "--edit-description",
            "--no-contains",
        ];
        if asks.iter().any(|it| command.has_flag(it)) {
            return;
        }
        let moves = ["-m", "-M", "-c", "-C", "--move", "--copy"];
        let is_branch = command.subcommand.as_deref() == Some("branch");
        let is_moved = is_branch && moves.iter().any(|it| command.has_flag(it));
        let (name, target) = match words {
            [new] if is_moved => (*new, "HEAD"),
            [old, new, ..] if is_moved => (*new, *old),
            [name, target, ..] => (*name, *target),
            [name] => (*name, "HEAD"),
            [] => return,
        };
        self.names.push((name.to_owned(), target.to_owned()));
    }

    fn note_stash(&mut self, subcommand: &str, words: &[&str]) {
        let Some(verb) = subcommand.strip_prefix("stash") else {
            return;
        };
        let verb = verb.trim();
        let verb = if verb.is_empty() {
            words.first().copied().unwrap_or("push")
        } else {
            verb
        };
        self.stashes = match (verb, self.stashes) {
            ("list" | "show" | "apply" | "create", before) => before,
            ("pop" | "drop" | "clear" | "store" | "branch", _) => Stashes::Changed,
            (_, Stashes::Kept) => Stashes::Pushed,
            (_, _) => Stashes::Changed,
        };
    }

    /// Returns what a commit name refers to, expressed with names from before these commands.
    pub(super) fn resolve(&self, name: &str) -> String {
        let end = name.find(['~', '^', '@', ':']).unwrap_or(name.len());
        let (named, behind) = name.split_at(end);
        let prefixes = ["refs/heads/", "refs/tags/", "heads/", "tags/"];
        let mut bare = prefixes.iter().filter_map(|it| named.strip_prefix(it));
        let mut meant = bare.next().unwrap_or(named);
        let mut is_made = false;
        // Latest first: a name may have been derived from another.
        for (made, target) in self.names.iter().rev() {
            if made == meant {
                meant = target;
                is_made = true;
            }
        }
        if is_made {
            format!("{meant}{behind}")
        } else {
            name.to_owned()
        }
    }

    /// Returns whether it is unknown which stash a command uses.
    pub(super) fn hides_stash(&self, subcommand: &str, words: &[&str]) -> bool {
        let takes = |verb: &str| ["pop", "apply", "branch"].contains(&verb);
        let verb = subcommand.strip_prefix("stash").map(str::trim);
        let first = words.first().copied().unwrap_or_default();
        let is_taken = verb.is_some_and(|it| takes(it) || it.is_empty() && takes(first));
        let count = words.iter().filter(|it| !takes(it)).count();
        is_taken
            && match self.stashes {
                Stashes::Kept => false,
                Stashes::Pushed => count > 0,
                Stashes::Changed => true,
            }
    }
}
