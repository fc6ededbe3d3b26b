//! Diagnostics in the manner of compilers: what, where, the line, and the remedy (ST-5, CM-3).

use hookloop_hook::{Position, Problem, ProblemCode, Severity};
use hookloop_text::{Indents, Style, Terminal, columns, paragraph, visible};

/// A snippet that settings have cut is longer than this, in characters; the place it is about
/// stands in its middle.
const LONGEST_WHOLE_SNIPPET: usize = 240;

/// How far the place is from the start of a snippet whose beginning was cut, in characters.
const PLACE_IN_CUT_SNIPPET: usize = LONGEST_WHOLE_SNIPPET / 2;

/// How much of a line is shown in front of the place where the line does not fit, in characters.
const SHOWN_BEFORE: usize = 20;

/// Returns problems as text, each with an empty line behind it.
pub(crate) fn diagnostics(problems: &[Problem], terminal: Terminal) -> String {
    problems
        .iter()
        .map(|problem| diagnostic(problem, terminal))
        .collect()
}

/// Returns the problems that concern a command about single hooks or extensions: files that nothing
/// reads are told by `list`, `check`, and where somebody asks why a hook doesn't run (ST-12).
pub(crate) fn diagnostics_of_sources(problems: &[Problem], terminal: Terminal) -> String {
    problems
        .iter()
        .filter(|problem| problem.code != ProblemCode::MisplacedFile)
        .map(|problem| diagnostic(problem, terminal))
        .collect()
}

fn diagnostic(problem: &Problem, terminal: Terminal) -> String {
    let palette = terminal.palette;
    let (word, style) = match problem.severity {
        Severity::Error => ("error", Style::Error),
        Severity::Warning => ("warning", Style::Warning),
        Severity::Info => ("note", Style::Strong),
    };
    let head = format!("{word}[{}]", problem.code);
    let message = visible(&problem.message);
    let message = paragraph(
        &message,
        Indents::new(&format!("{head}: "), "  "),
        terminal.width,
    );
    let mut text = message.replacen(&head, &palette.paint(style, &head), 1);
    // A place is not broken, so that a terminal can make a link of it.
    text.extend([format!("  --> {}\n", visible(&problem.source.to_string()))]);
    if let (Some(snippet), Some(position)) = (&problem.snippet, problem.source.position) {
        let excerpt = Excerpt::new(snippet, position, terminal.width);
        let number = position.line.to_string();
        let gutter = " ".repeat(number.len());
        let bar = palette.paint(Style::Faint, "|");
        let number = palette.paint(Style::Faint, &number);
        let carets = palette.paint(style, &"^".repeat(excerpt.marked));
        text.extend([format!(" {number} {bar} {}\n", excerpt.line)]);
        text.extend([format!(
            " {gutter} {bar} {}{carets}\n",
            " ".repeat(excerpt.before)
        )]);
    }
    let help = format!("= help: {}", visible(&problem.help));
    text.push_str(&paragraph(
        &help,
        Indents::new("  ", "    "),
        terminal.width,
    ));
    if let Some(suggestion) = &problem.suggestion {
        let suggestion = format!("\"{}\"", visible(suggestion));
        // Most remedies quote what is to be written.
        if !help.contains(&suggestion) {
            let line = format!("= write: {suggestion}");
            text.push_str(&paragraph(
                &line,
                Indents::new("  ", "    "),
                terminal.width,
            ));
        }
    }
    text.push('\n');
    text
}

/// The part of a line that is shown, with what is underlined in it.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt {
    line: String,
    /// Columns in front of the underlined part.
    before: usize,
    /// Columns that are underlined; at least one.
    marked: usize,
}

impl Excerpt {
    fn new(snippet: &str, position: Position, width: Option<usize>) -> Self {
        let characters: Vec<char> = snippet.chars().collect();
        let was_cut = characters.len() > LONGEST_WHOLE_SNIPPET && characters[0] == '…';
        let column = usize::try_from(position.column)
            .unwrap_or(1)
            .saturating_sub(1);
        let place = if was_cut {
            PLACE_IN_CUT_SNIPPET
        } else {
            column
        };
        let place = place.min(characters.len());
        // A number and a bar stand in front of the line.
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

/// Returns how long the thing at the start is: a string to its end, else a word or number.
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

/// Cuts a text that does not fit.
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
