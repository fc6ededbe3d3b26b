//! Takes a program text in Python apart.

/// A part of a program text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, a keyword or a number.
    Name(String),
    /// A string.
    Text,
    /// Any other character, line ends included.
    Sign(char),
}

impl Token {
    pub(super) fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// Takes a text apart; nothing where a string isn't closed, has code in it, or a name has other
/// letters than ASCII's: Python takes some of them for others.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer {
        rest: text,
        tokens: Vec::new(),
    };
    lexer.run()?;
    Some(lexer.tokens)
}

struct Lexer<'t> {
    rest: &'t str,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some(sign) = self.rest.chars().next() {
            if sign == '#' {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if is_letter(sign) {
                self.name()?;
            } else if matches!(sign, '\'' | '"') {
                self.string(false)?;
            } else if sign.is_ascii() {
                self.skip(1);
                if sign == '\n' || !sign.is_ascii_whitespace() {
                    self.tokens.push(Token::Sign(sign));
                }
            } else {
                return None;
            }
        }
        Some(())
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Reads a name, which may belong to a string.
    fn name(&mut self) -> Option<()> {
        let end = self.rest.find(|it| !is_letter(it));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let is_prefix =
            rest.starts_with(['\'', '"']) && name.chars().all(|it| "rRbBuUfFtT".contains(it));
        self.rest = rest;
        if is_prefix {
            return self.string(name.contains(['f', 'F', 't', 'T']));
        }
        self.tokens.push(Token::Name(name.to_owned()));
        Some(())
    }

    /// Reads a string. Where its braces enclose code, only newer versions of Python allow its
    /// quotes inside them, so it isn't known where it ends.
    fn string(&mut self, may_have_code: bool) -> Option<()> {
        let quote = self.rest.chars().next()?;
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let is_triple = self.rest.starts_with(&triple);
        let end = if is_triple { triple } else { quote.to_string() };
        self.skip(end.len());
        loop {
            if self.rest.starts_with(&end) {
                break;
            }
            let sign = self.rest.chars().next()?;
            if may_have_code && sign == '{' {
                return None;
            }
            self.skip(sign.len_utf8());
            if sign == '\\' {
                self.skip(self.rest.chars().next()?.len_utf8());
            }
        }
        self.skip(end.len());
        self.tokens.push(Token::Text);
        Some(())
    }
}

fn is_letter(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}
