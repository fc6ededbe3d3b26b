//! The statements of a program text, with the names and strings in them.

use crate::resolve::calls::Tongue;

/// How many statements of one text are examined.
const MAX_STATEMENTS: usize = 4096;

/// Something in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name.
    Name(String),
    /// The content of a string.
    Text(String),
    /// Any other sign.
    Sign(char),
}

/// One statement.
#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    /// How far its line is indented; what follows a brace in the same line counts as deeper.
    pub(super) indent: usize,
    /// As it is written.
    pub(super) text: String,
    /// What it is made of.
    pub(super) tokens: Vec<Token>,
}

impl Statement {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(|it| match it {
            Token::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns the names that it gives a value, or that go through what it names.
    pub(super) fn assigned(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let Token::Name(name) = token else { continue };
            let behind = self.tokens.get(at + 1);
            let is_followed_by = |sign| behind == Some(&Token::Sign(sign));
            let after = self.tokens.get(at + 2);
            let is_value = is_followed_by('=')
                && !matches!(after, Some(Token::Sign('=' | '~' | '>')))
                || is_followed_by(':')
                    && self.tokens[at + 1..].contains(&Token::Sign('='))
                    && self.tokens.first() == Some(token);
            let is_listed = is_followed_by(',') || is_followed_by(')') || is_followed_by(']');
            let is_target = is_listed && self.is_before_assignment(at);
            let is_loop = matches!(behind, Some(Token::Name(it)) if it == "in" || it == "of")
                || is_listed && self.is_loop_target(at);
            let is_alias = matches!(at.checked_sub(1).map(|it| &self.tokens[it]),
                Some(Token::Name(it)) if it == "as");
            let is_each =
                matches!(self.tokens.first(), Some(Token::Name(it)) if it == "foreach") && at <= 3;
            if is_value || is_target || is_loop || is_alias || is_each {
                found.push(name.as_str());
            }
        }
        found
    }

    fn is_before_assignment(&self, at: usize) -> bool {
        let head = self.tokens.iter().take_while(|it| **it != Token::Sign('='));
        let head: Vec<&Token> = head.collect();
        let plain = |it: &&Token| {
            matches!(
                it,
                Token::Name(_) | Token::Sign(',' | '(' | ')' | '[' | ']')
            )
        };
        at < head.len() && head.len() < self.tokens.len() && head.iter().all(plain)
    }

    fn is_loop_target(&self, at: usize) -> bool {
        let is_in = |it: &Token| matches!(it, Token::Name(it) if it == "in" || it == "of");
        let starts = matches!(self.tokens.first(), Some(Token::Name(it)) if it == "for");
        starts && self.tokens.iter().position(is_in).is_some_and(|it| at < it)
    }

    /// Returns the text that it gives a name, if it does nothing else: `NAME = "text"`.
    pub(super) fn constant(&self) -> Option<(&str, &str)> {
        let mut tokens = self.tokens.iter().filter(
            |it| !matches!(it, Token::Name(it) if ["const", "let", "var", "my", "our"].contains(&it.as_str())),
        );
        match (
            tokens.next()?,
            tokens.next()?,
            tokens.next()?,
            tokens.next(),
        ) {
            (
                Token::Name(name),
                Token::Sign('='),
                Token::Text(text),
                None | Some(Token::Sign(';')),
            ) => Some((name, text)),
            _ => None,
        }
    }

    /// Returns the function that it begins, with the names of its parameters.
    pub(super) fn function(&self) -> Option<(&str, Vec<&str>)> {
        let begins = self
            .names()
            .position(|it| ["def", "function", "sub"].contains(&it));
        let names: Vec<&str> = self.names().collect();
        let at = match begins {
            Some(at) => at + 1,
            None if self.text.contains("=>") || self.text.contains("lambda") => usize::from(
                names
                    .first()
                    .is_some_and(|it| ["const", "let", "var"].contains(it)),
            ),
            None => return None,
        };
        let name = names.get(at)?;
        Some((name, names[at + 1..].iter().take(8).copied().collect()))
    }
}

/// Splits a text into statements.
pub(super) fn statements(text: &str, tongue: Tongue) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut now = Statement::default();
    let mut open: Vec<char> = Vec::new();
    let signs: Vec<char> = text.chars().collect();
    let mut at = 0;
    let mut indent = 0;
    let mut is_start = true;
    while at < signs.len() && found.len() < MAX_STATEMENTS {
        let sign = signs[at];
        let is_inside = open.last().is_some_and(|it| *it != '{');
        let ends = !is_inside && (sign == '\n' || sign == ';');
        if is_start && (sign == ' ' || sign == '\t') {
            indent += 1;
        } else if is_start && sign != '\n' {
            is_start = false;
            if now.tokens.is_empty() {
                now.indent = indent;
            }
        }
        if sign == '\n' {
            is_start = true;
            indent = 0;
        }
        if ends {
            finish(&mut now, &mut found, indent);
            at += 1;
            continue;
        }
        if begins_comment(&signs, at, tongue) {
            at = end_of_line(&signs, at);
            continue;
        }
        match sign {
            '"' | '\'' | '`' => {
                let (text, end) = string(&signs, at);
                now.text.extend(&signs[at..end]);
                now.tokens.push(Token::Text(text));
                at = end;
                continue;
            }
            '\\' if signs.get(at + 1) == Some(&'\n') => at += 1,
            '{' if tongue != Tongue::Python && !is_value(&now) => {
                open.push('{');
                finish(&mut now, &mut found, indent + 1);
            }
            '(' | '[' | '{' => {
                open.push('(');
                now.tokens.push(Token::Sign(sign));
            }
            ')' | ']' | '}' => {
                if open.pop() == Some('{') {
                    finish(&mut now, &mut found, indent);
                } else {
                    now.tokens.push(Token::Sign(sign));
                }
            }
            _ if sign.is_alphanumeric() || sign == '_' => {
                let end = end_of_name(&signs, at);
                now.text.extend(&signs[at..end]);
                let name: String = signs[at..end].iter().collect();
                // Letters in front of a string belong to it.
                let is_prefix = end - at <= 2
                    && matches!(signs.get(end), Some('"' | '\''))
                    && tongue == Tongue::Python;
                if !is_prefix {
                    now.tokens.push(Token::Name(name));
                }
                at = end;
                continue;
            }
            _ if sign.is_whitespace() || sign == '$' || sign == '@' => {}
            _ => now.tokens.push(Token::Sign(sign)),
        }
        now.text.push(if sign == '\n' { ' ' } else { sign });
        at += 1;
    }
    finish(&mut now, &mut found, 0);
    found
}

fn end_of_line(signs: &[char], at: usize) -> usize {
    let rest = signs[at..].iter();
    at + rest.take_while(|it| **it != '\n').count()
}

fn begins_comment(signs: &[char], at: usize, tongue: Tongue) -> bool {
    match tongue {
        Tongue::JavaScript => signs[at] == '/' && signs.get(at + 1) == Some(&'/'),
        // `$#list` isn't one.
        _ => signs[at] == '#' && at.checked_sub(1).is_none_or(|it| signs[it] != '$'),
    }
}

fn end_of_name(signs: &[char], at: usize) -> usize {
    let is_part = |it: &char| it.is_alphanumeric() || *it == '_';
    let length = signs[at..].iter().take_while(|it| is_part(it)).count();
    at + length
}

/// Returns whether a brace behind this begins a value, and not a block.
fn is_value(statement: &Statement) -> bool {
    const WORDS: [&str; 6] = ["return", "import", "export", "const", "let", "var"];
    let last = statement.text.trim_end().chars().next_back();
    let word = statement.text.split_whitespace().next_back();
    matches!(last, Some('=' | '(' | ',' | '[' | ':' | '?' | '$'))
        || word.is_some_and(|it| WORDS.contains(&it))
}

fn finish(now: &mut Statement, found: &mut Vec<Statement>, indent: usize) {
    let next = Statement {
        indent,
        ..Statement::default()
    };
    let done = std::mem::replace(now, next);
    if !done.tokens.is_empty() {
        found.push(done);
    }
}

/// Returns the content of the string that begins at a quote, and where it ends.
fn string(signs: &[char], start: usize) -> (String, usize) {
    let quote = signs[start];
    let is_quote = |at: usize| signs.get(at) == Some(&quote);
    let width = if quote != '`' && is_quote(start + 1) && is_quote(start + 2) {
        3
    } else {
        1
    };
    let mut text = String::new();
    let mut at = start + width;
    while at < signs.len() {
        if signs[at] == '\\' {
            text.extend(signs.get(at + 1));
            at += 2;
        } else if (0..width).all(|it| is_quote(at + it)) {
            return (text, at + width);
        } else if signs[at] == '\n' && width == 1 && quote != '`' {
            // It isn't a string.
            return (text, at);
        } else {
            text.push(signs[at]);
            at += 1;
        }
    }
    (text, signs.len())
}
