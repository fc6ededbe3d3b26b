//! The names and texts in a condition as written, to point at one of them (HT-1).

/// What a piece of a condition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name by itself: `prompt`.
    Name,
    /// A name after a dot: `.command`.
    Field,
    /// A text in quotes.
    Text,
}

/// A piece of a condition.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) content: String,
    /// Whether a `(` follows.
    is_called: bool,
    /// Where it begins, in characters from one; for a text, the place after its quote.
    column: usize,
}

/// Returns the column of a name by itself.
pub(crate) fn column_of_name(text: &str, name: &str) -> usize {
    column(text, |it| it.kind == Kind::Name && it.content == name)
}

/// Returns the column of a function's name where it is called.
pub(crate) fn column_of_function(text: &str, name: &str) -> usize {
    column(text, |it| it.is_called && it.content == name)
}

/// Returns the column of a text in quotes.
pub(crate) fn column_of_text(text: &str, content: &str) -> usize {
    column(text, |it| it.kind == Kind::Text && it.content == content)
}

/// Returns where the first piece that matches begins; the beginning of the text if none does.
pub(crate) fn column(text: &str, fits: impl Fn(&Piece) -> bool) -> usize {
    let beginning = text.chars().take_while(|it| it.is_whitespace()).count() + 1;
    let pieces = pieces(text);
    let mut fitting = pieces.iter().filter(|it| fits(it));
    fitting.next().map_or(beginning, |it| it.column)
}

/// Takes a condition apart. What isn't a name or a text is left out.
fn pieces(text: &str) -> Vec<Piece> {
    let characters: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut last = ' ';
    let mut at = 0;
    while let Some(character) = characters.get(at) {
        let begin = at;
        if matches!(character, '"' | '\'') {
            let (content, end) = read_quoted(&characters, at);
            pieces.push(Piece {
                kind: Kind::Text,
                content,
                is_called: false,
                column: begin + 2,
            });
            at = end;
        } else if character.is_alphabetic() || *character == '_' {
            let rest = characters[at..].iter();
            at += rest
                .take_while(|it| it.is_alphanumeric() || **it == '_')
                .count();
            let mut behind = characters[at..].iter().filter(|it| !it.is_whitespace());
            let is_prefix = characters.get(at).is_some_and(|it| "\"'".contains(*it));
            if !is_prefix {
                pieces.push(Piece {
                    kind: if last == '.' { Kind::Field } else { Kind::Name },
                    content: characters[begin..at].iter().collect(),
                    is_called: behind.next() == Some(&'('),
                    column: begin + 1,
                });
            }
        } else {
            at += 1;
        }
        if !character.is_whitespace() {
            last = *character;
        }
    }
    pieces
}

/// Reads a text in quotes, and returns it with the place after it.
fn read_quoted(characters: &[char], opening: usize) -> (String, usize) {
    let quote = characters[opening];
    let mut content = String::new();
    let mut at = opening + 1;
    while let Some(character) = characters.get(at) {
        match (character, characters.get(at + 1)) {
            (it, _) if *it == quote => break,
            ('\\', Some(escaped)) => {
                content.push(*escaped);
                at += 2;
            }
            (other, _) => {
                content.push(*other);
                at += 1;
            }
        }
    }
    (content, at + 1)
}
