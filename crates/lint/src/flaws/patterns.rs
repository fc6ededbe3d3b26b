//! Patterns in Python and JavaScript programs that can never match where they are used (CM-3):
//! passed as the text, in the wrong quotes, or to a search that looks only at the beginning.

use hookloop_text::shorten::excerpt;

use super::Flaw;
use super::source::{Source, closing, literal};
use super::variable_values::is_command;
use crate::refusal::Language;

/// Looks for a pattern that never matches.
pub(super) fn find(source: &Source<'_>) -> Option<Flaw> {
    match source.language {
        Language::Python => in_python(source),
        _ => in_quotes(source),
    }
}

/// Looks for the first argument that should be the second, or is written in the wrong quotes.
fn in_python(source: &Source<'_>) -> Option<Flaw> {
    const SEARCHES: [&str; 6] = [
        "re.search",
        "re.match",
        "re.fullmatch",
        "re.findall",
        "re.finditer",
        "re.compile",
    ];
    SEARCHES.into_iter().find_map(|name| {
        source.calls(name).find_map(|call| {
            let first = call.arguments.first()?;
            let second = call.arguments.get(1).copied();
            let line = source.line_of(call.start);
            let Some(pattern) = literal(first) else {
                let swapped = literal(second?).filter(|_| is_command(source, first))?;
                let shown = excerpt(swapped.inner);
                return Some(Flaw::for_comparison(
                    line,
                    format!(
                        "{name} gets the text to search first, and \"{shown}\" as the text to \
                        search in"
                    ),
                    format!("write {name}(r\"{shown}\", {first})"),
                ));
            };
            if !pattern.is_raw && has_backspace(pattern.inner) {
                let shown = excerpt(pattern.inner);
                let why =
                    format!("without r in front of \"{shown}\", its \\b is a backspace character");
                return Some(Flaw::for_comparison(
                    line,
                    why,
                    format!("write r\"{shown}\""),
                ));
            }
            let searched = second.filter(|it| name == "re.match" && is_command(source, it));
            let why = searched.and_then(|_| meant_to_search(pattern.inner))?;
            Some(Flaw::with(
                "what comes after it is never found",
                line,
                format!("re.match only looks at the beginning of the text, and {why}"),
                "write re.search",
            ))
        })
    })
}

/// Returns whether a text in plain quotes contains `\b`, which means something else there than in
/// an expression.
fn has_backspace(inner: &str) -> bool {
    let mut is_escaped = false;
    inner.chars().any(|letter| {
        let found = is_escaped && letter == 'b';
        is_escaped = letter == '\\' && !is_escaped;
        found
    })
}

/// Returns why an expression can't be meant only for the beginning of a text.
fn meant_to_search(pattern: &str) -> Option<String> {
    let shown = excerpt(pattern);
    let pattern = pattern.trim_start_matches("(?i)");
    let branches = branches(pattern);
    let names_places = |branch: &&str| {
        let (inner, _) = group(branch)?;
        let (starts, others): (Vec<&str>, Vec<&str>) =
            self::branches(inner).into_iter().partition(|it| *it == "^");
        let is_both = !starts.is_empty() && !others.is_empty();
        (is_both && others.into_iter().all(begins_inside)).then_some(())
    };
    if branches.iter().all(|it| names_places(it).is_some()) {
        return Some(format!("\"{shown}\" also names other places"));
    }
    let is_inside = branches.into_iter().all(begins_inside);
    is_inside.then(|| format!("\"{shown}\" begins with what is only inside the text"))
}

/// Returns whether everything that an expression matches begins with a blank, or with a separator
/// of commands.
fn begins_inside(pattern: &str) -> bool {
    let may_be_none = |behind: &str| behind.starts_with(['?', '*']) || behind.starts_with("{0");
    if let Some((inner, behind)) = group(pattern) {
        return !may_be_none(behind) && branches(inner).into_iter().all(begins_inside);
    }
    let of_class = pattern.strip_prefix('[').and_then(|it| {
        let (class, behind) = it.split_once(']')?;
        let plain = class.replace("\\s", " ");
        let signs = |it: char| matches!(it, ';' | '&' | '|' | ' ' | '`');
        (!class.is_empty() && plain.chars().all(signs)).then_some(behind)
    });
    // A command doesn't begin with an option.
    let signs = ["\\s", "\\W", " ", ";", "&&", "\\|", "-"];
    let behind = of_class.or_else(|| signs.iter().find_map(|it| pattern.strip_prefix(it)));
    behind.is_some_and(|it| !may_be_none(it))
}

/// Returns what is in the group with which an expression begins, and what follows it; nothing for a
/// look-around.
pub(super) fn group(pattern: &str) -> Option<(&str, &str)> {
    let inner = pattern.strip_prefix('(')?;
    let end = end_of_group(inner)?;
    let plain = inner[..end].strip_prefix("?:").unwrap_or(&inner[..end]);
    (!plain.starts_with('?')).then_some((plain, &inner[end + 1..]))
}

/// Returns where the group that contains a text closes.
fn end_of_group(text: &str) -> Option<usize> {
    parts(text).find_map(|(at, letter, depth)| (letter == ')' && depth == -1).then_some(at))
}

/// Splits an expression at each `|` that isn't in a group.
pub(super) fn branches(pattern: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    for (at, letter, depth) in parts(pattern) {
        if letter == '|' && depth == 0 {
            found.push(&pattern[from..at]);
            from = at + 1;
        }
    }
    found.push(&pattern[from..]);
    found
}

/// Returns the characters of an expression that have a meaning, with how deep they are in groups.
fn parts(pattern: &str) -> impl Iterator<Item = (usize, char, i32)> {
    let (mut is_escaped, mut in_class, mut depth) = (false, false, 0_i32);
    pattern.char_indices().filter_map(move |(at, letter)| {
        let was_escaped = is_escaped;
        is_escaped = letter == '\\' && !was_escaped;
        if was_escaped || letter == '\\' {
            return None;
        }
        match letter {
            ']' => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (!in_class).then_some((at, letter, depth))
    })
}

/// Looks for a regular expression of JavaScript written as a text: `match('/rm -rf/')`.
fn in_quotes(source: &Source<'_>) -> Option<Flaw> {
    [".match", ".search", ".matchAll", "RegExp"]
        .into_iter()
        .find_map(|name| {
            source.calls(name).find_map(|call| {
                let inner = literal(call.arguments.first()?)?.inner;
                let line = source.line_of(call.start);
                let shown = excerpt(inner);
                if has_backspace(inner) {
                    let why = format!("in quotes, the \\b of \"{shown}\" is a backspace character");
                    return Some(Flaw::for_comparison(line, why, format!("write /{shown}/")));
                }
                let (between, flags) = inner.strip_prefix('/')?.rsplit_once('/')?;
                let certain = ["\\", "^", "$", ".*", ".+", "+)", "]+"];
                let is_expression = certain.iter().any(|it| between.contains(it))
                    || between.contains(' ') && super::names_command(between);
                (is_expression && !between.contains('/') && flags.len() < 3).then(|| {
                    let why =
                        format!("in quotes, the slashes of \"{shown}\" are part of the pattern");
                    Flaw::for_comparison(line, why, format!("write it without the quotes: {shown}"))
                })
            })
        })
}

/// Looks for a list where only a tuple is accepted.
pub(super) fn list_of_beginnings(source: &Source<'_>) -> Option<Flaw> {
    if source.language != Language::Python {
        return None;
    }
    [".startswith", ".endswith"].into_iter().find_map(|name| {
        let is_list = |it: &&str| {
            let inner = it.strip_prefix('[');
            inner.is_some_and(|it| closing(it) == Some(it.len() - 1))
        };
        let call = source
            .calls(name)
            .find(|it| it.arguments.first().is_some_and(is_list))?;
        let why = format!("\"{name}\" doesn't accept a list, and fails");
        Some(Flaw::with(
            "it compares nothing",
            source.line_of(call.start),
            why,
            format!("write {name}((…, …)), with round brackets"),
        ))
    })
}
