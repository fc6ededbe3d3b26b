//! Calls that aren't written as `name(…)`: through other names, values that contain them, or
//! indexes.

use std::collections::BTreeSet;

use super::tables;
use super::tokens::{Language, Token};
use super::values::Reader;

/// Methods of a function that call it.
const CALLERS: [&str; 5] = ["call", "apply", "bind", "__call__", "curry"];

/// Calls that return their argument, to be called later.
const HOLDERS: [&str; 8] = [
    "partial",
    "partialmethod",
    "bind",
    "promisify",
    "staticmethod",
    "getattr",
    "attrgetter",
    "curry",
];

/// Calls that look up a function by its name.
const FINDERS: [&str; 9] = [
    "getattr",
    "attrgetter",
    "methodcaller",
    "__getattribute__",
    "get",
    "method",
    "send",
    "public_send",
    "__send__",
];

/// Finders that are imported from elsewhere than a module for files.
const IMPORTED_FINDERS: [&str; 2] = ["attrgetter", "methodcaller"];

/// Calls whose result may be a module for files.
const FINDS_MODULES: [&str; 2] = ["require", "import_module"];

impl<'t> Reader<'t> {
    /// Returns whether a name is that of a module for files, or of one that starts programs.
    pub(super) fn holds_module(&self, name: &str) -> bool {
        self.modules.contains(name) || name == "child_process"
    }

    /// Records aliases of calls that change files: `from os import remove as q`, `f = os.remove`.
    pub(super) fn other_names(&mut self) {
        for at in 0..self.tokens.len() {
            let Some(name) = self.name(at) else { continue };
            let is_finder = IMPORTED_FINDERS.contains(&name);
            if self.imports(at) && (is_finder || self.import_is_of_files(at)) {
                let is_renamed = self.name(at + 1) == Some("as") || self.is_sign(at + 1, ':');
                match self.name(at + 2).filter(|_| is_renamed) {
                    Some(alias) if is_finder || changes(name) => {
                        self.renamed.insert(alias.to_owned(), name);
                    }
                    None if changes(name) => {
                        self.imported.insert(name.to_owned());
                    }
                    _ => {}
                }
            }
        }
        // Twice, for aliases of aliases.
        for _ in 0..2 {
            for at in 0..self.tokens.len() {
                if let Some(writer) = self.call_as_value(at) {
                    for name in self.assigned_names(at) {
                        if name != writer {
                            self.renamed.insert(name.to_owned(), writer);
                        }
                    }
                }
            }
        }
    }

    /// Follows calls that are used as a value, or found by an index.
    pub(super) fn follow_values(&mut self) {
        let mut is_first = true;
        for at in 0..self.tokens.len() {
            if self.is_sign(at, '(')
                && let Some(writer) = self.called_by_value(at)
            {
                let close = self.closing(at).unwrap_or(self.tokens.len());
                let arguments = self.split(at + 1, close);
                self.call_of(writer, None, true, &arguments);
            }
            if self.finds_unknown(at) || self.puts_name_together(at) {
                self.note_unclear("[…]");
            }
            let Some(writer) = self.call_as_value(at) else {
                continue;
            };
            if std::mem::take(&mut is_first) {
                let unread = self.unread_strings();
                self.found.named.extend(unread);
            }
            if self.follow_path_value(at, writer) {
                continue;
            }
            let enclosing = self.enclosing(at);
            let holder = enclosing.and_then(|it| self.name(it.checked_sub(1)?));
            let is_held = enclosing.is_none() || holder.is_some_and(|it| HOLDERS.contains(&it));
            let assigned = self.assigned_names(at);
            if is_held && assigned.iter().any(|it| !it.starts_with("__")) || self.is_called(at) {
                continue;
            }
            match enclosing.and_then(|it| self.given_with(it, at)) {
                Some(given) if tables::STARTERS.holds(writer) => {
                    self.found.starts.extend(given);
                }
                Some(given) => self.found.named.extend(given),
                None => self.note_unclear(writer),
            }
        }
    }

    /// `write = Path('x').write_text`: what it will change is known by the path.
    fn follow_path_value(&mut self, at: usize, writer: &str) -> bool {
        let owner = at.checked_sub(2).filter(|_| self.is_sign(at - 1, '.'));
        let Some(owner) = owner.filter(|_| tables::METHODS_OF_PATHS.holds(writer)) else {
            return false;
        };
        if self.name(owner).is_some_and(|it| self.modules.contains(it)) {
            return false;
        }
        match self.receiver(owner) {
            Some(paths) => self.found.named.extend(paths),
            None => self.note_unclear(writer),
        }
        true
    }

    pub(super) fn note_unclear(&mut self, why: &str) {
        self.found.unclear.get_or_insert_with(|| why.to_owned());
    }

    /// Returns the call that changes files and that is used as a value here.
    fn call_as_value(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at)? {
            Token::Name(name) => self.function_name(at, name),
            Token::Text(Some(text)) => self.function_text(at, text),
            _ => None,
        }
    }

    fn function_name(&self, at: usize, name: &'t str) -> Option<&'t str> {
        if matches!(
            self.language,
            Language::Other | Language::Ruby | Language::Php
        ) || self.is_sign(at + 1, '(')
            || self.is_sign(at + 1, '=') && !self.is_sign(at + 2, '=')
            || self.is_sign(at + 1, ':')
        {
            return None;
        }
        let is_member = at.checked_sub(1).is_some_and(|it| self.is_sign(it, '.'));
        if let Some(writer) = self.renamed.get(name) {
            let is_used = !is_member && !self.imports(at);
            return is_used.then_some(*writer);
        }
        if !changes(name) || self.imports(at) {
            return None;
        }
        if self.language == Language::Perl {
            return self.is_bare(at).then_some(name);
        }
        if self.is_sign(at + 1, '.') && self.name(at + 2).is_some_and(|it| !CALLERS.contains(&it)) {
            return None;
        }
        let owner = at.checked_sub(2).filter(|_| is_member);
        let is_of = |modules: &tables::Table| {
            let name = owner.and_then(|it| self.name(it));
            name.is_some_and(|it| modules.holds(it))
        };
        let of_module = owner
            .and_then(|it| self.name(it))
            .is_some_and(|it| self.modules.contains(it));
        let of_result = owner.is_some_and(|it| self.is_sign(it, ')'));
        let is_imported = !is_member && self.imported.contains(name);
        let is_plain = ["open", "eval", "exec"].contains(&name)
            && !is_member
            && self.language == Language::Python;
        let is_taken = is_plain
            || is_imported
            || tables::WRITERS.holds(name)
                && (of_module || of_result || is_member && name.ends_with("Sync"))
            || tables::WRITERS_OF_MODULES.holds(name) && of_module
            || tables::OPENERS.holds(name) && (of_module || is_of(&tables::OPENING_MODULES))
            || tables::STARTERS.holds(name) && is_of(&tables::STARTING_MODULES)
            || is_member && ["write_text", "write_bytes"].contains(&name)
            || of_result && tables::METHODS_OF_PATHS.holds(name);
        is_taken.then_some(name)
    }

    /// Perl: `unlink;`, `map { unlink } …` work on what `$_` contains.
    fn is_bare(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).and_then(|it| self.tokens.get(it));
        let is_variable = matches!(before(1), Some(Token::Sign('$' | '@' | '%' | '.')));
        let is_key = matches!(before(1), Some(Token::Sign('{')))
            && self.is_sign(at + 1, '}')
            && matches!(before(2), Some(Token::Name(_)))
            && matches!(before(3), Some(Token::Sign('$' | '@' | '%' | '.')));
        let name = self.name(at).unwrap_or_default();
        tables::WRITERS.holds(name)
            && !is_variable
            && !is_key
            && matches!(
                self.tokens.get(at + 1),
                None | Some(Token::Sign(';' | '}' | ')') | Token::Line)
            )
    }

    /// `fs['unlinkSync']`, `getattr(os, 'remove')`, `vars(os)['remove']`, `\&{'POSIX::remove'}`.
    fn function_text(&self, at: usize, text: &'t str) -> Option<&'t str> {
        let name = text.rsplit("::").next().filter(|it| changes(it))?;
        let before = at.checked_sub(1)?;
        let is_found = match self.language {
            Language::Perl => text.contains("::"),
            Language::Php => {
                before > 0
                    && self.name(before - 1).is_some_and(|it| {
                        it.starts_with("array_") || it.starts_with("call_user_func")
                    })
            }
            Language::Other => false,
            _ => {
                let is_index = self.is_sign(before, '[') && self.is_sign(at + 1, ']');
                let owner = |from: usize| {
                    (from..at).any(|it| {
                        self.step().is_some()
                            && self.name(it).is_some_and(|it| {
                                self.modules.contains(it) || FINDS_MODULES.contains(&it)
                            })
                    })
                };
                let open = self.enclosing(at);
                let finder = open.and_then(|it| self.name(it.checked_sub(1)?));
                let is_argument = finder.is_some_and(|it| FINDERS.contains(&it));
                is_index && owner(at.saturating_sub(6)) || is_argument && owner(open?)
            }
        };
        is_found.then_some(name)
    }

    /// `fs[name]`, `require('fs')[name]`, `fs.promises?.[name]`: which call this is can't be known.
    fn finds_unknown(&self, at: usize) -> bool {
        if self.language != Language::JavaScript {
            return false;
        }
        let Some(open) = self.index_of_module(at) else {
            return false;
        };
        let end = self.closing(open).unwrap_or(self.tokens.len());
        match self.value(open + 1, end) {
            Some(names) => {
                let is_text = end == open + 2 && self.name(open + 1).is_none();
                !is_text && names.iter().any(|it| changes(it))
            }
            None => true,
        }
    }

    /// `x['unlink' + 'Sync'](…)`, `{['unlink' + 'Sync']: u}`: whatever `x` is, nobody puts the name
    /// of such a function together for something else.
    fn puts_name_together(&self, at: usize) -> bool {
        if self.language != Language::JavaScript || !self.is_sign(at, '[') {
            return false;
        }
        let Some(end) = self.closing(at).filter(|it| *it > at + 2) else {
            return false;
        };
        let of_files = |it: &String| changes(it) && (it.ends_with("Sync") || it.contains("File"));
        let names = self.value(at + 1, end);
        let is_used = ['(', ':', '?'].iter().any(|it| self.is_sign(end + 1, *it));
        is_used && names.is_some_and(|it| it.iter().any(of_files))
    }

    /// Returns the bracket that takes something out of the module for files at a place.
    fn index_of_module(&self, at: usize) -> Option<usize> {
        let name = self.name(at)?;
        let mut end = match name {
            "require" | "import" if self.is_sign(at + 1, '(') && self.loads_files(at + 1) => {
                self.closing(at + 1)? + 1
            }
            _ if self.modules.contains(name) || name == "child_process" => at + 1,
            _ => return None,
        };
        while matches!(self.tokens.get(end), Some(Token::Sign(')' | '?' | '.')))
            || self.name(end) == Some("promises")
        {
            end += 1;
        }
        self.is_sign(end, '[').then_some(end)
    }

    /// Returns whether the value at a place is what is called: `(os.remove)(…)`.
    fn is_called(&self, at: usize) -> bool {
        let mut end = at + 1;
        while matches!(
            self.tokens.get(end),
            Some(Token::Sign(')' | ']' | '?' | '.'))
        ) || self.is_sign(end, '[') && self.closing(end).is_some()
        {
            end = match self.tokens.get(end) {
                Some(Token::Sign('[')) => self.closing(end).unwrap_or(end) + 1,
                _ => end + 1,
            };
        }
        self.is_sign(end, '(') && self.called_by_value(end).is_some()
    }

    /// Returns the call that an expression in front of parentheses leads to, if it isn't a plain
    /// name.
    fn called_by_value(&self, open: usize) -> Option<&'t str> {
        let last = open.checked_sub(1)?;
        if !matches!(self.tokens[last], Token::Sign(')' | ']' | '.' | '?' | '}'))
            && !self.name(last).is_some_and(|it| CALLERS.contains(&it))
        {
            return None;
        }
        let mut start = last;
        loop {
            start = match &self.tokens[start] {
                Token::Sign(')' | ']' | '}') => self.opening(start)?,
                Token::Sign('.' | '?') | Token::Name(_) => start,
                _ => return None,
            };
            let Some(before) = start.checked_sub(1) else {
                break;
            };
            let goes_on = match &self.tokens[before] {
                Token::Sign('.' | '?') => true,
                Token::Sign(')' | ']') => !matches!(self.tokens[start], Token::Name(_)),
                Token::Name(word) => {
                    !matches!(self.tokens[start], Token::Name(_))
                        && ![
                            "if", "while", "for", "return", "in", "of", "switch", "and", "or",
                            "not",
                        ]
                        .contains(&word.as_str())
                }
                _ => false,
            };
            if !goes_on {
                break;
            }
            start = before;
        }
        (start..open).find_map(|it| {
            let renamed = || {
                self.name(it)
                    .and_then(|name| self.renamed.get(name).copied())
            };
            let runs_text = || {
                let name = self.name(it);
                name.filter(|it| ["Worker", "Function", "eval"].contains(it))
            };
            self.call_as_value(it).or_else(renamed).or_else(runs_text)
        })
    }

    /// Returns the parenthesis that a place is in.
    fn enclosing(&self, at: usize) -> Option<usize> {
        let mut at = at;
        loop {
            self.step()?;
            let open = self.brackets.around(at)?;
            if self.brackets.is_behind_end(at) {
                return None;
            }
            match self.tokens[open] {
                Token::Sign('(') => return Some(open),
                Token::Sign('[') => at = open,
                _ => return None,
            }
        }
    }

    /// Returns the strings that a call receives together with a function to call.
    fn given_with(&self, open: usize, at: usize) -> Option<BTreeSet<String>> {
        let close = self.closing(open)?;
        let mut all = BTreeSet::new();
        for (from, to) in self.split(open + 1, close) {
            if !(from..to).contains(&at) {
                all.extend(self.strings(from, to)?);
            }
        }
        // `['a'].forEach(fs.unlinkSync)`
        if let Some(dot) = open.checked_sub(2).filter(|it| self.is_sign(*it, '.')) {
            let end = dot.checked_sub(1)?;
            if self.is_sign(end, ']') {
                all.extend(self.strings(self.opening(end)?, end + 1)?);
            } else if self.language == Language::JavaScript {
                return None;
            }
        }
        (!all.is_empty()).then_some(all)
    }

    /// Returns all strings of lists and tuples, whose values are known.
    fn strings(&self, from: usize, to: usize) -> Option<BTreeSet<String>> {
        if let Some(known) = self.argument(from, to) {
            return Some(known);
        }
        let is_named = self.name(from).is_some() && self.is_sign(from + 1, '=');
        let from = if is_named { from + 2 } else { from };
        if matches!(self.tokens.get(from), Some(Token::Sign('[' | '(')))
            && self.closing(from) == to.checked_sub(1)
        {
            let mut all = BTreeSet::new();
            for (from, to) in self.split(from + 1, to - 1) {
                all.extend(self.strings(from, to)?);
            }
            return Some(all);
        }
        let plain = ["True", "False", "None", "null", "true", "false"];
        let is_plain = self
            .name(from)
            .is_some_and(|it| plain.contains(&it) || it.chars().all(|it| it.is_ascii_digit()));
        (is_plain && from + 1 == to).then(BTreeSet::new)
    }

    /// Returns the names to which the value here is assigned.
    fn assigned_names(&self, at: usize) -> Vec<&'t str> {
        let start = self.brackets.start(at);
        let equals = (start..at).rev().find(|it| {
            self.step().is_none()
                || self.is_sign(*it, '=')
                && !self.is_sign(it + 1, '=')
                && !self.is_sign(it + 1, '>')
                && !it.checked_sub(1).is_some_and(|it| {
                    matches!(self.tokens[it], Token::Sign('=' | '!' | '<' | '>'))
                })
                // Not the name of an argument: `key=os.remove`.
                && (self.enclosing(*it).is_none() || self.name(start) == Some("def"))
        });
        let end = equals.or_else(|| {
            let is_loop = self.name(start) == Some("for");
            let is_in = |it: &usize| matches!(self.name(*it), Some("in" | "of"));
            (start..at).find(is_in).filter(|_| is_loop)
        });
        let words = [
            "const", "let", "var", "my", "our", "local", "for", "def", "self", "this",
        ];
        let names = end.map_or(start..start, |end| start..end);
        names
            .filter_map(|it| self.name(it))
            .filter(|it| !words.contains(it))
            .collect()
    }

    /// Returns whether a name is in an import list.
    pub(super) fn imports(&self, at: usize) -> bool {
        match self.language {
            Language::Python => {
                for it in (0..at).rev() {
                    if self.step().is_none() {
                        return false;
                    }
                    match &self.tokens[it] {
                        Token::Name(word) if word == "import" => return true,
                        Token::Name(_) | Token::Sign(',' | '(') => {}
                        Token::Line => {
                            // Only inside parentheses can it span several lines.
                            let open = self.enclosing(at);
                            let before = open.and_then(|it| self.name(it.checked_sub(1)?));
                            if before != Some("import") {
                                return false;
                            }
                        }
                        _ => return false,
                    }
                }
                false
            }
            Language::JavaScript => self.import_end(at).is_some(),
            _ => false,
        }
    }

    /// `const {a, b: c} = …`, `import {a as b} from …`: the place after the list.
    fn import_end(&self, at: usize) -> Option<usize> {
        let open = (0..at).rev().find(|it| {
            self.step().is_none()
                || !matches!(
                    self.tokens[*it],
                    Token::Name(_) | Token::Line | Token::Sign(',' | ':')
                )
        })?;
        if !self.is_sign(open, '{') {
            return None;
        }
        let end = self.closing(open)? + 1;
        (self.is_sign(end, '=') && !self.is_sign(end + 1, '=') && !self.is_sign(end + 1, '>')
            || self.name(end) == Some("from"))
        .then_some(end)
    }

    /// Returns whether the import here is from a module for files or programs.
    fn import_is_of_files(&self, at: usize) -> bool {
        let is_module = |name: &str| {
            self.modules.contains(name)
                || tables::STARTING_MODULES.holds(name)
                || tables::OPENING_MODULES.holds(name)
        };
        if let Some(end) = self.import_end(at) {
            return (end..end + 7).any(|it| match self.tokens.get(it) {
                Some(Token::Name(name)) => is_module(name),
                Some(Token::Text(Some(text))) => {
                    text.contains("fs") || text.contains("child_process")
                }
                _ => false,
            });
        }
        let from = (0..at).rev().find(|it| self.name(*it) == Some("import"));
        from.and_then(|it| self.name(it.checked_sub(1)?))
            .is_some_and(is_module)
    }

    /// Returns all strings, except those passed only to calls that read.
    fn unread_strings(&self) -> BTreeSet<String> {
        // The open calls, and whether each only reads.
        let mut open: Vec<bool> = Vec::new();
        let mut found = BTreeSet::new();
        // The number of such calls before each position.
        let mut before = vec![0_usize];
        for at in 0..self.tokens.len() {
            let last = before.last().copied().unwrap_or_default();
            before.push(last + usize::from(self.call_as_value(at).is_some()));
        }
        for at in 0..self.tokens.len() {
            match &self.tokens[at] {
                Token::Sign('(') => {
                    let name = at.checked_sub(1).and_then(|it| self.name(it));
                    let reads = name
                        .is_some_and(|it| tables::READERS.holds(it) || tables::OPENERS.holds(it));
                    let close = self.closing(at).unwrap_or(self.tokens.len());
                    open.push(reads && before[close] == before[at]);
                }
                Token::Sign('[' | '{') => open.push(open.last() == Some(&true)),
                Token::Sign(')' | ']' | '}') => {
                    open.pop();
                }
                Token::Text(Some(text)) if open.last() != Some(&true) => {
                    found.insert(text.clone());
                }
                _ => {}
            }
        }
        found
    }
}

/// Returns whether a call of this name changes files, starts programs or runs text.
pub(super) fn changes(name: &str) -> bool {
    name != "promises"
        && (name == "eval"
            || [
                &tables::WRITERS,
                &tables::WRITERS_OF_MODULES,
                &tables::OPENERS,
                &tables::STARTERS,
                &tables::METHODS,
            ]
            .iter()
            .any(|it| it.holds(name)))
}
