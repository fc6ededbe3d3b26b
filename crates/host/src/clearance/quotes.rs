//! Quotes of particular languages: regular expressions between slashes, and Perl's quote operators.

use super::tokens::{Cutter, Language, Token, UNREAD, tokens_in};

impl Cutter {
    /// Skips Perl documentation, up to `=cut`.
    pub(super) fn documentation(&mut self) {
        loop {
            let rest = &self.signs[self.at..];
            let ends = rest.starts_with(&['=', 'c', 'u', 't']);
            let line = rest.iter().position(|it| *it == '\n');
            self.at = line.map_or(self.signs.len(), |it| self.at + it + 1);
            if ends || line.is_none() {
                return;
            }
        }
    }

    /// Returns whether a slash starts a regular expression here: what precedes it can't be divided.
    pub(super) fn begins_expression(&self) -> bool {
        const WORDS: [&str; 20] = [
            "return", "typeof", "case", "in", "of", "and", "or", "not", "if", "unless", "split",
            "grep", "while", "until", "map", "when", "delete", "void", "throw", "yield",
        ];
        if !matches!(
            self.language,
            Language::JavaScript | Language::Perl | Language::Ruby | Language::Other
        ) {
            return false;
        }
        match self.found.last() {
            None | Some(Token::Line) => true,
            Some(Token::Name(name)) => WORDS.contains(&name.as_str()),
            Some(Token::Sign(sign)) => !matches!(sign, ')' | ']' | '}' | '$' | '.'),
            Some(Token::Text(_)) => false,
        }
    }

    /// Returns the end of a regular expression, if it ends on the same line.
    pub(super) fn expression(&mut self) -> Option<usize> {
        let mut is_class = false;
        let mut at = self.at + 1;
        loop {
            let Some(left) = self.left.checked_sub(1) else {
                self.found.push(UNREAD);
                return None;
            };
            self.left = left;
            match self.signs.get(at)? {
                '\n' => return None,
                '\\' => at += 1,
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => break,
                _ => {}
            }
            at += 1;
        }
        let flags = self.signs[at + 1..].iter();
        Some(at + 1 + flags.take_while(|it| it.is_alphanumeric()).count())
    }

    /// Returns whether a name is a Perl quote operator here.
    pub(super) fn quotes(&self, name: &str, open: char) -> bool {
        let is_name = match self.found.last() {
            // `$s{…}`, `->m(…)`, `{s}`
            Some(Token::Sign('$' | '@' | '%' | '&' | '.')) => true,
            Some(Token::Sign('{')) => open == '}',
            Some(Token::Name(word)) => word == "sub",
            _ => false,
        };
        let next = self.signs.get(self.at + 1);
        let is_comma = open == '=' && next == Some(&'>');
        ["q", "qq", "qw", "qx", "qr", "m", "s", "tr", "y"].contains(&name)
            && !is_name
            && !is_comma
            && !open.is_alphanumeric()
            && !open.is_whitespace()
            && !matches!(open, '_' | ',' | ';' | ')' | ']' | '}' | '>')
    }

    /// Reads the operand of a quote operator.
    pub(super) fn read_operand(&mut self, name: &str) {
        let open = self.signs[self.at];
        let first = self.section();
        match name {
            "q" => self.found.push(Token::Text(Some(first))),
            "qq" => {
                let is_plain = !first.contains(['$', '@']);
                self.found.push(Token::Text(is_plain.then_some(first)));
            }
            "qw" => {
                self.found.push(Token::Sign('('));
                for word in first.split_whitespace() {
                    self.found.push(Token::Text(Some(word.to_owned())));
                    self.found.push(Token::Sign(','));
                }
                self.found.push(Token::Sign(')'));
            }
            "qx" => {
                let is_plain = !first.contains(['$', '@']);
                self.add_call("system", is_plain.then_some(first));
            }
            "s" | "tr" | "y" => {
                if "([{<".contains(open) {
                    while self.signs.get(self.at).is_some_and(|it| it.is_whitespace()) {
                        self.at += 1;
                    }
                } else {
                    self.at -= 1;
                }
                let second = self.section();
                let flags = self.flags();
                self.found.push(Token::Text(None));
                match flags.chars().filter(|it| *it == 'e').count() {
                    _ if name != "s" => {}
                    0 => {}
                    1 => {
                        self.found.push(Token::Sign(';'));
                        let depth = self.depth + 1;
                        self.found.extend(tokens_in(&second, Language::Perl, depth));
                        self.found.push(Token::Sign(';'));
                    }
                    _ => self.add_call("eval", None),
                }
            }
            _ => {
                self.flags();
                self.found.push(Token::Text(None));
            }
        }
    }

    fn add_call(&mut self, name: &str, text: Option<String>) {
        self.found.push(Token::Sign(';'));
        self.found.push(Token::Name(name.to_owned()));
        self.found.push(Token::Sign('('));
        self.found.push(Token::Text(text));
        self.found.push(Token::Sign(')'));
    }

    fn flags(&mut self) -> String {
        let rest = self.signs[self.at.min(self.signs.len())..].iter();
        let flags: String = rest.take_while(|it| it.is_alphabetic()).collect();
        self.at += flags.len();
        flags
    }

    /// Reads from an opening delimiter to the closing one.
    fn section(&mut self) -> String {
        let Some(open) = self.signs.get(self.at).copied() else {
            return String::new();
        };
        let close = match open {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            other => other,
        };
        let mut inside = String::new();
        let mut depth = 1_usize;
        self.at += 1;
        while let Some(sign) = self.signs.get(self.at).copied() {
            self.at += 1;
            if sign == '\\' {
                let next = self.signs.get(self.at).copied();
                if next != Some(open) && next != Some(close) {
                    inside.push(sign);
                }
                inside.extend(next);
                self.at += 1;
                continue;
            }
            if sign == close {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            } else if sign == open {
                depth += 1;
            }
            inside.push(sign);
        }
        inside
    }
}
