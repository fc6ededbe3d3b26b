//! Program text inside strings, and strings that span several lines: documents, and Lua blocks.

use super::tokens::{Cutter, Language, Token, UNREAD};

/// How far in a line of a source strings in single quotes are searched.
const MAX_LINE_LENGTH: usize = 4096;

impl Cutter {
    /// Returns whether a character in a string starts an interpolation.
    pub(super) fn computes(
        &self,
        sign: char,
        next: Option<char>,
        quote: char,
        prefix: &str,
    ) -> bool {
        match (self.language, quote) {
            (Language::Python, _) => prefix.contains('f') && sign == '{' && next != Some('{'),
            (Language::JavaScript, '`') => sign == '$' && next == Some('{'),
            (Language::Perl | Language::Php, '"' | '`') => {
                matches!(sign, '$' | '@')
                    && next.is_some_and(|it| it.is_alphabetic() || it == '{' || it == '_')
                    || self.language == Language::Php && sign == '{' && next == Some('$')
            }
            (Language::Ruby, '"' | '`') => sign == '#' && next == Some('{'),
            _ => false,
        }
    }

    /// Extracts the program text from a string whose first character was read.
    pub(super) fn take_inner(&mut self, first: char) {
        if first != '{' && matches!(self.language, Language::Perl | Language::Php) {
            // `$name->{…}[…]`
            while self
                .signs
                .get(self.at)
                .is_some_and(|it| it.is_alphanumeric() || *it == '_')
            {
                self.at += 1;
            }
            if self.signs[self.at..].starts_with(&['-', '>']) {
                self.at += 2;
            }
        } else if first != '{' {
            self.at += 1;
        }
        let opens = |it: Option<&char>| matches!(it, Some('{' | '['));
        if matches!(self.language, Language::Perl | Language::Php) && first != '{' {
            while opens(self.signs.get(self.at)) {
                self.at += 1;
                self.take_code();
            }
        } else {
            self.take_code();
        }
    }

    /// Extracts program text up to its closing bracket, ignoring brackets in strings.
    fn take_code(&mut self) {
        // The open brackets and quotes.
        let mut open: Vec<char> = Vec::new();
        let start = self.at;
        while let Some(sign) = self.signs.get(self.at).copied() {
            self.at += 1;
            match (open.last().copied(), sign) {
                (_, '\\') => self.at += 1,
                (Some(quote @ ('"' | '\'' | '`')), sign) => {
                    let next = self.signs.get(self.at).copied();
                    if sign == quote {
                        open.pop();
                    } else if matches!(sign, '$' | '#') && next == Some('{') {
                        self.at += 1;
                        open.push('{');
                    }
                }
                (_, '"' | '\'' | '`' | '{' | '[' | '(') => open.push(sign),
                (None, '}' | ']') => {
                    let end = (self.at - 1).min(self.signs.len());
                    self.inner.push(self.signs[start..end].iter().collect());
                    return;
                }
                (Some(_), '}' | ']' | ')') => drop(open.pop()),
                _ => {}
            }
        }
        self.at = self.signs.len();
        self.found.push(UNREAD);
    }

    /// Reads a here-document, if one begins here: `<<X`, `<<~'X'`, `<<<X`.
    pub(super) fn document(&mut self) -> bool {
        let mark = match self.language {
            Language::Perl | Language::Ruby => 2,
            Language::Php => 3,
            _ => return false,
        };
        let rest = &self.signs[self.at..];
        if !rest.iter().take(mark).all(|it| *it == '<') || rest.len() <= mark {
            return false;
        }
        let mut at = self.at + mark;
        if matches!(self.signs[at], '~' | '-') {
            at += 1;
        } else if self.language == Language::Php {
            at += self.signs[at..].iter().take_while(|it| **it == ' ').count();
        }
        let quote = self
            .signs
            .get(at)
            .copied()
            .filter(|it| matches!(it, '"' | '\'' | '`'));
        at += usize::from(quote.is_some());
        let ends = |it: &char| match quote {
            Some(quote) => *it == quote || *it == '\n',
            None => !it.is_alphanumeric() && *it != '_',
        };
        let behind = self.signs.get(at..).unwrap_or_default();
        let length = behind.iter().position(ends).unwrap_or(behind.len());
        let tag: String = behind[..length].iter().collect();
        if tag.is_empty() || quote.is_none() && tag.starts_with(|it: char| it.is_ascii_digit()) {
            return false;
        }
        let end_of_mark = at + length + usize::from(quote.is_some());
        let begins = match self.behind_documents {
            None => self.next_line(end_of_mark),
            known => known,
        };
        let Some((body, behind)) = begins.and_then(|it| self.up_to(it, &tag)) else {
            return false;
        };
        self.at = end_of_mark;
        self.behind_documents = Some(behind);
        let is_computed = quote != Some('\'') && body.contains(['$', '@', '#']);
        if is_computed {
            self.take_all_inner(&body);
        }
        let text = (!is_computed).then_some(body);
        if quote == Some('`') {
            self.found.push(Token::Name("system".to_owned()));
            self.found.push(Token::Sign('('));
            self.found.push(Token::Text(text));
            self.found.push(Token::Sign(')'));
        } else {
            self.found.push(Token::Text(text));
        }
        true
    }

    /// Returns where the next line begins, if it isn't too far away.
    fn next_line(&mut self, from: usize) -> Option<usize> {
        let rest = self.signs.get(from..)?;
        let seen = &rest[..rest.len().min(self.left)];
        let end = seen.iter().position(|it| *it == '\n');
        let is_cut = end.is_none() && seen.len() < rest.len();
        self.left -= end.unwrap_or(seen.len());
        if is_cut {
            self.found.push(UNREAD);
        }
        end.map(|it| from + it + 1)
    }

    /// Returns the lines up to the one that ends them, and where the text continues.
    fn up_to(&mut self, from: usize, tag: &str) -> Option<(String, usize)> {
        let mut at = from;
        while at < self.signs.len() {
            let rest = &self.signs[at..];
            let length = rest.iter().position(|it| *it == '\n').unwrap_or(rest.len());
            if self.left < length {
                self.found.push(UNREAD);
                return None;
            }
            self.left -= length;
            let line: String = rest[..length].iter().collect();
            let line = line.trim();
            let is_end = line == tag
                || self.language == Language::Php
                    && line
                        .strip_prefix(tag)
                        .is_some_and(|it| !it.starts_with(|it: char| it.is_alphanumeric()));
            if is_end {
                let body = self.signs[from..at].iter().collect();
                // In PHP, the statement may continue after it.
                let behind = if self.language == Language::Php {
                    let blank = rest.iter().take_while(|it| it.is_whitespace()).count();
                    at + blank + tag.chars().count()
                } else {
                    (at + length + 1).min(self.signs.len())
                };
                return Some((body, behind));
            }
            at += length + 1;
        }
        None
    }

    /// Extracts all program text from a here-document.
    fn take_all_inner(&mut self, body: &str) {
        let mut inside = Self {
            signs: body.chars().collect(),
            at: 0,
            language: self.language,
            found: Vec::new(),
            depth: self.depth,
            inner: Vec::new(),
            behind_documents: None,
            left: self.left,
        };
        while let Some(sign) = inside.signs.get(inside.at).copied() {
            inside.at += 1;
            let next = inside.signs.get(inside.at).copied();
            if sign == '\\' {
                inside.at += 1;
            } else if inside.computes(sign, next, '"', "") {
                inside.take_inner(sign);
            }
        }
        self.inner.append(&mut inside.inner);
        self.found.append(&mut inside.found);
    }

    /// Reads a single quote in a source: it may begin a character, a string, or a lifetime. The
    /// text after it counts both as a string and as code. If neither can be decided, a quote in it
    /// makes the rest unreadable.
    pub(super) fn quote_of_source(&mut self) {
        let rest = &self.signs[self.at + 1..];
        let mut seen = rest.iter().take(MAX_LINE_LENGTH + 1);
        let line = seen.position(|it| *it == '\n');
        let line = line.unwrap_or(rest.len().min(MAX_LINE_LENGTH + 1));
        let is_escaped = rest.first() == Some(&'\\');
        let skipped = if is_escaped { 2 } else { 1 };
        let end = rest[..line.min(MAX_LINE_LENGTH)]
            .iter()
            .skip(skipped)
            .position(|it| *it == '\'')
            .map(|it| it + skipped);
        let Some(end) = end else {
            if line > MAX_LINE_LENGTH {
                self.found.push(UNREAD);
            }
            self.at += 1;
            return;
        };
        let inside: String = rest[..end].iter().collect();
        let is_letter = is_escaped || end == 1;
        let misleads = ["\"", "`", "//", "/*"].iter().any(|it| inside.contains(it));
        if misleads && !is_letter && !self.is_lifetime() {
            self.found.push(UNREAD);
        }
        self.found.push(Token::Text(Some(inside)));
        // A character literal may contain a quote.
        self.at += if is_letter { end + 2 } else { 1 };
    }

    /// Returns whether a quote begins a lifetime or a loop label, or is in a number: `<'a>`,
    /// `&'a str`, `break 'outer;`, `1'000`.
    fn is_lifetime(&self) -> bool {
        let mut before = self.signs[..self.at].iter().rev();
        let rest = &self.signs[self.at + 1..];
        let is_part = |it: &&char| it.is_alphanumeric() || **it == '_';
        let length = rest.iter().take_while(is_part).count();
        let is_in_number = matches!(
            self.found.last(),
            Some(Token::Name(name)) if name.starts_with(|it: char| it.is_ascii_digit())
        );
        if length == 0 || is_in_number && before.clone().next().is_some_and(|it| *it != ' ') {
            return length > 0;
        }
        let is_jump = matches!(
            self.found.last(),
            Some(Token::Name(name)) if name == "break" || name == "continue"
        );
        let begins = is_jump
            || before
                .find(|it| **it != ' ')
                .is_some_and(|it| "&<+:,".contains(*it));
        let behind: String = rest[length..].iter().take(8).collect();
        let is_type = |it: char| it.is_alphabetic() || "[(&*+={".contains(it);
        let ends = behind.starts_with(['>', ',', ')', ';', '+'])
            || behind
                .strip_prefix(' ')
                .is_some_and(|it| it.starts_with(is_type));
        let loops = [": loop", ": for ", ": while", ": {"];
        begins && ends || loops.iter().any(|it| behind.starts_with(it))
    }

    /// Reads a comment of Lua, or a string in long brackets; returns whether one begins here.
    pub(super) fn block(&mut self) -> bool {
        let is_comment = self.signs[self.at] == '-';
        let open = self.at + if is_comment { 2 } else { 0 };
        let rest = self.signs.get(open..).unwrap_or_default();
        let level = rest.iter().skip(1).take_while(|it| **it == '=').count();
        let is_long = rest.first() == Some(&'[') && rest.get(level + 1) == Some(&'[');
        if !is_long {
            if is_comment {
                let line = rest.iter().position(|it| *it == '\n');
                self.at = line.map_or(self.signs.len(), |it| open + it);
            }
            return is_comment;
        }
        let close: Vec<char> = std::iter::once(']')
            .chain(std::iter::repeat_n('=', level))
            .chain([']'])
            .collect();
        let begins = open + level + 2;
        let mut inside = self.signs[begins..].windows(close.len());
        let Some(length) = inside.position(|it| it == close) else {
            self.at = self.signs.len();
            self.found.push(UNREAD);
            return true;
        };
        self.at = begins + length + close.len();
        if !is_comment {
            let text: String = self.signs[begins..begins + length].iter().collect();
            self.found.push(Token::Text(Some(text)));
        }
        true
    }
}
