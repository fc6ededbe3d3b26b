//! Words of commands that are searched for, or that filter: they name no file, whatever they look
//! like (TR-1).

use std::collections::BTreeSet;

use hookloop_shell::{Command, join_path};

use crate::resolve::Finder;
use crate::resolve::commands::{self, Asking};

/// A kind of program whose first operand is searched for, or filters, with the options that don't
/// change that. With any other option it may be a file: long options can be abbreviated, and some
/// read what they search for from one.
struct Searcher {
    programs: &'static [&'static str],
    /// The letters of options without a value.
    letters: &'static str,
    /// Longer options without a value.
    long: &'static [&'static str],
    /// Options whose value isn't a file that decides: the next word, or after `=`.
    valued: &'static [&'static str],
}

const SEARCHERS: [Searcher; 3] = [
    Searcher {
        programs: &["grep", "egrep", "fgrep", "zgrep"],
        letters: "cEFGHhiIlLnoPqrRsUvwxyzZ",
        long: &[
            "--count",
            "--extended-regexp",
            "--files-with-matches",
            "--fixed-strings",
            "--ignore-case",
            "--invert-match",
            "--line-number",
            "--line-regexp",
            "--no-messages",
            "--null",
            "--only-matching",
            "--perl-regexp",
            "--quiet",
            "--recursive",
            "--silent",
            "--text",
            "--word-regexp",
        ],
        valued: &[
            "-A",
            "-B",
            "-C",
            "-m",
            "--color",
            "--colour",
            "--context",
            "--exclude",
            "--exclude-dir",
            "--include",
            "--max-count",
        ],
    },
    Searcher {
        programs: &["rg"],
        letters: "cFHhiIlLnoPqsSUvwxz",
        long: &[
            "--count",
            "--files-with-matches",
            "--fixed-strings",
            "--hidden",
            "--ignore-case",
            "--invert-match",
            "--line-number",
            "--line-regexp",
            "--no-heading",
            "--only-matching",
            "--pcre2",
            "--quiet",
            "--word-regexp",
        ],
        valued: &[
            "-A",
            "-B",
            "-C",
            "-g",
            "-m",
            "-t",
            "--color",
            "--context",
            "--glob",
            "--max-count",
            "--type",
        ],
    },
    Searcher {
        programs: &["jq"],
        letters: "rcneSsjaCM",
        long: &[
            "--compact-output",
            "--exit-status",
            "--join-output",
            "--null-input",
            "--raw-input",
            "--raw-output",
            "--slurp",
            "--sort-keys",
        ],
        valued: &[],
    },
];

/// The words with which a `jq` filter reads modules.
const READS_MODULES: [&str; 3] = ["import", "include", "modulemeta"];

/// The variable that says where programs are looked for.
const SEARCH_PATH: &str = "PATH";

impl Finder<'_> {
    /// Returns the paths that are only named by words that are searched for. What is found may be
    /// carried out: there are none if that is possible.
    pub(super) fn searched_only(&self, look: &commands::Look) -> BTreeSet<String> {
        let mut searched = BTreeSet::new();
        for command in &look.commands {
            if let Some(at) = self.searched(look, command) {
                searched.extend(paths(command, at));
            }
        }
        if searched.is_empty() {
            return searched;
        }
        // What is only printed, or queried, names nothing either.
        let commands = look.commands.iter();
        for command in commands.filter(|it| commands::asking(it) == Asking::No) {
            let meant = self.searched(look, command);
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

    /// Returns what a word may name: itself, its parts, and the values of options in it.
    fn texts(&self, word: &str) -> Vec<String> {
        let parts = word.split([':', ' ', '=', '@']).map(str::to_owned);
        let pieces = commands::pieces(word, self.ground);
        let mut all: Vec<String> = parts.chain(pieces).collect();
        all.push(word.to_owned());
        all
    }

    /// Returns the index of the word of a command that is searched for, or that filters. `None` if
    /// it could be carried out, and if it isn't certain which word that is or that the program is
    /// the system's.
    pub(super) fn searched(&self, look: &commands::Look, command: &Command) -> Option<usize> {
        let is_certain = self.reading.leaves_out_searched() && self.is_as_it_looks(look, command);
        is_certain.then(|| searched(command))?
    }

    /// Returns whether a command's program is the system's, called by its plain name, and nothing
    /// carries out what it prints.
    pub(super) fn is_as_it_looks(&self, look: &commands::Look, command: &Command) -> bool {
        look.is_seen_through()
            && !look.replaces(&command.invoked)
            && !self.hook.env.contains_key(SEARCH_PATH)
            && command.invoked == command.program
            && command.env.is_empty()
    }
}

impl commands::Look {
    /// Returns whether a program with this name may be another than the system's: a function, or
    /// one that is found elsewhere.
    fn replaces(&self, program: &str) -> bool {
        let sets_path = |word: &str| {
            let name = word.split_once('=').map_or("", |(name, _)| name);
            name.trim_end_matches('+') == SEARCH_PATH
        };
        self.defines(program)
            || self.commands.iter().any(|it| {
                it.env.iter().any(|set| set.name == SEARCH_PATH)
                    || it.words.iter().any(|word| sets_path(&word.text))
            })
    }
}

fn paths(command: &Command, at: usize) -> impl Iterator<Item = String> {
    let folders = command.folders.iter();
    folders.map(move |it| join_path(it, &command.words[at].text))
}

fn searched(command: &Command) -> Option<usize> {
    let program = command.program.as_str();
    let mut searchers = SEARCHERS.iter();
    let searcher = searchers.find(|it| it.programs.contains(&program))?;
    if command.words.iter().any(|it| !it.known) {
        return None;
    }
    let at = searcher.first_operand(command)?;
    let text = &command.words[at].text;
    (program != "jq" || !READS_MODULES.iter().any(|it| text.contains(it))).then_some(at)
}

impl Searcher {
    /// Returns the index of the first operand, if it is what is searched for despite all options.
    /// Options after operands count, too.
    fn first_operand(&self, command: &Command) -> Option<usize> {
        let mut operand = None;
        let mut words = command.words.iter().enumerate().skip(1);
        while let Some((at, word)) = words.next() {
            let text = word.text.as_str();
            if text == "--" {
                return operand.or_else(|| words.next().map(|(at, _)| at));
            }
            let Some(letters) = text.strip_prefix('-').filter(|it| !it.is_empty()) else {
                operand = operand.or(Some(at));
                continue;
            };
            let (name, value) = match text.split_once('=') {
                Some((name, _)) => (name, true),
                None => (text, false),
            };
            if self.valued.contains(&name) {
                if !value {
                    words.next()?;
                }
                continue;
            }
            let is_known = if letters.starts_with('-') {
                self.long.contains(&text)
            } else {
                letters.chars().all(|it| self.letters.contains(it))
            };
            if !is_known {
                return None;
            }
        }
        operand
    }
}
