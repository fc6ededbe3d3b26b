//! The strings that expressions in program text may have.

use std::collections::{BTreeSet, HashMap};

use super::tokens::{Language, Token};

/// How many values one expression may have.
const MOST_VALUES: usize = 64;

/// What a text does.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// The strings that are given to calls which may write to files of these names.
    pub(super) named: BTreeSet<String>,
    /// The folders that it goes to, or has programs started in.
    pub(super) folders: BTreeSet<String>,
    /// Shell text that it starts; what isn't known in it stands as a variable.
    pub(super) starts: Vec<String>,
    /// Text of the same language that it evaluates.
    pub(super) evaluates: Vec<String>,
    /// The call of which it can't be known what it does.
    pub(super) unclear: Option<String>,
}

/// Reads program text, and notes what it does.
pub(super) struct Reader<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) language: Language,
    pub(super) arguments: &'t [String],
    /// The strings that a name may hold; nothing where one of them isn't known.
    pub(super) variables: HashMap<String, Option<BTreeSet<String>>>,
    pub(super) modules: BTreeSet<String>,
    /// Other names for calls that change files.
    pub(super) renamed: HashMap<String, &'t str>,
    /// Calls that change files, whose own names were imported.
    pub(super) imported: BTreeSet<String>,
    pub(super) found: Effects,
}

impl<'t> Reader<'t> {
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
                let is_files = matches!(self.tokens.get(at + 2), Some(Token::Text(Some(name)))
                    if name.contains("fs") || name.contains("child_process"));
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
                note(name, self.value(at + 2, end));
            } else if self.is_sign(at + 2, '=')
                && matches!(
                    self.tokens.get(at + 1),
                    Some(Token::Sign('+' | '.' | '|' | '*'))
                )
            {
                note(name, None);
            } else if name == "for" || name == "foreach" {
                let Some(of) = (at + 1..at + 7).find(|it| {
                    matches!(self.name(*it), Some("in" | "of"))
                        || self.is_sign(*it, '(') && self.language == Language::Perl
                }) else {
                    continue;
                };
                let files = self.names_of_files(at, of);
                if !files.is_empty() {
                    for (variable, paths) in files {
                        note(&variable, Some(paths));
                    }
                    continue;
                }
                if let Some(variable) = self.name(of - 1) {
                    let open =
                        (of..of + 2).find(|it| self.is_sign(*it, '[') || self.is_sign(*it, '('));
                    let values = open.and_then(|open| {
                        let close = self.closing(open)?;
                        let elements = self.split(open + 1, close);
                        let mut all = BTreeSet::new();
                        for (from, to) in elements {
                            all.extend(self.value(from, to)?);
                        }
                        Some(all)
                    });
                    note(variable, values);
                }
            }
        }
        self.variables = found;
    }

    pub(super) fn end_of_statement(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        for at in from..self.tokens.len() {
            match self.tokens[at] {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}' | ';' | ',') | Token::Line if depth == 0 => return at,
                Token::Sign(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.tokens[at] {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..=close).rev() {
            match self.tokens[at] {
                Token::Sign(')' | ']' | '}') => depth += 1,
                Token::Sign('(' | '[' | '{') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Splits a list at its commas.
    pub(super) fn split(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let (mut start, mut depth) = (from, 0_usize);
        for at in from..to {
            match self.tokens[at] {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Token::Sign(',') if depth == 0 => {
                    parts.push((start, at));
                    start = at + 1;
                }
                _ => {}
            }
        }
        if start < to {
            parts.push((start, to));
        }
        parts
    }

    /// Returns the strings that an expression may have; nothing where they can't be known.
    pub(super) fn value(&self, from: usize, to: usize) -> Option<BTreeSet<String>> {
        let mut whole: Option<BTreeSet<String>> = None;
        let mut at = from;
        let mut glue = "";
        while at < to {
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
                        Some(before) => combined(&before, &values, glue),
                    });
                    glue = "";
                    at = next;
                }
            }
        }
        whole.filter(|it| it.len() <= MOST_VALUES)
    }

    pub(super) fn term(&self, at: usize, to: usize) -> Option<(BTreeSet<String>, usize)> {
        match &self.tokens[at] {
            Token::Text(text) => {
                let text = text.clone()?;
                if self.is_sign(at + 1, '.') && self.name(at + 2) == Some("join") {
                    let close = self.closing(at + 3)?;
                    return Some((self.joined(at + 4, close, &text)?, close + 1));
                }
                (!self.is_sign(at + 1, '.') || self.name(at + 2).is_none() || at + 1 >= to)
                    .then(|| (BTreeSet::from([text]), at + 1))
            }
            Token::Sign('(') => {
                let close = self.closing(at)?;
                Some((self.value(at + 1, close)?, close + 1))
            }
            Token::Name(_) => self.named(at, to),
            _ => None,
        }
    }

    /// A variable, a path made of its parts, an argument.
    pub(super) fn named(&self, at: usize, to: usize) -> Option<(BTreeSet<String>, usize)> {
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
                    self.joined(from, close, &glue)?
                }
                "getcwd" | "cwd" | "pwd" if close == end + 2 => BTreeSet::from([".".to_owned()]),
                "join" | "Path" | "PurePath" | "PosixPath" | "str" | "String" | "abspath"
                | "resolve" | "expanduser" | "expand_path" | "glob" | "realpath" | "normpath"
                | "fsdecode" | "fspath" | "new" => self.joined(end + 2, close, "/")?,
                // Whoever looks the name up knows the sign.
                "home" | "homedir" if close == end + 2 => BTreeSet::from(["~".to_owned()]),
                _ => return None,
            };
            return Some((value, close + 1));
        }
        if matches!(name, "argv" | "ARGV" | "args") && self.is_sign(end + 1, '[') {
            let close = self.closing(end + 1)?;
            return Some((self.arguments.iter().cloned().collect(), close + 1));
        }
        if name == "shift" && self.language == Language::Perl {
            // In a function it is an argument of whoever calls it.
            let has_functions = (0..self.tokens.len()).any(|it| self.name(it) == Some("sub"));
            if has_functions {
                return None;
            }
            return Some((self.arguments.iter().cloned().collect(), end + 1));
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

    pub(super) fn joined(&self, from: usize, to: usize, glue: &str) -> Option<BTreeSet<String>> {
        let (from, to) = match self.tokens.get(from) {
            Some(Token::Sign('[' | '(')) if self.closing(from) == to.checked_sub(1) => {
                (from + 1, to - 1)
            }
            _ => (from, to),
        };
        let mut whole = BTreeSet::from([String::new()]);
        for (number, (from, to)) in self.split(from, to).into_iter().enumerate() {
            let values = self.value(from, to)?;
            whole = combined(&whole, &values, if number == 0 { "" } else { glue });
        }
        Some(whole)
    }

    /// An argument, without the name that may stand in front of it.
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
        self.value(at, at + 1)
    }
}

fn combined(first: &BTreeSet<String>, second: &BTreeSet<String>, glue: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for one in first {
        for other in second {
            if all.len() > MOST_VALUES {
                return all;
            }
            all.insert(if glue == "/" && other.starts_with('/') {
                other.clone()
            } else {
                format!("{one}{glue}{other}")
            });
        }
    }
    all
}
