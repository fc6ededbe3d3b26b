//! The strings that expressions in program text may have.

mod numbers;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::brackets::Brackets;
use super::tables;
use super::tokens::{Language, Token, UNREAD};
pub(super) use numbers::with_number_patterns;
use numbers::{NUMBER, number};

/// The maximum number of values of an expression.
const MAX_VALUES: usize = 64;

/// The maximum length of a path or a command that is followed.
const MAX_VALUE_LENGTH: usize = 1 << 16;

/// How many steps are allowed for each token of a text, and in addition for any text. A text that
/// needs more is unclear, so the time is proportional to its length.
const STEPS_OF_PIECE: usize = 256;
const MIN_STEPS: usize = 1 << 20;

/// The effects of a text.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// The strings passed to calls that may write to files with these names.
    pub(super) named: BTreeSet<String>,
    /// The folders that it changes to, or starts programs in.
    pub(super) folders: BTreeSet<String>,
    /// Shell text that it starts, with variables for unknown parts.
    pub(super) starts: Vec<String>,
    /// Text of the same language that it evaluates.
    pub(super) evaluates: Vec<String>,
    /// A call whose effects can't be known.
    pub(super) unclear: Option<String>,
}

/// Reads program text, and records its effects.
pub(super) struct Reader<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) brackets: Brackets,
    pub(super) language: Language,
    pub(super) arguments: &'t [String],
    /// The possible strings of a name; `None` if one of them isn't known.
    pub(super) variables: HashMap<String, Option<BTreeSet<String>>>,
    pub(super) modules: BTreeSet<String>,
    /// Other names for calls that change files.
    pub(super) renamed: HashMap<String, &'t str>,
    /// Calls that change files and were imported by name.
    pub(super) imported: BTreeSet<String>,
    pub(super) found: Effects,
    /// All names of the text.
    names: HashSet<&'t str>,
    /// The number of steps left.
    left: Cell<usize>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(tokens: &'t [Token], language: Language, arguments: &'t [String]) -> Self {
        let names = tokens.iter().filter_map(|it| match it {
            Token::Name(name) => Some(name.as_str()),
            _ => None,
        });
        let is_read = !tokens.contains(&UNREAD);
        Self {
            tokens,
            brackets: Brackets::of(tokens),
            language,
            arguments,
            variables: HashMap::new(),
            modules: tables::MODULES.all_words().map(str::to_owned).collect(),
            renamed: HashMap::new(),
            imported: BTreeSet::new(),
            found: Effects {
                unclear: (!is_read).then(|| "a text in it".to_owned()),
                ..Effects::default()
            },
            names: names.collect(),
            left: Cell::new(MIN_STEPS + tokens.len().saturating_mul(STEPS_OF_PIECE)),
        }
    }

    /// Returns whether a name is anywhere in the text.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns a name as a slice of the text, if it occurs in it.
    pub(super) fn find_name(&self, name: &str) -> Option<&'t str> {
        self.names.get(name).copied()
    }

    /// Counts a step; returns `None` once there were too many.
    pub(super) fn step(&self) -> Option<()> {
        let left = self.left.get().checked_sub(1)?;
        self.left.set(left);
        Some(())
    }

    /// Returns whether there were too many steps.
    pub(super) fn is_at_end(&self) -> bool {
        self.left.get() == 0
    }

    #[cfg(test)]
    pub(super) fn remaining(&self) -> usize {
        self.left.get()
    }

    pub(super) fn name(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is_sign(&self, at: usize, sign: char) -> bool {
        self.tokens.get(at) == Some(&Token::Sign(sign))
    }

    /// `import os as o`, `const f = require('fs')`.
    pub(super) fn aliases(&mut self) {
        for at in 0..self.tokens.len() {
            if self.name(at) == Some("as")
                && let (Some(module), Some(alias)) = (
                    at.checked_sub(1).and_then(|it| self.name(it)),
                    self.name(at + 1),
                )
                && self.modules.contains(module)
            {
                self.modules.insert(alias.to_owned());
            }
            if matches!(self.name(at), Some("require" | "import")) && self.is_sign(at + 1, '(') {
                let is_files = self.loads_files(at + 1);
                let alias = (1..4)
                    .filter_map(|back| at.checked_sub(back))
                    .find(|it| self.is_sign(*it, '='))
                    .and_then(|equals| equals.checked_sub(1))
                    .and_then(|it| self.name(it));
                if let Some(alias) = alias.filter(|_| is_files) {
                    self.modules.insert(alias.to_owned());
                }
            }
        }
    }

    /// `require('fs').copyFileSync`, `require('fs').promises.rm`: a module for files without a
    /// name.
    pub(super) fn is_loaded_in_place(&self, at: usize) -> bool {
        let before = at
            .checked_sub(2)
            .filter(|_| self.name(at) == Some("promises"));
        let close = before.unwrap_or(at);
        let Some(open) = self
            .is_sign(close, ')')
            .then(|| self.opening(close))
            .flatten()
        else {
            return false;
        };
        let loads = open.checked_sub(1).and_then(|it| self.name(it));
        let of_files = ["fs", "fs-extra", "shutil", "os", "FileUtils"];
        let is_of_files = |name: &str| {
            let name = name.trim_start_matches("node:");
            of_files.contains(&name.split('/').next().unwrap_or_default())
        };
        let is_loader = matches!(
            loads,
            Some("require" | "import" | "__import__" | "import_module")
        );
        is_loader
            && self
                .value(open + 1, close)
                .is_some_and(|names| names.iter().any(|it| is_of_files(it)))
    }

    /// Returns whether what is loaded with the arguments in these parentheses is a module that
    /// changes files or starts programs, or can't be known.
    pub(super) fn loads_files(&self, open: usize) -> bool {
        let Some(close) = self.closing(open) else {
            return false;
        };
        match self.value(open + 1, close) {
            Some(names) => names
                .iter()
                .any(|it| it.contains("fs") || it.contains("child_process")),
            // `import(…)` without arguments isn't JavaScript's.
            None => close > open + 1 && self.language == Language::JavaScript,
        }
    }

    pub(super) fn assignments(&mut self) {
        let mut found: HashMap<String, Option<BTreeSet<String>>> = HashMap::new();
        let mut note = |name: &str, values: Option<BTreeSet<String>>| {
            let entry = found
                .entry(name.to_owned())
                .or_insert_with(|| Some(BTreeSet::new()));
            *entry = entry.take().zip(values).map(|(mut all, more)| {
                all.extend(more);
                all
            });
        };
        for at in 0..self.tokens.len() {
            let Some(name) = self.name(at) else { continue };
            if self.is_sign(at + 1, '=') && !self.is_sign(at + 2, '=') && !self.is_sign(at + 2, '>')
            {
                let end = self.end_of_statement(at + 2);
                let value = if self.is_number(at + 2) {
                    Some(number())
                } else {
                    self.value(at + 2, end)
                };
                note(name, value);
            } else if name == "for" || name == "foreach" {
                let Some(of) = self.end_of_names(at) else {
                    continue;
                };
                let files = self.names_of_files(at, of);
                if !files.is_empty() {
                    for (variable, paths) in files {
                        note(&variable, Some(paths));
                    }
                    continue;
                }
                let names: Vec<&str> = (at + 1..of).filter_map(|it| self.name(it)).collect();
                let words = ["my", "our", "let", "const", "var", "await", "local"];
                let mut names = names.into_iter().filter(|it| !words.contains(it));
                match (names.next(), names.next()) {
                    (Some(only), None) if self.counts(of) => note(only, Some(number())),
                    (Some(only), None) => note(only, self.elements(of)),
                    (first, second) => {
                        let all = first.into_iter().chain(second).chain(names);
                        all.for_each(|it| note(it, None));
                    }
                }
            }
        }
        for name in self.unfollowed_names() {
            note(name, None);
        }
        self.variables = found;
        if self.binds_unknown() {
            self.variables.values_mut().for_each(|it| *it = None);
        }
    }

    /// Returns the position after the names of a loop: `for a, b in`, `foreach my $x (`.
    fn end_of_names(&self, at: usize) -> Option<usize> {
        let ends = self.end_at(at + 1, |token| match token {
            Token::Name(word) => word == "in" || word == "of",
            Token::Sign('(') => self.language == Language::Perl,
            Token::Sign(';' | '{' | ':') | Token::Line => true,
            _ => false,
        });
        // `for (const x of y)`
        if self.is_sign(at + 1, '(') && self.language != Language::Perl {
            let close = self.closing(at + 1)?;
            let ends = self.end_at(at + 2, |token| match token {
                Token::Name(word) => word == "in" || word == "of",
                Token::Sign(';') => true,
                _ => false,
            });
            if ends < close {
                return (self.name(ends).is_some()).then_some(ends);
            }
        }
        let is_end = self.name(ends).is_some() || self.is_sign(ends, '(');
        is_end.then_some(ends)
    }

    /// Returns the strings of the list that a loop iterates over.
    fn elements(&self, of: usize) -> Option<BTreeSet<String>> {
        let open = (of..of + 2).find(|it| self.is_sign(*it, '[') || self.is_sign(*it, '('))?;
        let close = self.closing(open)?;
        let mut all = BTreeSet::new();
        for (from, to) in self.split(open + 1, close) {
            all.extend(self.value(from, to)?);
        }
        Some(all)
    }

    pub(super) fn end_of_statement(&self, from: usize) -> usize {
        self.end_at(from, |token| {
            matches!(
                token,
                Token::Sign(')' | ']' | '}' | ';' | ',') | Token::Line
            )
        })
    }

    /// Returns the first position of a token, ignoring brackets.
    pub(super) fn end_at(&self, from: usize, ends: impl Fn(&Token) -> bool) -> usize {
        let mut at = from;
        while let Some(token) = self.tokens.get(at) {
            if ends(token) || self.step().is_none() {
                return at;
            }
            at = match token {
                Token::Sign('(' | '[' | '{') => match self.closing(at) {
                    Some(close) => close + 1,
                    None => return self.tokens.len(),
                },
                _ => at + 1,
            };
        }
        self.tokens.len()
    }

    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        self.brackets.partner(open).filter(|it| *it > open)
    }

    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        self.brackets.partner(close).filter(|it| *it < close)
    }

    /// Splits a list at its commas.
    pub(super) fn split(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let (mut start, mut at) = (from, from);
        while at < to && self.step().is_some() {
            match self.tokens[at] {
                Token::Sign('(' | '[' | '{') => at = self.closing(at).unwrap_or(to),
                Token::Sign(',') => {
                    parts.push((start, at));
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        if start < to {
            parts.push((start, to));
        }
        parts
    }

    /// Returns the possible strings of an expression; `None` if they can't be known.
    pub(super) fn value(&self, from: usize, to: usize) -> Option<BTreeSet<String>> {
        let mut whole: Option<BTreeSet<String>> = None;
        let mut at = from;
        let mut glue = "";
        while at < to {
            self.step()?;
            match &self.tokens[at] {
                Token::Line | Token::Sign('$' | '@' | '&' | '\\') => at += 1,
                Token::Sign('+' | '.' | '~') if whole.is_some() => {
                    glue = "";
                    at += 1;
                }
                Token::Sign('/') if whole.is_some() => {
                    glue = "/";
                    at += 1;
                }
                _ => {
                    let (values, next) = self.term(at, to)?;
                    whole = Some(match whole {
                        None => values,
                        Some(before) => combined(&before, &values, glue)?,
                    });
                    glue = "";
                    at = next;
                }
            }
        }
        // A bare number isn't a file name.
        let is_number = |it: &String| !it.is_empty() && it.chars().all(|it| it == NUMBER);
        whole.filter(|it| it.len() <= MAX_VALUES && !it.iter().any(is_number))
    }

    pub(super) fn term(&self, at: usize, to: usize) -> Option<(BTreeSet<String>, usize)> {
        match &self.tokens[at] {
            Token::Text(text) => {
                let text = text.clone()?;
                if self.is_sign(at + 1, '.') && self.name(at + 2) == Some("join") {
                    let close = self.closing(at + 3)?;
                    return Some((self.join(at + 4, close, &text)?, close + 1));
                }
                (!self.is_sign(at + 1, '.') || self.name(at + 2).is_none() || at + 1 >= to)
                    .then(|| (BTreeSet::from([text]), at + 1))
            }
            Token::Sign('(') => {
                let close = self.closing(at)?;
                Some((self.value(at + 1, close)?, close + 1))
            }
            Token::Name(_) => self.evaluate_name(at, to),
            _ => None,
        }
    }

    /// Evaluates a variable, a joined path, or an argument.
    pub(super) fn evaluate_name(&self, at: usize, to: usize) -> Option<(BTreeSet<String>, usize)> {
        let mut end = at;
        while self.is_sign(end + 1, '.') && self.name(end + 2).is_some() && end + 2 < to {
            end += 2;
        }
        let name = self.name(end)?;
        if self.is_sign(end + 1, '(') && end + 1 < to {
            let close = self.closing(end + 1)?;
            let value = match name {
                // `join("/", "a", "b")`
                "join" | "implode" if matches!(self.language, Language::Perl | Language::Php) => {
                    let parts = self.split(end + 2, close);
                    let glue = parts
                        .first()
                        .and_then(|(from, to)| self.value(*from, *to))?;
                    let glue = glue.into_iter().next()?;
                    let (from, _) = *parts.get(1)?;
                    self.join(from, close, &glue)?
                }
                "getcwd" | "cwd" | "pwd" if close == end + 2 => BTreeSet::from([".".to_owned()]),
                "join" | "Path" | "PurePath" | "PosixPath" | "str" | "String" | "abspath"
                | "resolve" | "expanduser" | "expand_path" | "glob" | "realpath" | "normpath"
                | "fsdecode" | "fspath" | "new" => self.join(end + 2, close, "/")?,
                // The lookup expands `~`.
                "home" | "homedir" if close == end + 2 => BTreeSet::from(["~".to_owned()]),
                _ => return None,
            };
            return Some((value, close + 1));
        }
        if matches!(name, "argv" | "ARGV" | "args" | "arg") && self.is_sign(end + 1, '[') {
            let close = self.closing(end + 1)?;
            return Some((self.arguments.iter().cloned().collect(), close + 1));
        }
        if name == "shift" && self.language == Language::Perl {
            // In a function, it takes the function's argument, not the program's.
            if self.mentions("sub") {
                return None;
            }
            return Some((self.arguments.iter().cloned().collect(), end + 1));
        }
        if end == at + 2
            && let Some(values) = self.argument_values(self.name(at)?)
        {
            return Some((values, end + 1));
        }
        if end > at {
            return None;
        }
        if self.is_sign(end + 1, '[') && end + 1 < to {
            return None;
        }
        let known = self.variables.get(name)?.clone()?;
        Some((known, end + 1))
    }

    pub(super) fn join(&self, from: usize, to: usize, glue: &str) -> Option<BTreeSet<String>> {
        let (from, to) = match self.tokens.get(from) {
            Some(Token::Sign('[' | '(')) if self.closing(from) == to.checked_sub(1) => {
                (from + 1, to - 1)
            }
            _ => (from, to),
        };
        let mut whole = BTreeSet::from([String::new()]);
        for (number, (from, to)) in self.split(from, to).into_iter().enumerate() {
            let values = self.value(from, to)?;
            whole = combined(&whole, &values, if number == 0 { "" } else { glue })?;
        }
        Some(whole)
    }

    /// Evaluates an argument, without its name, if it has one.
    pub(super) fn argument(&self, from: usize, to: usize) -> Option<BTreeSet<String>> {
        let is_named = self.name(from).is_some()
            && (self.is_sign(from + 1, '=') && !self.is_sign(from + 2, '=')
                || self.is_sign(from + 1, ':'));
        let from = if is_named { from + 2 } else { from };
        if matches!(self.tokens.get(from), Some(Token::Sign('['))) {
            let close = self.closing(from)?;
            let mut all = BTreeSet::new();
            for (from, to) in self.split(from + 1, close) {
                all.extend(self.value(from, to)?);
            }
            return Some(all);
        }
        self.value(from, to)
    }

    pub(super) fn receiver(&self, at: usize) -> Option<BTreeSet<String>> {
        if self.is_sign(at, ')') {
            let open = self.opening(at)?;
            let called = open.checked_sub(1).filter(|it| self.name(*it).is_some());
            let mut start = called.unwrap_or(open);
            while start >= 2 && self.is_sign(start - 1, '.') && self.name(start - 2).is_some() {
                start -= 2;
            }
            return self.value(start, at + 1);
        }
        let of = at.checked_sub(2).filter(|_| self.is_sign(at - 1, '.'));
        if let Some(of) = of
            && let Some(values) = self.name(of).and_then(|it| self.argument_values(it))
        {
            return Some(values);
        }
        self.value(at, at + 1)
    }
}

fn combined(
    first: &BTreeSet<String>,
    second: &BTreeSet<String>,
    glue: &str,
) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for one in first {
        for other in second {
            if all.len() > MAX_VALUES || one.len() + other.len() > MAX_VALUE_LENGTH {
                return None;
            }
            all.insert(if glue == "/" && other.starts_with('/') {
                other.clone()
            } else {
                format!("{one}{glue}{other}")
            });
        }
    }
    Some(all)
}
