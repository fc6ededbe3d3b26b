//! Takes a program text apart, in Python and in JavaScript.

/// A part of a program text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, a keyword or a number.
    Name(String),
    /// A plain string, without its quotes.
    Text(String),
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

/// Languages that are taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Python,
    JavaScript,
}

/// How deep code in strings may be nested.
const DEEPEST: u8 = 4;

/// Takes a text apart; nothing where a string isn't closed.
pub(super) fn tokens(text: &str, syntax: Syntax) -> Option<Vec<Token>> {
    let mut lexer = Lexer {
        rest: text,
        syntax,
        tokens: Vec::new(),
        depth: 0,
    };
    lexer.run()?;
    Some(lexer.tokens)
}

struct Lexer<'t> {
    rest: &'t str,
    syntax: Syntax,
    tokens: Vec<Token>,
    depth: u8,
}

impl Lexer<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some(sign) = self.rest.chars().next() {
            let is_python = self.syntax == Syntax::Python;
            if is_python && sign == '#' || !is_python && self.rest.starts_with("//") {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if !is_python && self.rest.starts_with("/*") {
                self.skip(self.rest.find("*/")? + 2);
            } else if is_letter(sign) {
                self.name()?;
            } else if matches!(sign, '\'' | '"') {
                self.string(false)?;
            } else if !is_python && sign == '`' {
                self.string(true)?;
            } else if !is_python && sign == '/' && self.begins_pattern() {
                self.pattern()?;
            } else {
                self.skip(sign.len_utf8());
                if sign == '\n' || !sign.is_whitespace() {
                    self.tokens.push(Token::Sign(sign));
                }
            }
        }
        Some(())
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Reads a name; in Python it may belong to a string.
    fn name(&mut self) -> Option<()> {
        let end = self.rest.find(|it| !is_letter(it));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let is_prefix = self.syntax == Syntax::Python
            && rest.starts_with(['\'', '"'])
            && name.chars().all(|it| "rRbBuUfFtT".contains(it));
        self.rest = rest;
        if is_prefix {
            return self.string(name.contains(['f', 'F', 't', 'T']));
        }
        self.tokens.push(Token::Name(name.to_owned()));
        Some(())
    }

    /// Reads a string; in some, there is code.
    fn string(&mut self, has_code: bool) -> Option<()> {
        let quote = self.rest.chars().next()?;
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let is_triple = self.syntax == Syntax::Python && self.rest.starts_with(&triple);
        let end = if is_triple { triple } else { quote.to_string() };
        self.skip(end.len());
        let mut length = 0;
        loop {
            let rest = self.rest.get(length..)?;
            if rest.starts_with(&end) {
                break;
            }
            let mut signs = rest.chars();
            length += signs.next()?.len_utf8();
            if rest.starts_with('\\') {
                length += signs.next()?.len_utf8();
            }
        }
        let text = self.rest.get(..length)?.to_owned();
        self.skip(length + end.len());
        if has_code {
            self.code_in(&text)?;
        }
        self.tokens.push(Token::Text(text));
        Some(())
    }

    /// Reads the code in a string: `{…}` in Python, `${…}` in JavaScript. Braces that stand for themselves are read as
    /// code, too, which only makes more of the text count.
    fn code_in(&mut self, text: &str) -> Option<()> {
        if self.depth == DEEPEST {
            return None;
        }
        for part in text.split('{').skip(1) {
            let mut lexer = Lexer {
                rest: part.split('}').next().unwrap_or(part),
                syntax: self.syntax,
                tokens: Vec::new(),
                depth: self.depth + 1,
            };
            lexer.run()?;
            self.tokens.push(Token::Sign('{'));
            self.tokens.append(&mut lexer.tokens);
            self.tokens.push(Token::Sign('}'));
        }
        Some(())
    }

    /// Returns whether a slash begins a regular expression: it stands where a value is expected.
    fn begins_pattern(&self) -> bool {
        match self.tokens.last() {
            Some(Token::Name(name)) => matches!(name.as_str(), "return" | "case" | "typeof"),
            Some(Token::Text(_)) => false,
            Some(Token::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
            None => true,
        }
    }

    fn pattern(&mut self) -> Option<()> {
        let mut in_class = false;
        let mut signs = self.rest.char_indices().skip(1);
        let end = loop {
            match signs.next()? {
                (_, '\\') => {
                    signs.next()?;
                }
                (_, '\n') => return None,
                (_, '[') => in_class = true,
                (_, ']') => in_class = false,
                (at, '/') if !in_class => break at,
                _ => {}
            }
        };
        self.skip(end + 1);
        let flags = self.rest.find(|it| !is_letter(it));
        self.skip(flags.unwrap_or(self.rest.len()));
        self.tokens.push(Token::Text(String::new()));
        Some(())
    }
}

fn is_letter(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '$')
}
