//! Syntax that only one language has: what it opens, starts or evaluates.

use std::collections::BTreeSet;

use super::indirect_calls::changes;
use super::tables;
use super::tokens::{Language, Token};
use super::values::Reader;

type Values = [Option<BTreeSet<String>>];

impl Reader<'_> {
    /// Follows a call whose name has a special meaning in this language; returns whether it is one.
    pub(super) fn special(
        &mut self,
        name: &str,
        receiver: Option<usize>,
        arguments: &[(usize, usize)],
        values: &Values,
    ) -> bool {
        let of = receiver.and_then(|it| self.name(it));
        let first = values.first().cloned().flatten();
        let has = |word: &str| {
            self.mentions(word)
                && arguments.iter().any(|(from, to)| {
                    (*from..*to).any(|it| self.step().is_none() || self.name(it) == Some(word))
                })
        };
        match (self.language, name) {
            (Language::Python, "input" | "FileInput") if has("inplace") => {
                self.named_or_unclear(name, first);
            }
            (Language::Python, "loads")
                if matches!(of, Some("pickle" | "marshal")) && first.is_some() =>
            {
                self.named_or_unclear(name, None);
            }
            (Language::Python, "compile") if receiver.is_none() && arguments.len() > 2 => {
                self.evaluated(name, first);
            }
            (Language::Python, "timeit" | "repeat" | "Timer") if !arguments.is_empty() => {
                let is_call = has("lambda")
                    || arguments.first().is_some_and(|(from, to)| {
                        to - from == 1 && self.name(*from).is_some() && first.is_none()
                    });
                if !is_call {
                    let setup = values.iter().skip(1).flatten().flatten();
                    self.found.evaluates.extend(setup.cloned());
                    self.evaluated(name, first);
                }
            }
            (Language::JavaScript, "constructor") if receiver.is_some() => {
                let last = values.last().cloned().flatten();
                if !arguments.is_empty() {
                    self.evaluated(name, last);
                }
            }
            (Language::JavaScript, "Worker") if has("eval") => self.evaluated(name, first),
            // `Object.entries(fs)`: each of its functions, by whatever name.
            (Language::JavaScript, _) if matches!(of, Some("Object" | "Reflect")) => {
                self.note_modules(name, arguments);
                return false;
            }
            (Language::Python, "getattr" | "methodcaller") => {
                self.found_by_name(name, arguments);
                return false;
            }
            (Language::JavaScript, "import")
                if first
                    .iter()
                    .flatten()
                    .any(|it| it.trim_start().to_ascii_lowercase().starts_with("data:")) =>
            {
                self.named_or_unclear(name, None);
            }
            (Language::Lua, "load" | "loadstring") if receiver.is_none() => {
                self.evaluated(name, first);
            }
            (Language::Lua, "output") if of == Some("io") && !arguments.is_empty() => {
                self.named_or_unclear(name, first);
            }
            (Language::Perl, "new") if matches!(of, Some("File" | "Handle")) => {
                self.opened_by_perl(name, values);
            }
            (Language::Perl, "tie") => self.opened_by_perl(name, values.get(2..).unwrap_or(&[])),
            _ => return false,
        }
        true
    }

    /// Notes a call that is given a module for files as a whole.
    fn note_modules(&mut self, name: &str, arguments: &[(usize, usize)]) {
        let mut arguments = arguments.iter();
        if arguments.any(|(from, to)| self.is_module(*from, *to)) {
            self.note_unclear(name);
        }
    }

    /// Returns whether an argument is a module for files as a whole.
    fn is_module(&self, from: usize, to: usize) -> bool {
        let is_loaded = || self.is_loaded_in_place(to.saturating_sub(1));
        let is_named = to == from + 1 && self.name(from).is_some_and(|it| self.holds_module(it));
        is_named || is_loaded()
    }

    /// `getattr(x, 'un' + 'link')`, `methodcaller('unlink')`: whatever `x` is, nobody puts the name
    /// of such a function together for something else, and what a finder is later given isn't
    /// known.
    fn found_by_name(&mut self, name: &str, arguments: &[(usize, usize)]) {
        let Some((from, to)) = arguments.get(usize::from(name == "getattr")).copied() else {
            return;
        };
        let is_literal = to == from + 1 && self.name(from).is_none();
        let names = self.value(from, to).unwrap_or_default();
        if (!is_literal || name == "methodcaller") && names.iter().any(|it| changes(it)) {
            self.note_unclear(name);
        }
    }

    fn named_or_unclear(&mut self, name: &str, values: Option<BTreeSet<String>>) {
        match values {
            Some(values) => self.found.named.extend(values),
            None => {
                self.found.unclear.get_or_insert_with(|| name.to_owned());
            }
        }
    }

    fn evaluated(&mut self, name: &str, texts: Option<BTreeSet<String>>) {
        match texts {
            Some(texts) => self.found.evaluates.extend(texts),
            None => self.named_or_unclear(name, None),
        }
    }

    fn opened_by_perl(&mut self, name: &str, values: &Values) {
        let modes = values.get(1).cloned().flatten().unwrap_or_default();
        let reads = modes
            .iter()
            .all(|it| ["r", "<", "0"].contains(&it.as_str()));
        match values.first() {
            Some(Some(paths)) => {
                let bare = |it: &String| it.trim_start_matches(['>', '<', '+', ' ']).to_owned();
                let writes = |it: &&String| !modes.is_empty() && !reads || it.contains(['>', '+']);
                let paths: Vec<String> = paths.iter().filter(writes).map(bare).collect();
                self.found.named.extend(paths);
            }
            Some(None) if modes.is_empty() || !reads => self.named_or_unclear(name, None),
            _ => {}
        }
    }

    /// Perl: `open(F, '|-', 'rm x')`, `open(F, 'rm x|')`; arguments of the command line are opened
    /// in this way, too.
    pub(super) fn opened_strings(&mut self) {
        let reads_arguments = self.mentions("ARGV")
            || (0..self.tokens.len()).any(|at| self.is_sign(at, '<') && self.is_sign(at + 1, '>'));
        let opens = self.mentions("open");
        let texts = self.tokens.iter().filter_map(|it| match it {
            Token::Text(Some(text)) if opens || reads_arguments => Some(text),
            _ => None,
        });
        let texts: Vec<&String> = texts.chain(self.arguments).collect();
        let (mut named, mut starts) = (Vec::new(), Vec::new());
        // The command is in another string.
        let is_apart = |it: &&&String| ["|-", "-|"].contains(&it.trim());
        if texts.iter().any(|it| is_apart(&it)) {
            starts.extend(texts.iter().map(|it| (*it).clone()));
        }
        for text in &texts {
            let bare = text.trim();
            if let Some(path) = bare.strip_prefix("+<").or_else(|| bare.strip_prefix('>')) {
                named.push(path.trim_start_matches('>').trim().to_owned());
            } else if let Some(line) = bare.strip_suffix('|').or_else(|| bare.strip_prefix('|')) {
                starts.push(line.to_owned());
            }
        }
        let has_spaces = |it: &String| it.contains(char::is_whitespace);
        self.found.named.extend(named);
        self.found
            .starts
            .extend(starts.into_iter().filter(has_spaces));
    }

    /// awk: `print "" | c`, `c | getline`.
    pub(super) fn follow_pipes(&mut self) {
        for at in 0..self.tokens.len() {
            let is_pipe = self.is_sign(at, '|')
                && !self.is_sign(at + 1, '|')
                && !at.checked_sub(1).is_some_and(|it| self.is_sign(it, '|'));
            if !is_pipe {
                continue;
            }
            let from = if self.is_sign(at + 1, '&') {
                at + 2
            } else {
                at + 1
            };
            let ends = |it: &usize| {
                self.step().is_none()
                    || matches!(self.tokens[*it], Token::Sign(';' | '{' | '}') | Token::Line)
            };
            let start = (0..at).rev().find(ends).map_or(0, |it| it + 1);
            let values = if self.name(from) == Some("getline") {
                // `while ((c | getline line) > 0)`
                let open = (start..at).rev().find(|it| self.is_sign(*it, '('));
                self.value(open.map_or(start, |it| it + 1), at)
            } else if (start..at).any(|it| matches!(self.name(it), Some("print" | "printf"))) {
                self.value(from, self.end_of_statement(from))
            } else {
                continue;
            };
            match values {
                Some(values) => self.found.starts.extend(values),
                None => self.named_or_unclear("|", None),
            }
        }
    }

    /// Returns whether a call's receiver is a module that opens files.
    pub(super) fn is_opening_module(&self, receiver: usize) -> bool {
        self.name(receiver)
            .is_some_and(|it| tables::OPENING_MODULES.holds(it))
    }
}
