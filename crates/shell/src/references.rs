//! Makes each variable a single word of a command, whatever its value (ENV-2).
//!
//! The child has the variables in its environment too, so their values never enter the command: an
//! unquoted `$NAME` becomes `"${NAME}"`, and the shell does the rest. Pasting the value would be
//! unsafe; this isn't: a path with quotes or `$` in it stays a path.
//!
//! Except for the references, the command is copied byte for byte. That is why this code reads the
//! text and not the syntax tree.

use std::borrow::Cow;

/// Rewrites a command for `bash` or `sh`, so that references to these variables are never split.
///
/// A command that can't be followed with certainty stays as it is: the shell then expands the
/// variables in its own way, or reports what is wrong with the command.
pub fn quote_references<'c>(command: &'c str, names: &[&str]) -> Cow<'c, str> {
    if !names.iter().any(|name| command.contains(name)) {
        return Cow::Borrowed(command);
    }
    Scanner::new(command, names)
        .rewrite()
        .map_or(Cow::Borrowed(command), Cow::Owned)
}

/// Finds one of these variables at the start of a text: `$NAME` or `${NAME}`.
///
/// Returns its name and the length of the reference. `$NAME_MORE` is another variable.
pub fn reference<'n>(text: &str, names: &[&'n str]) -> Option<(&'n str, usize)> {
    let rest = text.strip_prefix('$')?;
    let (rest, closed) = match rest.strip_prefix('{') {
        Some(inner) => (inner, true),
        None => (rest, false),
    };
    let length = rest
        .find(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .unwrap_or(rest.len());
    let name = names.iter().find(|name| **name == &rest[..length])?;
    if !closed {
        return Some((name, 1 + length));
    }
    rest[length..]
        .starts_with('}')
        .then_some((*name, 3 + length))
}

/// Finds the first occurrence of a mark in a command that a quoted word can't replace, as a byte
/// offset: inside quotes, after a backslash or a dollar sign, or in backticks, `${…}`, arithmetic,
/// an index, a comment or a here-document, where quotes have another meaning. If the quoting can't
/// be followed, every occurrence counts. Returns `None` if all occurrences can be replaced.
pub fn misplaced(command: &str, mark: &str) -> Option<usize> {
    let first = command.find(mark)?;
    let mut name = "WORD".to_owned();
    while command.contains(&name) {
        name.push('_');
    }
    let reference = format!("${{{name}}}");
    let marked = command.replace(mark, &reference);
    let names = [name.as_str()];
    let mut scanner = Scanner::new(&marked, &names);
    if scanner.follow().is_none() {
        return Some(first);
    }
    let mut marks = command.match_indices(mark).enumerate();
    let misplaced = marks.find(|(number, (at, _))| {
        let in_marked = at + number * reference.len() - number * mark.len();
        let before = &command[..*at];
        let is_computed = before.contains("((") || before.ends_with('[');
        is_computed || !scanner.words.contains(&in_marked)
    });
    misplaced.map(|(_, (at, _))| at)
}

/// The context of the position that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Plain text, at the top or in `$(…)`, with this many open parentheses.
    Plain { parentheses: usize },
    /// Plain text between backticks.
    Backtick,
    /// `${…}` outside of quotes.
    Brace,
    /// `"…"`.
    Double,
    /// `${…}` inside double quotes: never split, so only its end matters.
    QuotedBrace,
}

/// A here-document whose body hasn't begun.
#[derive(Debug)]
struct HereDocument {
    delimiter: String,
    strips_tabs: bool,
}

/// Reads a command once, from the left, and writes it out again.
#[derive(Debug)]
struct Scanner<'a> {
    names: &'a [&'a str],
    command: &'a str,
    rest: &'a str,
    output: String,
    contexts: Vec<Context>,
    here_documents: Vec<HereDocument>,
    at_word_start: bool,
    /// The references that a quoted word can replace.
    words: Vec<usize>,
}

impl<'a> Scanner<'a> {
    /// Begins to read a command.
    fn new(command: &'a str, names: &'a [&'a str]) -> Self {
        Self {
            names,
            command,
            rest: command,
            output: String::with_capacity(command.len() + 16),
            contexts: vec![Context::Plain { parentheses: 0 }],
            here_documents: Vec::new(),
            at_word_start: true,
            words: Vec::new(),
        }
    }

    /// Returns the rewritten command, or `None` if its quoting couldn't be followed to the end.
    fn rewrite(mut self) -> Option<String> {
        self.follow()?;
        Some(self.output)
    }

    /// Reads the command to its end, if its quoting can be followed.
    fn follow(&mut self) -> Option<()> {
        while !self.rest.is_empty() {
            match self.contexts.last()? {
                Context::Plain { .. } | Context::Backtick | Context::Brace => self.plain()?,
                Context::Double | Context::QuotedBrace => self.quoted()?,
            }
        }
        matches!(self.contexts[..], [Context::Plain { .. }]).then_some(())
    }

    /// Returns whether quotes have the same meaning here as at the top of a command.
    fn takes_quotes(&self) -> bool {
        let through = |it: &Context| matches!(it, Context::Plain { .. } | Context::Double);
        self.contexts.iter().all(through)
    }

    fn take(&mut self, length: usize) {
        let (consumed, rest) = self.rest.split_at(length);
        self.output.push_str(consumed);
        self.rest = rest;
    }

    /// Takes a character and the next one.
    fn take_pair(&mut self) {
        let length = self.rest.chars().take(2).map(char::len_utf8).sum();
        self.take(length);
    }

    /// Enters a context after an opening sign of this many bytes.
    fn enter(&mut self, context: Context, sign: usize) {
        self.take(sign);
        self.contexts.push(context);
        self.at_word_start = true;
    }

    fn leave(&mut self) {
        self.take(1);
        self.contexts.pop();
        self.at_word_start = false;
    }

    /// Continues outside of quotes.
    fn plain(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        let began_word = std::mem::replace(&mut self.at_word_start, false);
        if began_word && self.rest.starts_with("case") && self.is_inside_quotes() {
            // Without a full parser, the `)` of its patterns can't be distinguished from that of
            // `$(`.
            return None;
        }
        match first {
            '\\' => self.take_pair(),
            '\'' => self.take(1 + self.rest[1..].find('\'')? + 1),
            '"' => self.enter(Context::Double, 1),
            '`' => self.backtick(),
            '$' => self.dollar()?,
            '}' if self.contexts.last() == Some(&Context::Brace) => self.leave(),
            '(' | ')' => self.parenthesis(first),
            '#' if began_word => self.take(self.rest.find('\n').unwrap_or(self.rest.len())),
            '<' => self.less_than()?,
            '\n' => self.new_line(),
            _ => {
                self.take(first.len_utf8());
                self.at_word_start = first.is_ascii_whitespace() || ";&|>".contains(first);
            }
        }
        Some(())
    }

    fn is_inside_quotes(&self) -> bool {
        self.contexts.contains(&Context::Double)
    }

    fn backtick(&mut self) {
        match self.contexts.last() {
            Some(Context::Backtick) => self.leave(),
            _ => self.enter(Context::Backtick, 1),
        }
    }

    fn parenthesis(&mut self, sign: char) {
        let nested = self.contexts.len() > 1;
        if let Some(Context::Plain { parentheses }) = self.contexts.last_mut() {
            match (sign, *parentheses) {
                ('(', _) => *parentheses += 1,
                (_, 0) if nested => return self.leave(),
                (_, open) => *parentheses = open.saturating_sub(1),
            }
        }
        self.take(1);
        self.at_word_start = true;
    }

    /// Reads what begins with a dollar sign outside of quotes.
    fn dollar(&mut self) -> Option<()> {
        if let Some((name, length)) = reference(self.rest, self.names) {
            if self.takes_quotes() {
                self.words.push(self.command.len() - self.rest.len());
            }
            self.output.push_str("\"${");
            self.output.push_str(name);
            self.output.push_str("}\"");
            self.rest = &self.rest[length..];
            return Some(());
        }
        match self.rest.as_bytes().get(1) {
            Some(b'\'') => {
                let end = ansi_quote_end(&self.rest[2..])?;
                self.take(2 + end);
            }
            Some(b'"') => self.enter(Context::Double, 2),
            _ => self.expansion(Context::Brace),
        }
        Some(())
    }

    /// Reads `$(…)`, `$((…))`, `${…}` and `$x`, which are the same inside and outside of quotes.
    fn expansion(&mut self, brace: Context) {
        match self.rest.as_bytes().get(1) {
            Some(b'(') => match arithmetic_length(self.rest) {
                Some(length) => self.take(length),
                None => self.enter(Context::Plain { parentheses: 0 }, 2),
            },
            Some(b'{') => {
                self.enter(brace, 2);
                // Here, `#` means the length, and doesn't start a comment.
                self.at_word_start = false;
            }
            Some(b'$' | b'#' | b'?' | b'!' | b'@' | b'*' | b'-') => self.take(2),
            _ => self.take(1),
        }
    }

    /// Continues inside double quotes.
    fn quoted(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        let in_brace = self.contexts.last() == Some(&Context::QuotedBrace);
        match first {
            '\\' => self.take_pair(),
            '"' if in_brace => self.enter(Context::Double, 1),
            '"' => self.leave(),
            '}' if in_brace => self.leave(),
            '`' => self.enter(Context::Backtick, 1),
            '$' => self.expansion(Context::QuotedBrace),
            _ => self.take(first.len_utf8()),
        }
        Some(())
    }

    /// Reads `<`, and records a here-document: the quotes in its body are text.
    fn less_than(&mut self) -> Option<()> {
        if self.rest.starts_with("<<<") || !self.rest.starts_with("<<") {
            let signs = self.rest.bytes().take_while(|byte| *byte == b'<').count();
            self.take(signs);
            self.at_word_start = true;
            return Some(());
        }
        self.take(2);
        let strips_tabs = self.rest.starts_with('-');
        let blanks = &self.rest[usize::from(strips_tabs)..];
        let blank = blanks.len() - blanks.trim_start_matches([' ', '\t']).len();
        self.take(usize::from(strips_tabs) + blank);
        let length = self
            .rest
            .find(|it: char| it.is_ascii_whitespace() || ";&|<>()".contains(it))
            .unwrap_or(self.rest.len());
        let written = &self.rest[..length];
        if written.is_empty() || written.contains(['$', '`']) {
            return None;
        }
        let delimiter = written.replace(['\'', '"', '\\'], "");
        self.here_documents.push(HereDocument {
            delimiter,
            strips_tabs,
        });
        self.take(length);
        Some(())
    }

    /// Takes the end of a line and the bodies of the here-documents that begin after it.
    fn new_line(&mut self) {
        self.take(1);
        self.at_word_start = true;
        for document in std::mem::take(&mut self.here_documents) {
            while !self.rest.is_empty() {
                let line = self.rest.split_inclusive('\n').next().unwrap_or(self.rest);
                let mut text = line.strip_suffix('\n').unwrap_or(line);
                if document.strips_tabs {
                    text = text.trim_start_matches('\t');
                }
                let is_last = text == document.delimiter;
                self.take(line.len());
                if is_last {
                    break;
                }
            }
        }
    }
}

/// Returns the length of `$'…'` after its opening characters.
fn ansi_quote_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\'' if !escaped => return Some(at + 1),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

/// Returns the length of `$((…))`, if the text begins with one: nothing is split in it.
///
/// `$((a); (b))` is a command: there the second parenthesis closes before the end.
fn arithmetic_length(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("$((")?;
    let mut open = 0_usize;
    for (at, character) in inner.char_indices() {
        match character {
            '(' => open += 1,
            ')' if open == 0 => {
                return inner[at..].starts_with("))").then_some(3 + at + 2);
            }
            ')' => open -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
