//! A source line with the error underlined, as compilers show it (ST-5).

use crate::escape::visible;
use crate::wrap::columns;

/// How far the place is from the start of a snippet whose beginning was cut, in characters: the
/// settings code shows so many before it. What follows the place may be short.
const PLACE_IN_CUT_SNIPPET: usize = 120;

/// How much of a line is shown in front of the place where the line doesn't fit, in characters.
const SHOWN_BEFORE: usize = 20;

/// The visible part of a source line, and what to underline in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text to show, escaped for a terminal.
    pub line: String,
    /// The number of columns before the underlined part.
    pub before: usize,
    /// The number of underlined columns; at least one.
    pub marked: usize,
}

impl Excerpt {
    /// Determines what to show of a line, and underlines what starts at a column (from 1) of the
    /// file. A line that exceeds the width is cut around that place.
    pub fn new(snippet: &str, column: u32, width: Option<usize>) -> Self {
        let characters: Vec<char> = snippet.chars().collect();
        let column = usize::try_from(column).unwrap_or(1).saturating_sub(1);
        let was_cut = characters.first() == Some(&'…') && column >= PLACE_IN_CUT_SNIPPET;
        let place = if was_cut {
            PLACE_IN_CUT_SNIPPET
        } else {
            column
        };
        let place = place.min(characters.len());
        // A number and a bar precede the line.
        let room = width.map(|width| width.saturating_sub(12).max(SHOWN_BEFORE + 8));
        let fits = room.is_none_or(|room| columns(&visible(snippet)) <= room);
        let start = if fits {
            0
        } else {
            place.saturating_sub(SHOWN_BEFORE)
        };
        let shown = |part: &[char]| visible(&part.iter().collect::<String>());
        let before = shown(&characters[start..place]);
        let length = token_length(&characters[place..]);
        let mut token = shown(&characters[place..place + length]);
        let mut after = shown(&characters[place + length..]);
        let start_mark = if start > 0 { "…" } else { "" };
        let before_columns = columns(start_mark) + columns(&before);
        if let (false, Some(room)) = (fits, room) {
            let room = room.saturating_sub(before_columns);
            after = match room.checked_sub(columns(&token)) {
                Some(left) if left > 0 => shortened(&after, left),
                _ => String::new(),
            };
            token = shortened(&token, room);
        }
        Self {
            before: before_columns,
            marked: columns(&token).max(1),
            line: format!("{start_mark}{before}{token}{after}"),
        }
    }
}

/// Returns the length of the thing at the start: a string to its end, or else a word or number.
fn token_length(characters: &[char]) -> usize {
    match characters {
        ['"', rest @ ..] => {
            let mut escaped = false;
            let end = rest.iter().position(|character| {
                let ends = *character == '"' && !escaped;
                escaped = *character == '\\' && !escaped;
                ends
            });
            end.map_or(characters.len(), |end| end + 2)
        }
        [first, ..] if !first.is_alphanumeric() && *first != '-' => 1,
        _ => {
            let is_part = |it: &char| it.is_alphanumeric() || matches!(it, '-' | '.' | '_' | '+');
            characters.iter().take_while(|it| is_part(it)).count()
        }
    }
}

/// Cuts a text that doesn't fit.
fn shortened(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        if columns(&short) + 2 > room.max(2) {
            break;
        }
        short.push(character);
    }
    short + "…"
}

#[cfg(test)]
mod tests;
