//! Words of commands that are searched for, or that filter: they name no file, whatever they look like (TR-1).

use std::collections::BTreeSet;

use hookloop_shell::{Command, join_path};

use crate::resolve::commands::{self, Asking};
use crate::resolve::{Finder, Reading};

/// Programs whose first operand is searched for, and the letters of their options that take no value.
const SEARCHERS: [&str; 5] = ["grep", "egrep", "fgrep", "zgrep", "rg"];
const LETTERS_OF_SEARCHERS: &str = "cEFGHhiIlLnoPqsSUvwxyzZ";
const LETTERS_OF_GREP: &str = "rR";
const LETTERS_OF_JQ: &str = "rcneSsjaCM";

/// Their longer options that take no value.
const LONG: [&str; 14] = [
    "--quiet",
    "--silent",
    "--ignore-case",
    "--fixed-strings",
    "--extended-regexp",
    "--perl-regexp",
    "--word-regexp",
    "--line-regexp",
    "--invert-match",
    "--count",
    "--raw-output",
    "--compact-output",
    "--exit-status",
    "--null-input",
];

/// Options with which the first operand is a file.
const GIVEN_OTHERWISE: [&str; 8] = [
    "-e",
    "-f",
    "--regexp",
    "--file",
    "--from-file",
    "--files",
    "--type-list",
    "-L",
];

impl Finder<'_> {
    /// Returns the paths that only words name that are searched for. What is found may be carried out: so none
    /// where that could be.
    pub(super) fn searched_only(&self, look: &commands::Look) -> BTreeSet<String> {
        let mut searched = BTreeSet::new();
        if !look.is_seen_through() {
            return searched;
        }
        for command in &look.commands {
            if let Some(at) = self.searched(command) {
                searched.extend(paths(command, at));
            }
        }
        if searched.is_empty() {
            return searched;
        }
        // What is merely said, or asked about, names nothing either.
        let commands = look.commands.iter();
        for command in commands.filter(|it| commands::asking(it) == Asking::No) {
            let meant = self.searched(command);
            let words = command.words.iter().enumerate();
            let others = words.filter(|(at, _)| Some(*at) != meant);
            let values = command.env.iter().map(|it| &it.value);
            for word in others.map(|(_, word)| word).chain(values) {
                for text in self.texts(&word.text) {
                    for folder in &command.folders {
                        searched.remove(&join_path(folder, &text));
                    }
                }
            }
            for path in command.reads.iter().flat_map(|it| &it.paths) {
                searched.remove(path);
            }
        }
        searched
    }

    /// Returns what a word may name: itself, its parts, and what they give to options.
    fn texts(&self, word: &str) -> Vec<String> {
        let parts = word.split([':', ' ', '=', '@']).map(str::to_owned);
        let pieces = commands::pieces(word, self.ground);
        let mut all: Vec<String> = parts.chain(pieces).collect();
        all.push(word.to_owned());
        all
    }

    /// Returns the index of the word of a command that is searched for, or that filters.
    pub(super) fn searched(&self, command: &Command) -> Option<usize> {
        (self.reading == Reading::Today).then(|| searched(command))?
    }
}

fn paths(command: &Command, at: usize) -> impl Iterator<Item = String> {
    let folders = command.folders.iter();
    folders.map(move |it| join_path(it, &command.words[at].text))
}

/// Returns the index of the word that is searched for. Nothing where it isn't sure that the program is the usual
/// one, or that the word isn't the value of an option.
fn searched(command: &Command) -> Option<usize> {
    let program = command.program.as_str();
    let is_jq = program == "jq";
    if !(is_jq || SEARCHERS.contains(&program))
        || command.invoked != program
        || !command.env.is_empty()
    {
        return None;
    }
    let is_given = |text: &str| {
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        let is_cluster = text.starts_with('-') && !text.starts_with("--");
        let letter = |it: char| it == 'f' || (it == 'e' && !is_jq) || it == 'L' && is_jq;
        GIVEN_OTHERWISE.contains(&name) && !(is_jq && name == "-e")
            || (is_cluster && text.chars().any(letter))
    };
    if command.words.iter().skip(1).any(|it| is_given(&it.text)) {
        return None;
    }
    // Some of the longer options of `jq` take two values, and some of those are files.
    let is_long = |text: &str| text.starts_with("--") && !LONG.contains(&text);
    if is_jq && command.words.iter().any(|it| is_long(&it.text)) {
        return None;
    }
    let first = command.operands().next()?;
    if is_jq
        && ["import", "include"]
            .iter()
            .any(|it| first.text.contains(it))
    {
        return None;
    }
    let at = command
        .words
        .iter()
        .position(|it| std::ptr::eq(it, first))?;
    let before = command.words.get(at.checked_sub(1)?)?;
    let takes_none = |it: char| {
        if is_jq {
            LETTERS_OF_JQ.contains(it)
        } else {
            LETTERS_OF_SEARCHERS.contains(it) || program != "rg" && LETTERS_OF_GREP.contains(it)
        }
    };
    let is_behind_none = |option: &str| match option.strip_prefix('-') {
        None | Some("-") => true,
        Some(_) if option.starts_with("--") => option.contains('=') || LONG.contains(&option),
        Some(letters) => letters.chars().all(takes_none),
    };
    (before.is_option_value || is_behind_none(&before.text)).then_some(at)
}
