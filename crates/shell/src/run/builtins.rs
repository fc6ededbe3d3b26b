//! Builtins that change the state of the shell.

use super::reading;
use crate::flow::Stream;
use crate::scope::{Certainty, Scope};
use crate::simple::{Simple, join_fields};
use crate::surroundings::{FileText, join_path, normalize_path};
use crate::syntax::{Node, NodeKind};
use crate::understood::{Assignment, DefinitionKind, OpaqueReason, Word};
use crate::walk::Walker;

/// Returns whether bash runs a command as a builtin.
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

/// Returns whether a word begins a declaration, whose arguments are assignments.
pub(super) fn is_declaration(node: &Node) -> bool {
    let NodeKind::Word { value, .. } = &node.kind else {
        return false;
    };
    ["export", "declare", "typeset", "local", "readonly"].contains(&value.as_str())
}

/// Returns whether a word has the form of an assignment.
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
    /// Returns the scope of a declaration at this place.
    fn extent(&self) -> Extent {
        match (self.inside.is_empty(), self.perhaps) {
            (true, _) => Extent::Shell,
            (false, true) => Extent::PerhapsCall,
            (false, false) => Extent::Call,
        }
    }

    /// Carries out an assignment among the words of a declaration.
    pub(super) fn declare(
        &self,
        words: &[Word],
        assignment: &Assignment,
        elements: Option<Vec<Word>>,
        scope: &mut Scope<'_>,
    ) {
        let value = &assignment.value;
        if let [program, options @ ..] = words
            && let Some(certainty) = locality(&program.text, options, self.extent())
        {
            scope.localise(&assignment.name, certainty);
        }
        scope.assign(&assignment.name, value);
        if let Some(elements) = elements {
            scope.arrays.insert(assignment.name.clone(), elements);
        }
    }

    /// Carries out a builtin; `None` for what isn't one, or acts like any program.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        simple: &Simple,
        scope: &mut Scope<'_>,
        input: &Stream,
    ) -> Option<Stream> {
        let words = &simple.words[1..];
        let operands = || words.iter().filter(|word| !word.text.starts_with('-'));
        self.follow_builtin(name, words, scope);
        self.evaluates_arguments(name, words);
        if let ("read" | "mapfile" | "readarray", Stream::Output(from)) = (name, input) {
            self.read_fetched(from, operands());
        }
        match name {
            "cd" | "pushd" => change_folder(operands().next(), words, scope),
            "popd" => scope.move_to(Vec::new()),
            "eval" => return Some(self.eval(words, scope, input)),
            "." | "source" => return Some(self.source(words, scope, input)),
            "trap" => self.trap(words, scope),
            "alias" => {
                for word in operands() {
                    if let Some((name, text)) = word.text.split_once('=') {
                        self.define(DefinitionKind::Alias, name);
                        let texts = [text.to_owned()].into();
                        scope.aliases.insert(name.to_owned(), texts);
                    }
                }
            }
            "unalias" => operands().for_each(|it| drop(scope.aliases.remove(&it.text))),
            "unset" => self.unset(words, scope),
            "read" => reading::read(words, scope, input),
            "mapfile" | "readarray" => self.read_lines(words, scope, input),
            "getopts" => {
                let own = ["OPTARG", "OPTIND"].map(Word::plain);
                let all = own.iter().chain(operands().nth(1));
                all.for_each(|it| scope.set_named(it, None));
            }
            "let" => {
                for word in words {
                    if !word.known {
                        scope.forget();
                    }
                    self.expand_arithmetic(&word.text, scope);
                }
            }
            "set" => {
                scope.exports_all |=
                    has_letters(words, &['a']) || words.iter().any(|it| it.text == "allexport");
                set(words, scope);
            }
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
                let (name, rest) = printed_to(words)?;
                let formatted = crate::outputs::printf(rest);
                scope.set_named(&name, formatted);
                return Some(Stream::nothing());
            }
            "shopt" | "hash" => self.run_shopt(name, words, scope),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                run_declare(name, words, scope, self.extent());
            }
            "return" => self.left.returns = true,
            "break" | "continue" => self.left.breaks = true,
            "test" | "[" | ":" | "true" | "false" | "umask" | "ulimit" | "wait" | "exit" | "bg"
            | "fg" | "disown" => {}
            _ => return None,
        }
        Some(Stream::nothing())
    }

    /// `mapfile`: a command may get each of the lines.
    fn read_lines(&mut self, words: &[Word], scope: &mut Scope<'_>, input: &Stream) {
        if let Stream::Output(from) = input
            && reading::has_callback(words)
        {
            self.note_opaque(OpaqueReason::PipedText, from);
        }
        reading::read_lines(words, scope, input);
    }

    /// `unset name …`. In a function it may remove the function's own variable or another one, and
    /// afterwards a name may mean what it meant outside; what isn't a variable is a function.
    fn unset(&self, words: &[Word], scope: &mut Scope<'_>) {
        for word in words.iter().filter(|it| !it.text.starts_with('-')) {
            if !self.inside.is_empty() && word.known {
                scope.shape(&word.text);
            } else {
                scope.set_named(word, Some(String::new()));
            }
            scope.keep_back(&word.text);
            if word.known {
                scope.doubtful.insert(word.text.clone());
            } else {
                let all = scope.functions.keys().cloned();
                scope.doubtful.extend(all.collect::<Vec<_>>());
            }
        }
    }

    /// `shopt -s option …`, `hash -p file name`
    fn run_shopt(&mut self, name: &str, words: &[Word], scope: &mut Scope<'_>) {
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
            self.note_opaque(OpaqueReason::ComputedProgram, "hash -p");
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
        let stream = self.read_for(file, scope, input);
        self.through.push("source".to_owned());
        // `return` leaves only the file.
        let left = std::mem::take(&mut self.left);
        let output = match stream {
            Stream::Text(text) => self.text(&text, scope, input),
            Stream::Output(program) => {
                self.note_opaque(OpaqueReason::PipedText, &program);
                Stream::Output(program)
            }
            _ => {
                if !file.known {
                    self.note_opaque(OpaqueReason::ComputedText, &file.text);
                }
                scope.anything_set = true;
                if !file.known || scope.file_text(file) != FileText::Kept {
                    scope.forget();
                }
                Stream::Output(file.text.clone())
            }
        };
        self.left = left;
        self.through.pop();
        output
    }
}

/// The scope of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// In the whole shell.
    Shell,
    /// In the function that makes it.
    Call,
    /// The function, if the declaration is made at all.
    PerhapsCall,
}

/// Builtins that declare variables of any kind.
const DECLARES: [&str; 3] = ["declare", "typeset", "local"];

/// Returns whether one of the leading options has one of these letters.
fn has_letters(words: &[Word], letters: &[char]) -> bool {
    words.iter().any(|it| {
        let given = it.text.strip_prefix('-').unwrap_or_default();
        !given.starts_with('-') && given.contains(letters)
    })
}

/// Returns how certain it is that a declaration creates variables of the function; `None` if it
/// doesn't.
fn locality(program: &str, options: &[Word], extent: Extent) -> Option<Certainty> {
    if extent == Extent::Shell || !DECLARES.contains(&program) {
        return None;
    }
    let in_front = options.iter().take_while(|it| !it.text.contains('='));
    let is_known = program == "local" || in_front.clone().all(|it| it.known);
    let in_front: Vec<Word> = in_front.cloned().collect();
    let is_global = program != "local" && has_letters(&in_front, &['g']);
    match extent {
        Extent::Call if is_known => (!is_global).then_some(Certainty::Certain),
        _ => (!is_global).then_some(Certainty::Perhaps),
    }
}

/// `declare x=1`, `declare -n name=other`, `declare -l name`
fn run_declare(program: &str, words: &[Word], scope: &mut Scope<'_>, extent: Extent) {
    let has = |letters: &[char]| has_letters(words, letters);
    let declares = DECLARES.contains(&program);
    let locality = locality(program, words, extent);
    // It applies globally, whatever the function's local variables.
    let is_global = declares && extent != Extent::Shell && has(&['g']);
    let is_handed_on = (program == "export" || declares && has(&['x'])) && !has(&['n']);
    let is_kept_back = program == "export" && has(&['n'])
        || declares
            && words
                .iter()
                .any(|it| it.text.starts_with('+') && it.text.contains('x'));
    // The value is arithmetic.
    scope.numbers_set |= declares && has(&['i']);
    for word in words.iter().filter(|it| !it.text.starts_with(['-', '+'])) {
        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
        let name = Word {
            text: name.trim_end_matches('+').to_owned(),
            known: word.known || is_name(name.trim_end_matches('+')),
            ..word.clone()
        };
        if !is_name(&name.text) {
            scope.set_named(&name, None);
            continue;
        }
        if let Some(certainty) = locality {
            scope.localise(&name.text, certainty);
        }
        if is_kept_back {
            scope.keep_back(&name.text);
        } else if is_handed_on && extent != Extent::PerhapsCall {
            scope.export(&name.text);
        }
        if !word.text.contains('=') {
            // A new local variable has no value yet.
            if locality.is_some() {
                scope.set(&name.text, None);
            }
        } else if !value.is_empty() || !scope.arrays.contains_key(&name.text) {
            let is_whole = word.known && !word.text.contains("+=");
            let is_set = scope
                .assigned_value(&name.text)
                .is_some_and(Option::is_some);
            if is_whole || !is_set {
                scope.set(&name.text, is_whole.then(|| value.to_owned()));
            }
        }
        if is_global {
            scope.shape(&name.text);
        }
        if declares && has(&['n', 'l', 'u', 'c']) {
            scope.shape(&name.text);
            if has(&['n']) {
                scope.shape(value);
            }
        }
    }
}

/// `printf -v name format …`: the name, and what follows it.
fn printed_to(words: &[Word]) -> Option<(Word, &[Word])> {
    let first = words.first()?;
    let attached = first.text.strip_prefix("-v")?;
    if attached.is_empty() {
        return Some((words.get(1)?.clone(), &words[2..]));
    }
    let name = Word {
        text: attached.to_owned(),
        ..first.clone()
    };
    Some((name, &words[1..]))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && text
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || it == '_')
}

fn change_folder(target: Option<&Word>, words: &[Word], scope: &mut Scope<'_>) {
    if scope.other_folders || words.iter().any(|it| it.text == "-") {
        return scope.move_to(Vec::new());
    }
    let target = match target {
        Some(word) => word.clone(),
        None => match scope.home() {
            Some(home) => Word::plain(home),
            None => Word::default(),
        },
    };
    let is_plain = target.text.starts_with(['/', '.']);
    let folders = if !target.known || target.pattern || !is_plain && scope.searches_folders() {
        Vec::new()
    } else if target.text.starts_with('/') {
        vec![normalize_path(&target.text)]
    } else {
        let folders = scope.folders.iter();
        folders
            .map(|it| normalize_path(&join_path(it, &target.text)))
            .collect()
    };
    scope.move_to(folders);
}

fn set(words: &[Word], scope: &mut Scope<'_>) {
    let mut first = 0;
    while let Some(word) = words.get(first) {
        if word.text == "--" || !word.text.starts_with(['-', '+']) {
            break;
        }
        // The name of an option follows: `-euo pipefail`.
        let is_named = !word.text.starts_with("--") && word.text.ends_with('o');
        first += if is_named { 2 } else { 1 };
    }
    let Some(word) = words.get(first) else {
        return;
    };
    let skip = usize::from(word.text == "--");
    scope.positional = Some(words[first + skip..].to_vec());
}
