//! Comparisons of shell scripts with what never fits (CM-3): what they guard is let pass.

use super::source::is_part;
use crate::report::shorten;

/// What is wrong, and what to write.
pub(super) type Found = (String, String);

/// Looks into a line of a script.
pub(super) fn find(text: &str, line: &str) -> Option<Found> {
    quoted_expression(text, line)
        .or_else(|| of_another_case(line))
        .or_else(|| ending_with_a_dot(line))
        .or_else(|| blank_at_the_end(line))
        .or_else(|| quoted_by_jq(text, line))
}

/// Looks for an expression in a variable that is compared in quotes.
fn quoted_expression(text: &str, line: &str) -> Option<Found> {
    let (_, right) = line.split_once("=~ \"$")?;
    let name = right.split('"').next()?.trim_matches(['{', '}']);
    let is_name = !name.is_empty() && name.chars().all(is_part);
    let value = text
        .lines()
        .find_map(|it| it.trim_start().strip_prefix(name)?.strip_prefix('='))?;
    let signs = ["+", "(", "[", "\\", "^", "$'", ".*"];
    (is_name && signs.iter().any(|it| value.contains(it)) && !value.starts_with(['$', '"'])).then(
        || {
            let why = format!(
                "\"=~ \\\"${name}\\\"\" compares with the text in the variable, not with a pattern"
            );
            (why, format!("leave the quotes away: =~ ${name}"))
        },
    )
}

/// Returns what a test compares a value with.
fn compared_with<'l>(line: &'l str, value: &str) -> Option<&'l str> {
    let behind = line
        .split_once(value)?
        .1
        .trim_start_matches('"')
        .trim_start();
    let right = behind
        .strip_prefix("==")
        .or_else(|| behind.strip_prefix('='))?;
    let right = right.split(" ]").next()?;
    Some(right.split(" &&").next().unwrap_or(right).trim())
}

/// Looks for a text in large letters that is compared with one in small letters, or the other way round.
fn of_another_case(line: &str) -> Option<Found> {
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
                    "a text of {size} letters alone is compared with \"{}\", which never fits",
                    shorten(right)
                );
                let right = if is_large {
                    right.to_ascii_uppercase()
                } else {
                    right.to_ascii_lowercase()
                };
                (why, format!("write {}", shorten(&right)))
            })
        })
}

/// Looks for what stands behind the last dot of a name, compared with a dot.
fn ending_with_a_dot(line: &str) -> Option<Found> {
    let right = compared_with(line, "##*.}")?.trim_matches(['"', '\'']);
    right.starts_with('.').then(|| {
        let why = format!(
            "\"${{…##*.}}\" has no dot, and is compared with \"{}\"",
            shorten(right)
        );
        (
            why,
            format!("write \"{}\"", shorten(right.trim_start_matches('.'))),
        )
    })
}

/// Looks for blanks at the ends of a text that something is compared with as a whole.
fn blank_at_the_end(line: &str) -> Option<Found> {
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
    let is_plain = !inner.contains(['$', '"', '\'']) && left.contains('$');
    let plain = inner.trim_end_matches("\\n").trim();
    (ends && is_plain && !plain.is_empty()).then(|| {
        let why = format!(
            "it is compared with \"{}\": the blanks at its ends are part of it",
            shorten(inner)
        );
        (
            why,
            format!(
                "write \"{}\", or [[ … == \"{}\"* ]]",
                shorten(plain),
                shorten(plain)
            ),
        )
    })
}

/// Looks for a pattern that never fits the quote with which jq begins a text.
fn quoted_by_jq(text: &str, line: &str) -> Option<Found> {
    let (name, value) = line.split_once("=$(jq ")?;
    let filter = value.strip_suffix(')')?.trim_matches(['\'', '"']);
    let is_text = matches!(
        filter,
        ".tool_input.command" | ".tool_input.file_path" | ".tool_name"
    );
    let name = name.rsplit(' ').next()?;
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
    let value = format!("${name}");
    let is_pattern = |it: &&str| {
        compared_with(it, &value).is_some_and(|right| begins(right) && right.ends_with('*'))
    };
    let in_test = text.lines().any(|it| it.contains("[[ ") && is_pattern(&it));
    (is_text && (in_case || in_test)).then(|| {
        let why = "jq prints a text in quotes, and what it is compared with begins without one"
            .to_owned();
        (why, format!("write jq -r {filter}"))
    })
}
