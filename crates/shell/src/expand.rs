//! Expands words as the shell does: quotes, variables, substitutions, braces.

mod braces;
mod builder;
mod parameter;

use crate::flow::{FIRST_SUBSTITUTION, Stream};
use crate::scope::Scope;
use crate::simple::join_fields;
use crate::syntax::{self, Node, NodeKind};
use crate::understood::{Assignment, Word};
use crate::walk::Walker;

use braces::expand_braces;
use builder::{Builder, Tildes};

/// The maximum length of a substitution that stays in a word as written.
const MAX_WRITTEN_LENGTH: usize = 200;

impl Walker {
    /// Expands a word into those that the command gets.
    pub(crate) fn expand(&mut self, node: &Node, scope: &mut Scope<'_>) -> Vec<Word> {
        self.expand_as(node, scope, Tildes::AtStart)
    }

    /// Expands a word that is never split: a redirect's target, the subject of `case`.
    pub(crate) fn expand_one(&mut self, node: &Node, scope: &mut Scope<'_>) -> Word {
        join_fields(self.expand(node, scope))
    }

    fn expand_as(&mut self, node: &Node, scope: &mut Scope<'_>, tildes: Tildes) -> Vec<Word> {
        if self.is_full() {
            return vec![Word::default()];
        }
        let words = self.within(|it| it.expand_within(node, scope, tildes));
        let length: usize = words.iter().map(|it| it.text.len()).sum();
        self.work = self.work.saturating_add(words.len() + length / 64);
        words
    }

    fn expand_within(&mut self, node: &Node, scope: &mut Scope<'_>, tildes: Tildes) -> Vec<Word> {
        let NodeKind::Word { value, parts, .. } = &node.kind else {
            return self.expand_other(node, scope);
        };
        if let [
            Node {
                kind: NodeKind::WordLiteral { value: literal },
                ..
            },
        ] = &parts[..]
            && tildes == Tildes::AtStart
            && is_plain(literal)
        {
            return vec![Word::plain(literal.as_str())];
        }
        if value.contains('`')
            && value.contains('\\')
            && let Some(modern) = syntax::modern_backticks(value).filter(|it| it != value)
            && let Some(node) = syntax::parse_word(&modern)
        {
            return self.expand_as(&node, scope, tildes);
        }
        let has_braces = parts
            .iter()
            .any(|part| matches!(part.kind, NodeKind::BraceExpansion { .. }));
        if has_braces && tildes == Tildes::AtStart {
            return self.expand_braced(value, scope);
        }
        let mut builder = Builder::new(tildes, scope.value("IFS"));
        for part in parts {
            self.expand_part(part, value, &mut builder, scope);
        }
        let mut words = builder.finish();
        if scope.other_patterns {
            for word in words.iter_mut().filter(|it| is_other_pattern(it)) {
                word.known = false;
            }
        }
        words
    }

    fn expand_braced(&mut self, value: &str, scope: &mut Scope<'_>) -> Vec<Word> {
        let mut words = Vec::new();
        let Some(texts) = expand_braces(value) else {
            // What the words would run isn't examined.
            if ["$", "`", "<(", ">("].iter().any(|it| value.contains(it)) {
                self.note_opaque(crate::OpaqueReason::TooDeep, value);
            }
            return vec![Word {
                text: value.to_owned(),
                ..Word::default()
            }];
        };
        for text in texts {
            // Each is parsed once more.
            if self.is_spent(4) {
                return vec![Word::default()];
            }
            match syntax::parse_word(&text).map(|node| node.kind) {
                Some(NodeKind::Word { value, parts, .. }) => {
                    let mut builder = Builder::new(Tildes::AtStart, scope.value("IFS"));
                    for part in &parts {
                        self.expand_part(part, &value, &mut builder, scope);
                    }
                    words.extend(builder.finish());
                }
                _ => words.push(Word {
                    text,
                    ..Word::default()
                }),
            }
        }
        words
    }

    /// Expands nodes that are in the place of a word but aren't one: terms of `[[ … ]]`.
    fn expand_other(&mut self, node: &Node, scope: &mut Scope<'_>) -> Vec<Word> {
        match &node.kind {
            NodeKind::CondTerm { value, .. } => match syntax::parse_word(value) {
                Some(word) => self.expand(&word, scope),
                None => vec![self.expand_quoted(value, scope)],
            },
            _ => Vec::new(),
        }
    }

    /// Expands a text in which `$` has a meaning and quotes don't.
    pub(crate) fn expand_quoted(&mut self, text: &str, scope: &mut Scope<'_>) -> Word {
        if !text.contains(['$', '`', '\\']) {
            return Word::plain(text);
        }
        if let Some(node) = syntax::parse_quoted(text) {
            join_fields(self.expand_as(&node, scope, Tildes::Never))
        } else {
            self.note_opaque(crate::OpaqueReason::Unreadable, text);
            Word {
                text: text.to_owned(),
                ..Word::default()
            }
        }
    }

    fn expand_part(
        &mut self,
        part: &Node,
        raw: &str,
        builder: &mut Builder,
        scope: &mut Scope<'_>,
    ) {
        match &part.kind {
            NodeKind::WordLiteral { value } => {
                // The older form of arithmetic.
                if value.contains("$[") {
                    self.expand_arithmetic(value, scope);
                }
                let home = scope.home();
                let folder = scope.folder().map(str::to_owned);
                builder.literal(value, home.as_deref(), folder.as_deref());
            }
            NodeKind::AnsiCQuote { decoded, .. } => builder.push_quoted(decoded),
            NodeKind::LocaleString { inner, .. } => {
                let word = self.expand_quoted(inner, scope);
                builder.quoted_word(&word);
            }
            NodeKind::ParamExpansion { param, op, arg } => {
                let op = op.as_deref().zip(arg.as_deref().or(Some("")));
                self.expand_parameter(param, op, builder, scope);
            }
            NodeKind::ParamLength { param } => builder.push_unknown(&format!("${{#{param}}}")),
            NodeKind::ParamIndirect { param, op, arg } => {
                let op = op.as_deref().zip(arg.as_deref().or(Some("")));
                match scope.value(param).filter(|name| !name.is_empty()) {
                    Some(name) => self.expand_parameter(&name, op, builder, scope),
                    None => builder.push_unknown(&format!("${{!{param}}}")),
                }
            }
            NodeKind::CommandSubstitution { command, .. } => {
                let mut inner = scope.clone();
                let read = read_alone(command);
                match self.in_own_shell(&mut inner, |it, inner| {
                    let printed = it.list(command, inner, &Stream::Inherited);
                    let Some(file) = read else {
                        return printed;
                    };
                    let file = it.expand_one(file, inner);
                    match it.read_from(&file, inner) {
                        Stream::File(name) => Stream::Output(name),
                        read => read,
                    }
                }) {
                    Stream::Text(text) => builder.value(text.trim_end_matches('\n')),
                    Stream::Names(names) if builder.is_split() || names.len() == 1 => {
                        builder.names(&names);
                    }
                    _ => builder.push_unknown(sole_substitution(raw).as_deref().unwrap_or("$(…)")),
                }
            }
            NodeKind::ProcessSubstitution { command, direction } => {
                let number = self.substitute(command, direction.contains('>'), scope);
                builder.push_quoted(&format!("/dev/fd/{number}"));
            }
            NodeKind::ArithmeticExpansion { expression } => {
                match expression {
                    Some(_) => self.evaluates(raw),
                    None => self.expand_arithmetic(raw, scope),
                }
                match expression.as_deref().map(|it| &it.kind) {
                    Some(NodeKind::ArithNumber { value }) => builder.value(value),
                    _ => builder.push_unknown("$((…))"),
                }
            }
            NodeKind::BraceExpansion { content } => builder.literal(content, None, None),
            NodeKind::Array { elements } => {
                for element in elements {
                    for word in self.expand(element, scope) {
                        builder.quoted_word(&word);
                    }
                }
            }
            _ => builder.push_unknown("$?"),
        }
    }

    /// Walks the process of `<(…)` or `>(…)`; returns the descriptor that stands for it.
    fn substitute(&mut self, command: &Node, is_written: bool, scope: &Scope<'_>) -> usize {
        // What is written to it isn't known here.
        let given = if is_written {
            Stream::Output(">(…)".to_owned())
        } else {
            Stream::Inherited
        };
        let output = self.in_own_shell(&mut scope.clone(), |it, inner| {
            it.list(command, inner, &given)
        });
        let number = FIRST_SUBSTITUTION + self.substitutions.len();
        self.substitutions.push(output);
        number
    }

    /// Runs the substitutions inside arithmetic, whose value is a number whatever they print.
    pub(crate) fn expand_arithmetic(&mut self, raw: &str, scope: &mut Scope<'_>) {
        self.evaluates(raw);
        for name in names_set(raw) {
            scope.set(name, None);
        }
        // The value of a name may be arithmetic that sets another one.
        scope.numbers_set |= raw.contains(|it: char| it.is_alphabetic() || it == '$');
        let mut rest = raw;
        while let Some(at) = rest.find("$(").or_else(|| rest.find('`')) {
            rest = &rest[at..];
            if let Some(inner) = rest.strip_prefix("$((") {
                rest = inner;
                continue;
            }
            let length = match rest.strip_prefix('`') {
                Some(inner) => syntax::end_of_backticks(inner).map(|end| end + 2),
                None => syntax::balanced(rest, 1),
            };
            let Some(length) = length else {
                self.note_opaque(crate::OpaqueReason::Unreadable, raw);
                return;
            };
            let substitution = &rest[..length];
            self.expand_quoted(substitution, scope);
            rest = &rest[length..];
        }
    }

    /// Expands an assignment in front of a command, and of builtins such as `export`.
    pub(crate) fn expand_assignment(
        &mut self,
        node: &Node,
        scope: &mut Scope<'_>,
    ) -> Option<(Assignment, Option<Vec<Word>>)> {
        let NodeKind::Word { value, .. } = &node.kind else {
            return None;
        };
        let (name, text) = value.split_once('=')?;
        if let Some(inner) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
            let appends = name.ends_with('+');
            let name = name.trim_end_matches('+').to_owned();
            // `a+=(x)` keeps the existing elements; a plain variable is the first one.
            let mut elements = match scope.arrays.get(&name).filter(|_| appends) {
                Some(before) => before.clone(),
                None if appends && scope.assigned_value(&name).is_some() => {
                    let before = scope.value(&name);
                    vec![Word {
                        known: before.is_some(),
                        ..Word::plain(before.unwrap_or_default())
                    }]
                }
                None => Vec::new(),
            };
            elements.extend(self.expand_elements(inner, scope));
            let value = Word::plain(String::new());
            return Some((Assignment { name, value }, Some(elements)));
        }
        let appends = name.ends_with('+');
        let name = name.trim_end_matches('+').to_owned();
        let whole = join_fields(self.expand_as(node, scope, Tildes::InAssignment));
        let mut word = whole;
        word.text = word
            .text
            .split_once('=')
            .map(|(_, value)| value.to_owned())
            .unwrap_or_default();
        if appends {
            match scope.value(&name) {
                Some(before) => word.text.insert_str(0, &before),
                None => word.known = false,
            }
        }
        Some((Assignment { name, value: word }, None))
    }

    fn expand_elements(&mut self, inner: &str, scope: &mut Scope<'_>) -> Vec<Word> {
        let line = inner.replace('\n', " ");
        let Some(nodes) = syntax::parse(&format!("x {line}")) else {
            self.note_opaque(crate::OpaqueReason::Unreadable, inner);
            return Vec::new();
        };
        let mut elements = Vec::new();
        for node in &nodes {
            if let NodeKind::Command { words, .. } = &node.kind {
                for word in words.iter().skip(1) {
                    elements.extend(self.expand(word, scope));
                }
            }
        }
        elements
    }
}

/// Returns the names that arithmetic sets: `x = 1`, `x += 1`, `x++`.
fn names_set(raw: &str) -> impl Iterator<Item = &str> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let begins = move |at: &usize| {
        let before = raw[..*at].chars().next_back();
        raw[*at..].starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && !before.is_some_and(is_part)
    };
    let places = raw.char_indices().map(|(at, _)| at).filter(begins);
    places.filter_map(move |at| {
        let length = raw[at..].find(|it| !is_part(it));
        let (name, behind) = raw[at..].split_at(length.unwrap_or(raw.len() - at));
        let before = raw[..at].trim_end();
        let behind = match behind.strip_prefix('[') {
            Some(inside) => inside.split_once(']').map_or("", |(_, behind)| behind),
            None => behind,
        };
        let behind = behind.trim_start();
        let operators = [
            "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|=",
        ];
        let is_given = operators.iter().any(|it| {
            let rest = behind.strip_prefix(it);
            rest.is_some_and(|rest| *it != "=" || !rest.starts_with('='))
        });
        let counts = |text: &str| text.starts_with("++") || text.starts_with("--");
        let is_counted = counts(behind) || before.ends_with("++") || before.ends_with("--");
        (is_given || is_counted).then_some(name)
    })
}

/// Returns the substitution of a word that consists of nothing else, as written; in the new form,
/// whatever it contains.
fn sole_substitution(raw: &str) -> Option<String> {
    let at = raw.find("$(").into_iter().chain(raw.find('`')).min()?;
    let text = &raw[at..];
    let length = match text.strip_prefix('`') {
        Some(inner) => syntax::end_of_backticks(inner)? + 2,
        None => syntax::balanced(text, 1)?,
    };
    let (alone, behind) = text.split_at(length);
    let is_alone = !behind.contains("$(") && !behind.contains('`');
    let written = if alone.starts_with('`') {
        format!("$({})", &alone[1..length - 1])
    } else {
        alone.to_owned()
    };
    (is_alone && written.len() <= MAX_WRITTEN_LENGTH).then_some(written)
}

/// Returns the file of `$(< file)`, whose content replaces it.
fn read_alone(node: &Node) -> Option<&Node> {
    match &node.kind {
        NodeKind::List { items } => match &items[..] {
            [only] => read_alone(&only.command),
            _ => None,
        },
        NodeKind::Pipeline { commands, .. } => match &commands[..] {
            [only] => read_alone(only),
            _ => None,
        },
        NodeKind::Command {
            assignments,
            words,
            redirects,
        } if assignments.is_empty() && words.is_empty() => match &redirects[..] {
            [
                Node {
                    kind: NodeKind::Redirect { op, target, fd, .. },
                    ..
                },
            ] if op == "<" && *fd <= 0 => Some(target),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether a word is a pattern, including those of `extglob`.
fn is_other_pattern(word: &Word) -> bool {
    let extended = ["@(", "+(", "!(", "?(", "*("];
    word.pattern || !word.quoted && extended.iter().any(|it| word.text.contains(it))
}

/// Returns whether a literal contains nothing that a shell would remove or replace.
fn is_plain(literal: &str) -> bool {
    let has_tilde = literal.starts_with('~') || literal.contains("=~");
    !has_tilde && !literal.contains(['\'', '"', '\\', '*', '?', '[', '('])
}
