//! Program text of any language, split into the tokens that show which files it uses.

mod templates;

use templates::Pieces;

/// A placeholder in a path for any names below the preceding folder.
pub(super) const BELOW: char = '\u{1}';

/// A language, distinguished by its strings and comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    Tcl,
    /// A compiled language.
    Source,
    /// Everything else, including awk.
    Other,
}

impl Language {
    /// Returns the language that a program runs.
    pub(super) fn from_program(program: &str) -> Option<Self> {
        Self::from_language(hookloop_shell::Language::from_program(program)?)
    }

    /// Returns the language that the first line of a script names; `None` for a shell.
    pub(super) fn from_script(text: &str) -> Option<Self> {
        Self::from_language(hookloop_shell::Language::from_script(text)?)
    }

    const fn from_language(language: hookloop_shell::Language) -> Option<Self> {
        Some(match language {
            hookloop_shell::Language::Shell => return None,
            hookloop_shell::Language::Python => Self::Python,
            hookloop_shell::Language::JavaScript => Self::JavaScript,
            hookloop_shell::Language::Perl => Self::Perl,
            hookloop_shell::Language::Ruby => Self::Ruby,
            hookloop_shell::Language::Php => Self::Php,
            hookloop_shell::Language::Tcl => Self::Tcl,
            hookloop_shell::Language::Lua => Self::Lua,
            _ => Self::Other,
        })
    }

    const fn comments_with_hash(self) -> bool {
        !matches!(self, Self::JavaScript | Self::Lua | Self::Source)
    }

    const fn comments_with_slashes(self) -> bool {
        matches!(self, Self::JavaScript | Self::Php | Self::Source)
    }

    /// Languages in which a call needs no parentheses.
    pub(super) const fn calls_without_parentheses(self) -> bool {
        matches!(
            self,
            Self::Perl | Self::Ruby | Self::Php | Self::Lua | Self::Other
        )
    }
}

/// A piece of program text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A string; `None` if a part of it is computed.
    Text(Option<String>),
    /// A name or a number.
    Name(String),
    /// Any other sign; `.` also for `->` and `::`.
    Sign(char),
    /// The end of a line.
    Line,
}

/// Marks text that wasn't tokenised, whose effects aren't known.
pub(super) const UNREAD: Token = Token::Sign('\0');

/// How deep program text in strings is followed.
const MAX_DEPTH: usize = 8;

/// Splits a text into tokens.
pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    tokens_in(text, language, 0)
}

/// Splits a text that is nested this deep into tokens.
pub(super) fn tokens_in(text: &str, language: Language, depth: usize) -> Vec<Token> {
    if depth > MAX_DEPTH {
        return vec![UNREAD];
    }
    let mut cutter = Cutter {
        signs: text.chars().collect(),
        at: 0,
        language,
        found: Vec::new(),
        depth,
        inner: Vec::new(),
        behind_documents: None,
        left: text.len().saturating_mul(WORK_OF_SIGN) + MIN_WORK,
    };
    while cutter.at < cutter.signs.len() {
        cutter.next();
    }
    for inner in std::mem::take(&mut cutter.inner) {
        cutter.found.push(Token::Line);
        cutter.found.extend(tokens_in(&inner, language, depth + 1));
    }
    cutter.found
}

/// How many characters may be examined for each character of a text, and at least for a short one,
/// before reading stops.
const WORK_OF_SIGN: usize = 16;
const MIN_WORK: usize = 1 << 16;

pub(super) struct Cutter {
    pub(super) signs: Vec<char>,
    pub(super) at: usize,
    pub(super) language: Language,
    pub(super) found: Vec<Token>,
    pub(super) depth: usize,
    /// Program text that is in strings.
    pub(super) inner: Vec<String>,
    /// Where the text continues after the here-documents of this line.
    pub(super) behind_documents: Option<usize>,
    /// How many characters may still be examined ahead.
    pub(super) left: usize,
}

impl Cutter {
    fn sees(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(index, sign)| self.signs.get(self.at + index) == Some(&sign))
    }

    fn next(&mut self) {
        let sign = self.signs[self.at];
        let before = self.at.checked_sub(1).map(|it| self.signs[it]);
        // `$#array` of Perl isn't a comment.
        let is_length = self.language == Language::Perl && before == Some('$');
        let begins_line = before.is_none_or(|it| it == '\n');
        if self.language == Language::Perl && begins_line && sign == '=' {
            return self.documentation();
        }
        let is_comment = sign == '#' && self.language.comments_with_hash() && !is_length
            || self.sees("//") && self.language.comments_with_slashes();
        if is_comment {
            while self.signs.get(self.at).is_some_and(|it| *it != '\n') {
                self.at += 1;
            }
        } else if self.sees("/*") && self.language.comments_with_slashes() {
            while self.at < self.signs.len() && !self.sees("*/") {
                self.at += 1;
            }
            self.at += 2;
        } else if sign == '/'
            && self.begins_expression()
            && let Some(end) = self.expression()
        {
            self.found.push(Token::Text(None));
            self.at = end;
        } else if sign == '\n' {
            self.found.push(Token::Line);
            self.at = self.behind_documents.take().unwrap_or(self.at + 1);
        } else if self.is_block() || sign == '<' && self.document() {
            // The condition has consumed it.
        } else if sign.is_whitespace() {
            self.at += 1;
        } else if sign == '\'' && self.language == Language::Source {
            self.quote_of_source();
        } else if matches!(sign, '\'' | '"' | '`') {
            self.text(sign, "");
        } else if sign.is_alphanumeric() || sign == '_' {
            self.name();
        } else if self.language == Language::Ruby && self.sees("->") {
            self.found.push(Token::Name("lambda".to_owned()));
            self.at += 2;
        } else if self.sees("->") || self.sees("::") {
            self.found.push(Token::Sign('.'));
            self.at += 2;
        } else {
            self.found.push(Token::Sign(sign));
            self.at += 1;
        }
    }

    /// Reads a string or comment in Lua's long brackets; returns whether there was one.
    fn is_block(&mut self) -> bool {
        let begins = self.sees("--") || self.sees("[[") || self.sees("[=");
        self.language == Language::Lua && begins && self.block()
    }

    fn name(&mut self) {
        let start = self.at;
        while self
            .signs
            .get(self.at)
            .is_some_and(|it| it.is_alphanumeric() || *it == '_')
        {
            self.at += 1;
        }
        let name: String = self.signs[start..self.at].iter().collect();
        let next = self.signs.get(self.at).copied();
        let is_prefix = self.language == Language::Python
            && name.len() <= 2
            && name
                .to_ascii_lowercase()
                .chars()
                .all(|it| "rbfu".contains(it));
        match next {
            Some(quote @ ('\'' | '"')) if is_prefix => {
                self.text(quote, &name.to_ascii_lowercase());
            }
            Some(open) if self.language == Language::Perl && self.quotes(&name, open) => {
                self.read_operand(&name);
            }
            _ => self.found.push(Token::Name(name)),
        }
    }

    /// Reads a string from its opening quote on.
    fn text(&mut self, quote: char, prefix: &str) {
        let triple: String = [quote; 3].iter().collect();
        let has_triples = matches!(self.language, Language::Python | Language::Source);
        let is_triple = has_triples && self.sees(&triple);
        self.at += if is_triple { 3 } else { 1 };
        let keeps_escapes = prefix.contains('r')
            || quote == '\''
                && matches!(
                    self.language,
                    Language::Perl | Language::Ruby | Language::Php
                );
        let mut text = String::new();
        let mut is_computed = false;
        let mut pieces = Pieces::default();
        while let Some(sign) = self.signs.get(self.at).copied() {
            let ends = if is_triple {
                self.sees(&triple)
            } else {
                sign == quote
            };
            if ends {
                self.at += if is_triple { 3 } else { 1 };
                break;
            }
            self.at += 1;
            let next = self.signs.get(self.at).copied();
            if sign == '\\' && keeps_escapes && next != Some(quote) && next != Some('\\') {
                text.push(sign);
            } else if sign == '\\' {
                self.escape(&mut text);
            } else if self.computes(sign, next, quote, prefix) {
                is_computed = true;
                let before = self.inner.len();
                self.take_inner(sign);
                let code = self.inner.get(before).map_or("", String::as_str);
                pieces.add(&mut text, code);
            } else {
                // `{{` means a single brace.
                let is_double = prefix.contains('f') && matches!(sign, '{' | '}');
                self.at += usize::from(is_double && next == Some(sign));
                text.push(sign);
            }
        }
        if let Some(sum) = pieces.sum(&text).filter(|_| self.is_sum()) {
            self.found.extend(sum);
            return;
        }
        let text = (!is_computed).then_some(text);
        // In these languages, backticks contain a command.
        let is_command = !matches!(
            self.language,
            Language::JavaScript | Language::Python | Language::Source
        );
        if quote == '`' && is_command {
            self.found.push(Token::Name("system".to_owned()));
            self.found.push(Token::Sign('('));
            self.found.push(Token::Text(text));
            self.found.push(Token::Sign(')'));
            return;
        }
        self.found.push(Token::Text(text));
    }

    fn escape(&mut self, text: &mut String) {
        let Some(kind) = self.signs.get(self.at).copied() else {
            return;
        };
        self.at += 1;
        match kind {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '\n' => {}
            'x' => self.number(text, 16, 2),
            'u' if self.signs.get(self.at) == Some(&'{') => {
                self.at += 1;
                self.number(text, 16, 6);
                self.at += 1;
            }
            'u' => self.number(text, 16, 4),
            'U' => self.number(text, 16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.number(text, 8, 3);
            }
            other => text.push(other),
        }
    }

    fn number(&mut self, text: &mut String, radix: u32, most: usize) {
        let mut value = 0_u32;
        for _ in 0..most {
            let Some(digit) = self.signs.get(self.at).and_then(|it| it.to_digit(radix)) else {
                break;
            };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
        }
        text.extend(char::from_u32(value));
    }
}
