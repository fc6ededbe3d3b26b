//! Builtins that change what the shell knows.

use crate::flow::Stream;
use crate::scope::Scope;
use crate::simple::{Simple, join_fields};
use crate::surroundings::{FileText, join_path, tidy};
use crate::syntax::{Node, NodeKind};
use crate::understood::{Assignment, Blind, DefinitionKind, Word};
use crate::walk::Walker;

/// Tells whether bash carries a command out itself.
pub fn is_builtin(name: &str) -> bool {
    BUILTINS.binary_search(&name).is_ok()
}

/// The builtins of bash, sorted.
const BUILTINS: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Tells whether a word begins a declaration, whose arguments are assignments.
pub(super) fn is_declaration(node: &Node) -> bool {
    let NodeKind::Word { value, .. } = &node.kind else {
        return false;
    };
    ["export", "declare", "typeset", "local", "readonly"].contains(&value.as_str())
}

/// Tells whether a word has the form of an assignment.
pub(super) fn is_assignment(node: &Node) -> bool {
    let NodeKind::Word { value, .. } = &node.kind else {
        return false;
    };
    value.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches('+');
        !name.is_empty()
            && name
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_')
    })
}

impl Walker {
    /// Carries an assignment of a declaration out.
    pub(super) fn declare(
        assignment: &Assignment,
        elements: Option<Vec<Word>>,
        scope: &mut Scope<'_>,
    ) {
        let value = &assignment.value;
        scope.set(&assignment.name, value.known.then(|| value.text.clone()));
        if let Some(elements) = elements {
            scope.arrays.insert(assignment.name.clone(), elements);
        }
    }

    /// Carries a builtin out; nothing for what isn't one, or is like any program.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Option<Stream> {
        let words = &simple.words[1..];
        let operands = || words.iter().filter(|word| !word.text.starts_with('-'));
        self.evaluated_by(name, words, scope);
        match name {
            "cd" | "pushd" => change_folder(operands().next(), words, scope),
            "popd" => scope.folders.clear(),
            "eval" => return Some(self.eval(words, scope, input)),
            "." | "source" => return Some(self.source(words, scope, input)),
            "trap" => self.trap(words, scope),
            "alias" => {
                for word in operands() {
                    if let Some((name, text)) = word.text.split_once('=') {
                        self.define(DefinitionKind::Alias, name);
                        scope.aliases.insert(name.to_owned(), text.to_owned());
                    }
                }
            }
            "unalias" => {
                for word in operands() {
                    scope.aliases.remove(&word.text);
                }
            }
            "unset" => operands().for_each(|word| scope.unset(&word.text)),
            "read" => read(operands(), scope, input),
            "mapfile" | "readarray" => {
                let lines = input
                    .text()
                    .map(|text| text.lines().map(Word::plain).collect());
                let name = operands()
                    .next_back()
                    .map_or("MAPFILE", |it| it.text.as_str());
                scope.set(name, None);
                if let Some(lines) = lines {
                    scope.arrays.insert(name.to_owned(), lines);
                }
            }
            "getopts" => {
                if let Some(name) = operands().nth(1) {
                    scope.set(&name.text, None);
                }
            }
            "set" => set(words, scope),
            "shift" => {
                let count = operands()
                    .next()
                    .and_then(|it| it.text.parse().ok())
                    .unwrap_or(1);
                if let Some(words) = &mut scope.positional {
                    words.drain(..count.min(words.len()));
                }
            }
            "printf" => {
                if words.first().is_some_and(|it| it.text == "-v") {
                    let formatted = crate::outputs::printf(words.get(2..).unwrap_or_default());
                    if let Some(name) = words.get(1) {
                        scope.set(&name.text, formatted);
                    }
                    return Some(Stream::nothing());
                }
                return None;
            }
            "shopt" | "hash" => self.switched(name, words, scope),
            "export" | "declare" | "typeset" | "local" | "readonly" => declared(name, words, scope),
            "test" | "[" | ":" | "true" | "false" | "umask" | "ulimit" | "wait" | "exit"
            | "return" | "break" | "continue" | "bg" | "fg" | "disown" | "let" => {}
            _ => return None,
        }
        Some(Stream::nothing())
    }

    /// `shopt -s option …`, `hash -p file name`
    fn switched(&mut self, name: &str, words: &[Word], scope: &mut Scope<'_>) {
        let has = |letter: char| {
            let mut options = words.iter().filter(|it| it.text.starts_with('-'));
            options.any(|it| it.text.contains(letter))
        };
        if name == "shopt" && has('s') {
            for word in words {
                scope.switch_on(&word.text);
            }
        }
        if name == "hash" && has('p') {
            self.blind(Blind::ComputedProgram, "hash -p");
        }
    }

    fn eval(&mut self, words: &[Word], scope: &mut Scope<'_>, input: &Stream) -> Stream {
        let text = join_fields(words.to_vec());
        self.through.push("eval".to_owned());
        let output = if text.known {
            self.text(&text.text, scope, input)
        } else {
            self.guess(&text, scope, input);
            scope.anything_set = true;
            Stream::Output("eval".to_owned())
        };
        self.through.pop();
        output
    }

    fn source(&mut self, words: &[Word], scope: &mut Scope<'_>, input: &Stream) -> Stream {
        let Some(file) = words.iter().find(|it| it.text != "--") else {
            return Stream::nothing();
        };
        let stream = if file.text == "/dev/stdin" {
            input.clone()
        } else {
            self.read_from(file, scope)
        };
        self.through.push("source".to_owned());
        let output = match stream {
            Stream::Text(text) => self.text(&text, scope, input),
            Stream::Output(program) => {
                self.blind(Blind::PipedText, &program);
                Stream::Output(program)
            }
            _ => {
                if !file.known {
                    self.blind(Blind::ComputedText, &file.text);
                }
                scope.anything_set = true;
                scope.basics_set |= !file.known || scope.found_in(file) != FileText::Kept;
                Stream::Output(file.text.clone())
            }
        };
        self.through.pop();
        output
    }
}

/// `declare -n name=other`, `declare -l name`
fn declared(name: &str, words: &[Word], scope: &mut Scope<'_>) {
    if words.iter().any(|it| !it.known) {
        scope.anything_set |= words.iter().any(|it| it.text.starts_with('$'));
    }
    let has = |letters: &[char]| {
        words.iter().any(|it| {
            let given = it.text.strip_prefix('-').unwrap_or_default();
            !given.starts_with('-') && given.contains(letters)
        })
    };
    if !["declare", "typeset", "local"].contains(&name) || !has(&['n', 'l', 'u', 'c']) {
        return;
    }
    for word in words.iter().filter(|it| !it.text.starts_with('-')) {
        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
        scope.shape(name);
        if has(&['n']) {
            scope.shape(value);
        }
    }
}

fn change_folder(target: Option<&Word>, words: &[Word], scope: &mut Scope<'_>) {
    if scope.other_folders || words.iter().any(|it| it.text == "-") {
        scope.folders.clear();
        return;
    }
    let target = match target {
        Some(word) => word.clone(),
        None => match scope.home() {
            Some(home) => Word::plain(home),
            None => Word::default(),
        },
    };
    if !target.known || target.pattern {
        scope.folders.clear();
    } else if target.text.starts_with('/') {
        scope.folders = vec![tidy(&target.text)];
    } else {
        let folders = scope.folders.iter();
        scope.folders = folders
            .map(|it| tidy(&join_path(it, &target.text)))
            .collect();
    }
}

fn read<'w>(names: impl Iterator<Item = &'w Word>, scope: &mut Scope<'_>, input: &Stream) {
    // What `find` prints is known by its pattern.
    if let Stream::Names(found) = input
        && let [pattern] = &found[..]
    {
        let mut names = names.map(|it| it.text.as_str()).peekable();
        let is_single = names.peek().is_some();
        for name in names {
            scope.set_glob(name, pattern.clone());
        }
        if !is_single {
            scope.set_glob("REPLY", pattern.clone());
        }
        return;
    }
    let mut line = input
        .text()
        .and_then(|text| text.lines().next())
        .map(str::to_owned);
    let mut names = names.peekable();
    if names.peek().is_none() {
        scope.set("REPLY", line);
        return;
    }
    while let Some(name) = names.next() {
        let value = match (&line, names.peek()) {
            (Some(text), Some(_)) => {
                let text = text.trim_start();
                let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
                let word = word.to_owned();
                line = Some(rest.to_owned());
                Some(word)
            }
            (Some(text), None) => Some(text.trim().to_owned()),
            (None, _) => None,
        };
        scope.set(&name.text, value);
    }
}

fn set(words: &[Word], scope: &mut Scope<'_>) {
    let Some(first) = words
        .iter()
        .position(|it| it.text == "--" || !it.text.starts_with(['-', '+']))
    else {
        return;
    };
    let skip = usize::from(words[first].text == "--");
    scope.positional = Some(words[first + skip..].to_vec());
}
