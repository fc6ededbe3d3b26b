//! Puts the fields of a word together from its parts.

use crate::understood::Word;

/// Where `~` is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tildes {
    /// At the start of the word.
    AtStart,
    /// Also behind the `=` and each `:` of an assignment.
    InAssignment,
    /// Nowhere: the word is in quotes.
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// The fields of a word, so far.
#[derive(Debug)]
pub(super) struct Builder {
    fields: Vec<Word>,
    current: Option<Word>,
    quote: Quote,
    tildes: Tildes,
    separators: Option<String>,
}

impl Builder {
    pub(super) fn new(tildes: Tildes, separators: Option<String>) -> Self {
        Self {
            fields: Vec::new(),
            current: None,
            quote: Quote::None,
            tildes,
            separators,
        }
    }

    pub(super) fn finish(mut self) -> Vec<Word> {
        self.fields.extend(self.current);
        self.fields
    }

    /// Returns whether values are split here.
    pub(super) fn is_split(&self) -> bool {
        self.quote == Quote::None && self.tildes == Tildes::AtStart
    }

    /// Returns whether nothing is in front in the same word.
    pub(super) fn is_word_start(&self) -> bool {
        let word = self.current.as_ref();
        word.is_none_or(|it| it.text.is_empty() && it.known)
    }

    fn word(&mut self) -> &mut Word {
        self.current.get_or_insert_with(|| Word::plain(""))
    }

    /// Appends text as it is written, with its quotes.
    pub(super) fn literal(&mut self, text: &str, home: Option<&str>, folder: Option<&str>) {
        let mut rest = text;
        if self.quote == Quote::None && self.current.is_none() && self.tildes == Tildes::AtStart {
            rest = self.tilde(rest, home, folder);
        }
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            match (self.quote, character) {
                (Quote::None, '\'') => self.open(Quote::Single),
                (Quote::None, '"') => self.open(Quote::Double),
                (Quote::Single, '\'') | (Quote::Double, '"') => self.quote = Quote::None,
                (Quote::None, '\\') => {
                    let word = self.word();
                    word.quoted = true;
                    if let Some(next) = rest.chars().next() {
                        rest = &rest[next.len_utf8()..];
                        if next != '\n' {
                            word.text.push(next);
                        }
                    }
                }
                (Quote::Double, '\\') => {
                    let next = rest.chars().next();
                    match next {
                        Some(kept @ ('"' | '\\' | '$' | '`')) => {
                            rest = &rest[1..];
                            self.word().text.push(kept);
                        }
                        Some('\n') => rest = &rest[1..],
                        _ => self.word().text.push('\\'),
                    }
                }
                (Quote::None, '*' | '?' | '[') => {
                    let word = self.word();
                    word.pattern = true;
                    word.text.push(character);
                }
                (Quote::None, '=' | ':') if self.tildes == Tildes::InAssignment => {
                    self.word().text.push(character);
                    rest = self.tilde(rest, home, folder);
                }
                _ => self.word().text.push(character),
            }
        }
    }

    fn open(&mut self, quote: Quote) {
        self.quote = quote;
        self.word().quoted = true;
    }

    /// Replaces `~` at the start of a text, and returns what is left.
    fn tilde<'t>(&mut self, text: &'t str, home: Option<&str>, folder: Option<&str>) -> &'t str {
        let Some(rest) = text.strip_prefix('~') else {
            return text;
        };
        let end = rest.find(['/', ':']).unwrap_or(rest.len());
        let (user, rest) = rest.split_at(end);
        if user.contains(['\'', '"', '\\', '*', '?', '[', '$']) {
            return text;
        }
        let replaced = match user {
            "" => home.map(str::to_owned),
            "+" => folder.map(str::to_owned),
            "root" => Some("/root".to_owned()),
            _ => None,
        };
        if let Some(path) = replaced {
            self.word().text.push_str(&path);
        } else {
            let word = self.word();
            word.known = false;
            word.text.push('~');
            word.text.push_str(user);
        }
        rest
    }

    /// Appends text that stood in quotes of its own.
    pub(super) fn push_quoted(&mut self, text: &str) {
        let word = self.word();
        word.quoted = true;
        word.text.push_str(text);
    }

    /// Appends a word that is never split.
    pub(super) fn quoted_word(&mut self, other: &Word) {
        let word = self.word();
        word.quoted = true;
        word.known &= other.known;
        word.text.push_str(&other.text);
    }

    /// Appends the value of a variable or a substitution: split, unless it is in quotes.
    pub(super) fn value(&mut self, text: &str) {
        if !self.is_split() {
            self.word().text.push_str(text);
            return;
        }
        let Some(separators) = self.separators.clone() else {
            return self.push_unknown(text);
        };
        let mut pieces = text.split(|it: char| separators.contains(it));
        if let Some(first) = pieces.next() {
            self.piece(first);
        }
        for piece in pieces {
            self.fields.extend(self.current.take());
            self.piece(piece);
        }
    }

    fn piece(&mut self, text: &str) {
        if !text.is_empty() {
            let word = self.word();
            word.pattern |= text.contains(['*', '?', '[']);
            word.text.push_str(text);
        }
    }

    /// Appends something that can't be known, as written.
    pub(super) fn push_unknown(&mut self, written: &str) {
        let word = self.word();
        word.known = false;
        word.text.push_str(written);
    }

    /// Appends a guess at something that can't be known: the widest reading sees it.
    pub(super) fn guess(&mut self, text: &str) {
        self.value(text);
        self.word().known = false;
    }

    /// Notes the variable for which a guess stands.
    pub(super) fn instead_of(&mut self, name: &str) {
        self.word().instead_of.push(name.to_owned());
    }

    /// Appends names of files that are known by patterns alone.
    pub(super) fn names(&mut self, patterns: &[String]) {
        for (number, pattern) in patterns.iter().enumerate() {
            if number > 0 {
                self.fields.extend(self.current.take());
            }
            let word = self.word();
            word.pattern = true;
            word.text.push_str(pattern);
        }
    }

    /// Appends a list, each element a field of its own.
    pub(super) fn list(&mut self, elements: &[Word]) {
        for (number, element) in elements.iter().enumerate() {
            if number > 0 {
                self.fields.extend(self.current.take());
            }
            let is_quoted = self.quote == Quote::Double;
            let word = self.word();
            word.known &= element.known;
            word.quoted |= is_quoted;
            word.pattern |= element.pattern && !is_quoted;
            word.text.push_str(&element.text);
        }
    }
}
