//! Names that get their values in other ways than `name = value`. The values of such names aren't
//! followed.

use super::tokens::{Language, Token};
use super::values::Reader;

/// Characters between a name and the `=` of a compound assignment: `+=`, `||=`, `>>>=`.
const CHANGE: &str = "+-*/%@&|^.?<>~:";

/// Keywords that may be among the names of a binding.
const WORDS: [&str; 28] = [
    "as", "async", "await", "case", "class", "const", "def", "do", "else", "except", "fn", "for",
    "from", "function", "global", "if", "import", "in", "lambda", "let", "local", "my", "nonlocal",
    "of", "our", "static", "use", "var",
];

/// Calls that write into variables passed to them.
const FILL: [&str; 30] = [
    "chop",
    "chomp",
    "substr",
    "read",
    "sysread",
    "recv",
    "vec",
    "preg_match",
    "preg_match_all",
    "parse_str",
    "settype",
    "sscanf",
    "exec",
    "passthru",
    "list",
    "split",
    "patsplit",
    "sub",
    "gsub",
    "match",
    "getline",
    "array_push",
    "str_replace",
    "array_walk",
    "sprintf",
    "lc",
    "pos",
    "local",
    "openssl_sign",
    "fscanf",
];

/// Ruby methods that change their string.
const CHANGING_METHODS: [&str; 8] = [
    "concat",
    "replace",
    "insert",
    "prepend",
    "clear",
    "setbyte",
    "append_as_bytes",
    "slice",
];

impl<'t> Reader<'t> {
    /// Returns the names whose values aren't followed, because something other than an assignment
    /// sets them.
    pub(super) fn unfollowed_names(&self) -> Vec<&'t str> {
        let mut found: Vec<&'t str> = Vec::new();
        if self.language == Language::Perl {
            found.push("_");
        }
        for at in 0..self.tokens.len() {
            if self.step().is_none() {
                break;
            }
            match &self.tokens[at] {
                Token::Name(name) => self.bound_at_name(at, name, &mut found),
                Token::Sign('=') => self.bound_by_list(at, &mut found),
                Token::Sign('|') if self.language == Language::Ruby => {
                    let begins = at
                        .checked_sub(1)
                        .is_some_and(|it| self.is_sign(it, '{') || self.name(it) == Some("do"));
                    if begins {
                        let end = (at + 1..self.tokens.len())
                            .find(|it| self.step().is_none() || self.is_sign(*it, '|'));
                        self.names_between(at + 1, end.unwrap_or(at + 1), &mut found);
                    }
                }
                Token::Sign('{') => self.bound_by_body(at, &mut found),
                _ => {}
            }
        }
        for argument in self
            .arguments
            .iter()
            .filter(|_| self.language == Language::Other)
        {
            // awk takes variables as arguments.
            let name = argument.split_once('=').map(|(name, _)| name);
            let name = name.and_then(|name| self.find_name(name));
            found.extend(name);
        }
        found
    }

    /// Returns whether a text assigns to computed names.
    pub(super) fn binds_unknown(&self) -> bool {
        (0..self.tokens.len()).any(|at| {
            let Some(name) = self.name(at) else {
                // `$$name = …`
                let is_symbolic = matches!(self.language, Language::Perl | Language::Php)
                    && self.is_sign(at, '$')
                    && self.is_sign(at + 1, '$')
                    && self.name(at + 2).is_some();
                return is_symbolic;
            };
            let calls = self.is_sign(at + 1, '(');
            let is_member = at.checked_sub(1).is_some_and(|it| self.is_sign(it, '.'));
            match name {
                "eval" if !is_member => {
                    let is_plain = matches!(self.language, Language::Perl | Language::Ruby);
                    calls || is_plain && !self.is_sign(at + 1, '{')
                }
                "exec" => calls && !is_member && self.language == Language::Python,
                "extract" | "parse_str" => calls && self.language == Language::Php,
                "vars" | "locals" | "globals" => {
                    let behind = self.closing(at + 1).map(|it| it + 1);
                    let is_used = |it: usize| self.is_sign(it, '[') || self.is_sign(it, '.');
                    calls && behind.is_some_and(is_used)
                }
                "__main__" | "_G" | "_ENV" | "setfenv" | "local_variable_set" | "binding" => true,
                "with" => calls && self.language == Language::JavaScript,
                _ => false,
            }
        })
    }

    fn bound_at_name(&self, at: usize, name: &'t str, found: &mut Vec<&'t str>) {
        if self.is_changed(at) || self.is_annotated(at) {
            found.push(name);
        }
        if name == "do" {
            self.bound_by_body(at, found);
        }
        let is_member = at.checked_sub(1).is_some_and(|it| self.is_sign(it, '.'));
        if is_member {
            return;
        }
        match (self.language, name) {
            (_, "def" | "function" | "fn" | "sub" | "lambda" | "catch") => {
                self.parameters(at, name, found);
            }
            (Language::Python, "as") => self.names_of_target(at + 1, found),
            (Language::Python, "case") if self.brackets.start(at) == at => {
                let end = self.end_at(at + 1, |it| matches!(it, Token::Sign(':') | Token::Line));
                self.names_between(at + 1, end, found);
            }
            (Language::Python, "import") => {
                let end = self.end_at(at + 1, |it| matches!(it, Token::Sign(';') | Token::Line));
                self.names_between(at + 1, end, found);
            }
            (Language::JavaScript, "import") if !self.is_sign(at + 1, '(') => {
                let end = self.end_at(at + 1, |it| {
                    matches!(it, Token::Sign(';') | Token::Text(_))
                        || matches!(it, Token::Name(word) if word == "from")
                });
                self.names_between(at + 1, end, found);
            }
            (Language::Ruby, "rescue" | "in" | "when") => {
                let end = self.end_at(at + 1, |it| {
                    matches!(it, Token::Sign(';') | Token::Line)
                        || matches!(it, Token::Name(word) if word == "then")
                });
                self.names_between(at + 1, end, found);
            }
            (Language::Php, "foreach") => {
                if let Some(close) = self.closing(at + 1) {
                    let names = at + 2..close;
                    let place = names.clone().find(|it| self.name(*it) == Some("as"));
                    self.names_between(place.unwrap_or(close), close, found);
                }
            }
            (Language::Php, "global" | "static" | "use") => {
                let end = self.end_at(at + 1, |it| matches!(it, Token::Sign(';') | Token::Line));
                self.names_between(at + 1, end, found);
            }
            (language, name) if FILL.contains(&name) => {
                let fills = matches!(language, Language::Perl | Language::Php | Language::Other);
                let end = match self.closing(at + 1) {
                    Some(close) => close,
                    None => self.end_at(at + 1, |it| {
                        matches!(it, Token::Sign(';' | '}' | ')') | Token::Line)
                    }),
                };
                if fills {
                    self.names_between(at + 1, end, found);
                }
            }
            _ => self.bound_by_arrow(at, name, found),
        }
    }

    /// `method(a) {` in JavaScript, `->(a) {` in Ruby: parameters before a body.
    fn bound_by_body(&self, at: usize, found: &mut Vec<&'t str>) {
        const CONTROL: [&str; 8] = [
            "if", "elsif", "for", "while", "until", "unless", "switch", "with",
        ];
        if !matches!(self.language, Language::JavaScript | Language::Ruby) {
            return;
        }
        let close = at.checked_sub(1);
        let Some((open, close)) = close.and_then(|it| Some((self.opening(it)?, it))) else {
            return;
        };
        let before = open.checked_sub(1).and_then(|it| self.name(it));
        if self.is_sign(open, '(') && !before.is_some_and(|it| CONTROL.contains(&it)) {
            self.names_between(open, close, found);
        }
    }

    /// Returns whether a type annotation follows a name: `x: str = …`, `let x: string = …`,
    /// `x <- …`.
    fn is_annotated(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|it| self.name(it));
        match self.language {
            Language::Python => self.brackets.start(at) == at && self.is_sign(at + 1, ':'),
            Language::JavaScript => {
                let declares = before.is_some_and(|it| ["let", "const", "var"].contains(&it));
                declares && self.is_sign(at + 1, ':')
            }
            Language::Other => {
                self.is_sign(at + 1, '<')
                    && (self.is_sign(at + 2, '-') || self.is_sign(at + 2, '<'))
            }
            _ => false,
        }
    }

    /// `name => …` in JavaScript, and `Point(…) => name` in Ruby.
    fn bound_by_arrow(&self, at: usize, name: &'t str, found: &mut Vec<&'t str>) {
        let is_arrow = |at: usize| self.is_sign(at, '=') && self.is_sign(at + 1, '>');
        if self.language == Language::JavaScript && is_arrow(at + 1) {
            found.push(name);
        }
        let before = at.checked_sub(2);
        let ends = || {
            matches!(
                self.tokens.get(at + 1),
                None | Some(Token::Line | Token::Sign(';'))
            )
        };
        if self.language == Language::Ruby
            && before.is_some_and(is_arrow)
            && self.brackets.around(at).is_none()
            && ends()
        {
            found.push(name);
        }
    }

    /// Returns whether a name's value is changed: `x += 1`, `x ||= y`, `x := y`, `x << y`,
    /// `x[0] = y`.
    fn is_changed(&self, at: usize) -> bool {
        let signs = (at + 1..at + 5).take_while(|it| match self.tokens.get(*it) {
            Some(Token::Sign(sign)) => CHANGE.contains(*sign),
            _ => false,
        });
        let signs: Vec<usize> = signs.collect();
        let end = at + 1 + signs.len();
        let is_one_of = |signs: &[usize], words: &[char]| matches!(signs, [only] if words.iter().any(|it| self.is_sign(*only, *it)));
        // `<=`, `>=`, `~=` compare.
        let compares = is_one_of(&signs, &['<', '>', '~']);
        let is_augmented =
            !signs.is_empty() && self.is_sign(end, '=') && !self.is_sign(end + 1, '=') && !compares;
        // `x **= y` and `x //= y` have two signs, the last of which may start a comment in other
        // languages.
        if is_augmented {
            return true;
        }
        let changes_strings = matches!(self.language, Language::Ruby | Language::Php);
        let is_appended = self.language == Language::Ruby
            && self.is_sign(at + 1, '<')
            && self.is_sign(at + 2, '<');
        let is_part = changes_strings
            && self.is_sign(at + 1, '[')
            && self
                .closing(at + 1)
                .is_some_and(|close| self.is_sign(close + 1, '=') && !self.is_sign(close + 2, '='));
        let method = self.name(at + 2).filter(|_| self.is_sign(at + 1, '.'));
        let is_method = self.language == Language::Ruby
            && method.is_some_and(|it| {
                CHANGING_METHODS.contains(&it)
                    || self.is_sign(at + 3, '!') && !self.is_sign(at + 4, '=')
            });
        is_appended || is_part || is_method
    }

    /// The parameters of a function: all names after its keyword.
    fn parameters(&self, at: usize, word: &str, found: &mut Vec<&'t str>) {
        let is_line = word == "lambda" && self.language == Language::Python;
        let end = if is_line {
            self.end_at(at + 1, |it| {
                matches!(it, Token::Sign(':' | ')') | Token::Line)
            })
        } else {
            self.end_at(at + 1, |it| {
                matches!(it, Token::Sign(':' | '{' | ';') | Token::Line)
            })
        };
        // The name before the parentheses is the function's own.
        let from = match (word, self.name(at + 1)) {
            ("def" | "function" | "sub", Some(_)) if self.is_sign(at + 2, '(') => at + 2,
            _ => at + 1,
        };
        let end = match self.closing(from) {
            Some(close) if self.is_sign(from, '(') => close,
            _ => end,
        };
        self.names_between(from, end, found);
    }

    /// `(a, b) => …`, `method(a) {`, `(a, b) = …`, `{a, b: [c]} = …`, `a, b = …`: lists that are in
    /// front of a sign.
    fn bound_by_list(&self, at: usize, found: &mut Vec<&'t str>) {
        if self.is_sign(at + 1, '=') {
            return;
        }
        let Some(last) = at.checked_sub(1) else {
            return;
        };
        if matches!(self.tokens[last], Token::Sign('=' | '!' | '<' | '>')) {
            return;
        }
        let is_arrow = self.is_sign(at + 1, '>');
        if let Some(open) = self.opening(last) {
            let before = open.checked_sub(1).map(|it| &self.tokens[it]);
            let is_list = match before {
                // `d[p] = …` and `f(p) = …` don't assign to `p`.
                Some(Token::Name(word)) => WORDS.contains(&word.as_str()),
                Some(Token::Sign(')' | ']' | '}') | Token::Text(_)) => self.is_sign(open, '{'),
                _ => true,
            };
            if is_list {
                self.names_between(open, last, found);
            }
        }
        if is_arrow
            || !matches!(
                self.language,
                Language::Python | Language::Ruby | Language::Lua
            )
        {
            return;
        }
        // `a, *b = …`, which has no brackets.
        let start = self.brackets.start(at);
        let mut from = at;
        let mut has_comma = false;
        while let Some(before) = from.checked_sub(1).filter(|it| *it >= start) {
            if self.step().is_none() {
                return;
            }
            match self.tokens[before] {
                Token::Sign('(' | '[' | '{' | '=' | ':' | ';') => break,
                Token::Sign(',' | '*') => has_comma = true,
                _ => {}
            }
            from = self.opening(before).unwrap_or(before);
        }
        // In brackets, this is a named argument.
        if has_comma
            && self
                .brackets
                .around(at)
                .is_none_or(|it| self.is_sign(it, '{'))
        {
            self.names_between(from, at, found);
        }
    }

    /// `with x as a`, `as (a, b)`.
    fn names_of_target(&self, at: usize, found: &mut Vec<&'t str>) {
        match self.closing(at) {
            Some(close) => self.names_between(at, close, found),
            None => found.extend(self.name(at)),
        }
    }

    fn names_between(&self, from: usize, to: usize, found: &mut Vec<&'t str>) {
        for at in from..to.min(self.tokens.len()) {
            if self.step().is_none() {
                return;
            }
            let is_member = at.checked_sub(1).is_some_and(|it| self.is_sign(it, '.'));
            found.extend(self.name(at).filter(|it| !is_member && !WORDS.contains(it)));
        }
    }
}
