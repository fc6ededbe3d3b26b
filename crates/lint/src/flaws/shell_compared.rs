//! Comparisons in shell scripts with something that never matches (CM-3): what they guard against
//! is let through.

use hookloop_text::shorten::excerpt;

use super::source::is_part;
use crate::refusal::is_expression;

/// What is wrong, and what to write.
pub(super) type Found = (String, String);

/// Looks into a line of a script.
pub(super) fn find(text: &str, line: &str) -> Option<Found> {
    let asks_for_case = || (!text.contains("nocasematch")).then(|| check_case(line));
    quoted_expression(text, line)
        .or_else(|| asks_for_case().flatten())
        .or_else(|| ending_with_a_dot(line))
        .or_else(|| blank_at_the_end(text, line))
        .or_else(|| quoted_by_jq(text, line))
}

/// Returns the values that a script gives a variable, as they are written; nothing if it may have
/// others.
fn values_of<'t>(text: &'t str, name: &str) -> Option<Vec<&'t str>> {
    let mut values = Vec::new();
    for (at, _) in text.match_indices(name) {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        let is_other = before
            .ends_with(|it| is_part(it) || matches!(it, '$' | '{' | '-' | '/' | '.'))
            || behind.starts_with(is_part);
        if is_other {
            continue;
        }
        let begins = before.trim_end_matches([' ', '\t']);
        let line = begins
            .rsplit(['\n', ';', '&', '|', '('])
            .next()
            .unwrap_or_default();
        let words = || line.split_whitespace();
        let mut given = words().chain([""]);
        if given.any(|it| {
            matches!(
                it,
                "read" | "for" | "mapfile" | "readarray" | "printf" | "getopts" | "select"
            )
        }) {
            return None;
        }
        match behind.strip_prefix('=') {
            Some(value) => values.push(value.lines().next().unwrap_or_default()),
            None if behind.starts_with("+=") || behind.starts_with('[') => return None,
            None => {}
        }
    }
    Some(values)
}

/// Returns whether a variable contains what the event has, as jq prints it, and nothing else.
fn is_of_event(text: &str, name: &str) -> bool {
    const MAKE: [&str; 13] = [
        "cut ", "head", "awk", "sed ", "tr ", "tail", "[:", "split", "sub(", "ltrimstr",
        "rtrimstr", "+ ", "read ",
    ];
    let values = values_of(text, name).unwrap_or_default();
    let is_one = |it: &&str| {
        let fields = [".tool_input.command", ".tool_input.file_path", ".tool_name"];
        it.starts_with("$(")
            && it.contains("jq ")
            && fields.iter().any(|field| it.contains(field))
            && !MAKE.iter().any(|word| it.contains(word))
    };
    !values.is_empty() && values.iter().all(|it| is_one(&it.trim_start_matches('"')))
}

/// Looks for an expression in a variable that is compared in quotes.
fn quoted_expression(text: &str, line: &str) -> Option<Found> {
    let (_, right) = line.split_once("=~ \"$")?;
    let (name, behind) = right.split_once('"')?;
    let name = name.trim_matches(['{', '}']);
    let is_name = !name.is_empty() && name.chars().all(is_part) && behind.starts_with([' ', ';']);
    let value = match values_of(text, name)?.as_slice() {
        [value] => *value,
        _ => return None,
    };
    let is_expression = !value.starts_with(['$', '"']) && is_expression(value.trim_matches('\''));
    (is_name && is_expression).then(|| {
        let why = format!(
            "\"=~ \\\"${name}\\\"\" compares with the text in the variable, not with a pattern"
        );
        (why, format!("leave the quotes out: =~ ${name}"))
    })
}

/// Returns what a test compares a value with, if there is nothing else.
fn compared_with<'l>(line: &'l str, value: &str) -> Option<&'l str> {
    let (before, behind) = line.split_once(value)?;
    // `x${…}` is a longer text.
    let others = match before.rsplit_once("${") {
        Some((others, _)) if !value.starts_with('$') => others,
        _ => before,
    };
    if !others.trim_end_matches('"').ends_with([' ', '\t']) {
        return None;
    }
    let behind = behind.trim_start_matches('"').trim_start();
    let right = behind
        .strip_prefix("==")
        .or_else(|| behind.strip_prefix('=').filter(|it| !it.starts_with('~')))?;
    let ends = [" ]", " &&", " ||", " -a ", " -o "]
        .iter()
        .filter_map(|it| right.find(it));
    Some(right[..ends.min().unwrap_or(right.len())].trim())
}

/// Looks for a text in large letters that is compared with one in small letters, or the other way
/// round.
fn check_case(line: &str) -> Option<Found> {
    [("^^}", true), (",,}", false)]
        .into_iter()
        .find_map(|(sign, is_large)| {
            let right = compared_with(line, sign)?;
            let is_other = |it: char| {
                if is_large {
                    it.is_ascii_lowercase()
                } else {
                    it.is_ascii_uppercase()
                }
            };
            let is_plain = !right.contains(['$', '[', '\\']);
            (is_plain && right.contains(is_other)).then(|| {
                let size = if is_large { "large" } else { "small" };
                let why = format!(
                    "a text of only {size} characters is compared with \"{}\"",
                    excerpt(right)
                );
                let right = if is_large {
                    right.to_ascii_uppercase()
                } else {
                    right.to_ascii_lowercase()
                };
                (why, format!("write {}", excerpt(&right)))
            })
        })
}

/// Looks for what follows the last dot of a name, compared with a text that has a dot.
fn ending_with_a_dot(line: &str) -> Option<Found> {
    let right = compared_with(line, "##*.}")?.trim_matches(['"', '\'']);
    right.starts_with('.').then(|| {
        let why = format!(
            "\"${{…##*.}}\" has no dot, and is compared with \"{}\"",
            excerpt(right)
        );
        (
            why,
            format!("write \"{}\"", excerpt(right.trim_start_matches('.'))),
        )
    })
}

/// Looks for blanks at the ends of a text that something is compared with as a whole.
fn blank_at_the_end(text: &str, line: &str) -> Option<Found> {
    let script = text;
    let inside = line.split_once("[ ").map(|(_, it)| it)?;
    let (left, right) = inside
        .split_once(" == ")
        .or_else(|| inside.split_once(" = "))?;
    let right = right.split(" ]").next()?;
    let (text, is_special) = right
        .trim()
        .strip_prefix('$')
        .map_or((right.trim(), false), |it| (it, true));
    let sign = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let inner = text[1..].strip_suffix(sign)?;
    let ends =
        inner.ends_with(' ') || inner.starts_with(' ') || is_special && inner.ends_with("\\n");
    let name = left
        .trim()
        .trim_matches('"')
        .strip_prefix('$')
        .unwrap_or_default();
    let name = name
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(name);
    let is_name = !name.is_empty() && name.chars().all(is_part);
    let is_plain = !inner.contains(['$', '"', '\'']) && is_name && is_of_event(script, name);
    let plain = inner.trim_end_matches("\\n").trim();
    (ends && is_plain && !plain.is_empty()).then(|| {
        let why = format!(
            "it is compared with \"{}\": the spaces at its ends are part of it",
            excerpt(inner)
        );
        (
            why,
            format!(
                "write \"{}\", or [[ … == \"{}\"* ]]",
                excerpt(plain),
                excerpt(inner.trim_end_matches("\\n"))
            ),
        )
    })
}

/// Looks for a pattern that never matches the quote with which jq begins a text.
fn quoted_by_jq(text: &str, line: &str) -> Option<Found> {
    let (name, value) = line.split_once("=$(jq ")?;
    let filter = value.strip_suffix(')')?.trim_matches(['\'', '"']);
    let is_text = matches!(
        filter,
        ".tool_input.command" | ".tool_input.file_path" | ".tool_name"
    );
    let name = name.rsplit(' ').next()?;
    // A second assignment may remove the quotes.
    if values_of(text, name)?.len() != 1 {
        return None;
    }
    let begins = |right: &str| {
        let right = right.trim_start_matches(['"', '\'', '(']);
        right.starts_with(|it: char| it.is_ascii_alphabetic() || matches!(it, '/' | '.'))
    };
    let in_case = [format!("case ${name} in"), format!("case \"${name}\" in")]
        .iter()
        .any(|head| {
            let body = text
                .split_once(head.as_str())
                .map_or("", |(_, it)| it.split("esac").next().unwrap_or(it));
            let heads: Vec<&str> = body
                .split(";;")
                .filter_map(|it| it.split_once(')').map(|(head, _)| head.trim()))
                .collect();
            let fits_all = |it: &&str| begins(it) || *it == "*";
            !heads.is_empty() && heads.iter().all(fits_all) && heads.iter().any(|it| begins(it))
        });
    let forms = [format!("${name} "), format!("${name}\" ")];
    let is_pattern = |it: &&str| {
        let mut compared = forms.iter().filter_map(|form| compared_with(it, form));
        compared.any(|right| begins(right) && right.ends_with('*'))
    };
    let in_test = text.lines().any(|it| it.contains("[[ ") && is_pattern(&it));
    (is_text && (in_case || in_test)).then(|| {
        let why =
            "jq prints strings in quotes, but what they are compared with has none".to_owned();
        (why, format!("write jq -r {filter}"))
    })
}
