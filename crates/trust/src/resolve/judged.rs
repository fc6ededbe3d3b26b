//! Files that a hook's command names but that aren't part of the hook, because it judges them or
//! writes them itself (TR-1).

use std::collections::BTreeSet;

use hookloop_hook::EventName;
use hookloop_shell::{Command, Unpinned, Word};

use crate::resolve::{Finder, commands};

/// Programs that leave in a file what others wrote to it.
const KEEP_WHAT_IS_THERE: [&str; 6] = ["chmod", "chown", "chgrp", "chattr", "setfacl", "xattr"];

/// Programs whose `-c` names their settings.
const SET_BY_LETTER: [&str; 4] = ["eslint", "rubocop", "stylelint", "yamllint"];

impl Finder<'_> {
    /// Returns the files that aren't part of the hook, unless they are run: those that its command
    /// rewrites and, if it doesn't precede an action, those that it only looks at, because it
    /// judges them. What may be run counts as a part, and so does what decides: a list of patterns,
    /// and what a program reads that does more than pass it on.
    pub(super) fn read_only_files(&self, look: &commands::Look) -> BTreeSet<String> {
        let commands = &look.commands;
        let mut unpinned = look.named.unpinned.iter();
        let is_seen_through = unpinned.all(|it| matches!(it, Unpinned::Chooses(_)))
            && !commands.iter().any(Command::runs_its_input);
        let mut looked_at: BTreeSet<String> = BTreeSet::new();
        if !is_seen_through {
            return looked_at;
        }
        for command in commands {
            if !KEEP_WHAT_IS_THERE.contains(&command.program.as_str()) {
                let written = command.writes.iter();
                looked_at.extend(written.flat_map(|it| it.paths.iter().cloned()));
            }
        }
        for command in commands.iter().filter(|it| !only_handles(it)) {
            for read in command.reads.iter().flat_map(|it| &it.paths) {
                looked_at.remove(read);
            }
        }
        // The command could run what it reads under another name, or through another program.
        let goes_nowhere = commands
            .iter()
            .all(|it| it.writes.is_empty() && it.through.is_empty());
        let waits_for_it =
            self.hook.event.is_before_action() || self.hook.event == EventName::BeforeToolSelection;
        if goes_nowhere && !waits_for_it {
            for command in commands.iter().filter(|it| only_looks(it)) {
                let read = command.reads.iter().filter(|it| !it.pattern);
                looked_at.extend(read.flat_map(|it| it.paths.iter().cloned()));
            }
        }
        for list in commands.iter().flat_map(lists_of) {
            looked_at.remove(&list);
        }
        looked_at
    }
}

/// Returns whether a command does nothing with the files that it reads except look at them and
/// report.
fn only_looks(command: &Command) -> bool {
    const READERS: [&str; 40] = [
        "bat",
        "biome",
        "black",
        "cat",
        "cmp",
        "comm",
        "cut",
        "diff",
        "egrep",
        "eslint",
        "fgrep",
        "file",
        "flake8",
        "gofmt",
        "grep",
        "head",
        "jq",
        "less",
        "md5sum",
        "more",
        "mypy",
        "nl",
        "prettier",
        "pylint",
        "rg",
        "rubocop",
        "ruff",
        "rustfmt",
        "sha256sum",
        "shellcheck",
        "sort",
        "stylelint",
        "tac",
        "tail",
        "tsc",
        "uniq",
        "wc",
        "xxd",
        "yamllint",
        "yq",
    ];
    const GIT_SUBCOMMANDS: [&str; 6] = ["blame", "diff", "grep", "log", "show", "status"];
    match command.program.as_str() {
        "git" => command
            .subcommand
            .as_deref()
            .is_some_and(|it| GIT_SUBCOMMANDS.contains(&it)),
        program => READERS.contains(&program),
    }
}

/// Returns whether a command only looks at the files that it reads, or passes their content on.
fn only_handles(command: &Command) -> bool {
    const HANDLERS: [&str; 18] = [
        "", "[", "[[", "awk", "basename", "cp", "date", "echo", "ln", "ls", "mkdir", "mv",
        "printf", "rm", "sed", "stat", "tee", "test",
    ];
    const MORE: [&str; 4] = ["touch", "tr", "truncate", "read"];
    let program = command.program.as_str();
    only_looks(command) || HANDLERS.contains(&program) || MORE.contains(&program)
}

/// Returns the letters after which a command has the name of a list, a script or a folder of them.
/// For programs that only look at files or pass them on, these letters mostly mean something else:
/// `rm -f`, `tail -f`, `[ -f`, `grep -L`.
fn lists_by_letter(command: &Command) -> &'static [&'static str] {
    match command.program.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" | "awk" | "sed" | "file" => &["-f"],
        "git" if command.subcommand.as_deref() == Some("grep") => &["-f"],
        "jq" => &["-f", "-L"],
        _ if only_handles(command) => &[],
        _ => &["-f", "-L"],
    }
}

/// Returns the files that determine what a command looks for: lists of patterns, settings, rules.
pub(super) fn lists_of(command: &Command) -> Vec<String> {
    let known = words_of_lists(command).into_iter().filter(|it| it.known);
    let paths = known.flat_map(|it: Word| {
        let folders = command.folders.iter();
        let paths = folders.map(|folder| hookloop_shell::join_path(folder, &it.text));
        paths.collect::<Vec<_>>()
    });
    paths.collect()
}

/// Returns the words of a command that name such a file.
pub(super) fn words_of_lists(command: &Command) -> Vec<Word> {
    let mut lists = command.values_of(&[
        "--file",
        "--from-file",
        "--config",
        "--config-file",
        "--rcfile",
        "--rules",
        "--ruleset",
    ]);
    lists.extend(command.values_of(lists_by_letter(command)));
    if SET_BY_LETTER.contains(&command.program.as_str()) {
        lists.extend(command.values_of(&["-c"]));
    }
    // `jq --slurpfile NAME FILE`
    let named = command.words.windows(3);
    let named = named.filter(|it| ["--slurpfile", "--rawfile"].contains(&it[0].text.as_str()));
    lists.extend(named.map(|it| it[2].clone()));
    lists
}
