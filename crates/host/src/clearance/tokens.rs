//! Program text of any language, cut into the pieces that tell which files it uses.

/// Stands in a path for any names below the folder before it.
pub(super) const BELOW: char = '\u{1}';

/// A language, as far as its strings and comments differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Tcl,
    /// Everything else, awk too.
    Other,
}

impl Language {
    /// Returns the language that a program runs.
    pub(super) fn of_program(program: &str) -> Option<Self> {
        let name = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
        Some(match name {
            "python" | "pypy" => Self::Python,
            "node" | "nodejs" | "bun" | "deno" | "ts-node" | "tsx" => Self::JavaScript,
            "perl" => Self::Perl,
            "ruby" => Self::Ruby,
            "php" => Self::Php,
            "tclsh" | "wish" => Self::Tcl,
            "awk" | "gawk" | "mawk" | "nawk" | "lua" | "luajit" | "Rscript" | "julia"
            | "osascript" => Self::Other,
            _ => return None,
        })
    }

    const fn comments_with_hash(self) -> bool {
        !matches!(self, Self::JavaScript)
    }

    const fn comments_with_slashes(self) -> bool {
        matches!(self, Self::JavaScript | Self::Php)
    }

    /// Languages in which a call needs no parentheses.
    pub(super) const fn calls_without_parentheses(self) -> bool {
        matches!(self, Self::Perl | Self::Ruby | Self::Php | Self::Other)
    }
}

/// A piece of program text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A string; nothing inside where a part of it is computed.
    Text(Option<String>),
    /// A name or a number.
    Name(String),
    /// Any other sign; `.` also for `->` and `::`.
    Sign(char),
    /// The end of a line.
    Line,
}

/// Cuts a text into pieces.
pub(super) fn tokens(text: &str, language: Language) -> Vec<Token> {
    let mut cutter = Cutter {
        signs: text.chars().collect(),
        at: 0,
        language,
        found: Vec::new(),
    };
    while cutter.at < cutter.signs.len() {
        cutter.next();
    }
    cutter.found
}

pub(super) struct Cutter {
    pub(super) signs: Vec<char>,
    pub(super) at: usize,
    pub(super) language: Language,
    pub(super) found: Vec<Token>,
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
        // `$#array` of Perl is no comment.
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
        } else if sign == '/' && self.begins_expression() && self.expression().is_some() {
            let end = self.expression().unwrap_or(self.at);
            self.found.push(Token::Text(None));
            self.at = end;
        } else if sign == '\n' {
            self.found.push(Token::Line);
            self.at += 1;
        } else if sign.is_whitespace() {
            self.at += 1;
        } else if matches!(sign, '\'' | '"' | '`') {
            self.text(sign, "");
        } else if sign.is_alphanumeric() || sign == '_' {
            self.name();
        } else if self.sees("->") || self.sees("::") {
            self.found.push(Token::Sign('.'));
            self.at += 2;
        } else {
            self.found.push(Token::Sign(sign));
            self.at += 1;
        }
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
                self.quoted(&name);
            }
            _ => self.found.push(Token::Name(name)),
        }
    }

    /// Reads a string from its opening quote on.
    fn text(&mut self, quote: char, prefix: &str) {
        let triple: String = [quote; 3].iter().collect();
        let is_triple = self.language == Language::Python && self.sees(&triple);
        self.at += if is_triple { 3 } else { 1 };
        let keeps_escapes = prefix.contains('r')
            || quote == '\''
                && matches!(
                    self.language,
                    Language::Perl | Language::Ruby | Language::Php
                );
        let mut text = String::new();
        let mut is_computed = false;
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
            } else {
                is_computed |= match (self.language, quote) {
                    (Language::Python, _) => prefix.contains('f') && sign == '{',
                    (Language::JavaScript, '`') => sign == '$' && next == Some('{'),
                    (Language::Perl | Language::Php, '"') => {
                        matches!(sign, '$' | '@')
                            && next.is_some_and(|it| it.is_alphabetic() || it == '{' || it == '_')
                    }
                    (Language::Ruby, '"') => sign == '#' && next == Some('{'),
                    _ => false,
                };
                text.push(sign);
            }
        }
        let text = (!is_computed).then_some(text);
        // What stands in backticks is a command there.
        if quote == '`' && !matches!(self.language, Language::JavaScript | Language::Python) {
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
