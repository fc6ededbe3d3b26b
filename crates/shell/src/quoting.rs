//! Quotes words, and splits text that consists only of words.

use std::borrow::Cow;

pub use hookloop_text::quote;

/// Writes words as one command line, quoted where necessary.
pub fn join<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<Cow<'_, str>> = words.into_iter().map(quote).collect();
    words.join(" ")
}

/// Splits a command into words if it consists only of words, quotes and escapes: no operator,
/// variable, pattern, comment or anything else that a shell interprets.
///
/// A command with an assignment before the program or a leading `~` isn't plain.
pub fn split_plain(command: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let text = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        other => text.push(other),
                    }
                }
            }
            '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match characters.next()? {
                            kept @ ('"' | '\\' | '$' | '`') => text.push(kept),
                            '\n' => {}
                            other => text.extend(['\\', other]),
                        },
                        other => text.push(other),
                    }
                }
            }
            '\\' => match characters.next()? {
                '\n' => {}
                other => word.get_or_insert_default().push(other),
            },
            '#' | '~' if word.is_none() => return None,
            '\n' | '|' | '&' | ';' | '(' | ')' | '<' | '>' | '`' | '$' | '*' | '?' | '[' | '{'
            | '}' | '!' | '\r' => return None,
            '=' if words.is_empty() => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}
