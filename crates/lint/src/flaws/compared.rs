//! Comparisons that are never true in Python and JavaScript programs (CM-3): what they guard
//! against is let through.

mod never;

use hookloop_text::shorten::excerpt;

use super::source::{Source, is_part, literal, whole_literal};
use super::variable_values::{ARGUMENTS, arguments_of, is_command, names_of};
use super::{Flaw, names_command, patterns};
use crate::refusal::Language;

/// Files whose whole name looks like an ending.
const DOT_FILES: [&str; 8] = [
    ".env",
    ".npmrc",
    ".netrc",
    ".pypirc",
    ".gitignore",
    ".bashrc",
    ".htpasswd",
    ".pgpass",
];

/// Looks for a comparison that is never true.
pub(super) fn find(source: &Source<'_>) -> Option<Flaw> {
    patterns::find(source)
        .or_else(|| patterns::list_of_beginnings(source))
        .or_else(|| check_case(source))
        .or_else(|| ending_of_a_dot_file(source))
        .or_else(|| word_with_a_blank(source))
        .or_else(|| blanks_at_the_end(source))
        .or_else(|| not_at_the_start(source))
        .or_else(|| the_other_way_round(source))
        .or_else(|| never::find(source))
}

/// Operators and methods that compare, and are followed by a text in quotes.
const COMPARE: [&str; 12] = [
    " === ",
    "===",
    " == ",
    "==",
    ".includes(",
    ".startsWith(",
    ".endsWith(",
    ".startswith(",
    ".endswith(",
    ".indexOf(",
    ".find(",
    ".count(",
];

/// Returns the texts that a value is compared with, with their places.
fn compared_with<'s>(source: &'s Source<'_>, value: &str) -> Vec<(usize, &'s str)> {
    let mut found = Vec::new();
    for (at, _) in source.plain.match_indices(value) {
        let end = at + value.len();
        let before = &source.plain[..at];
        let goes_on = value.ends_with(is_part) && source.plain[end..].starts_with(is_part);
        let is_part_of_one =
            !value.starts_with('.') && before.ends_with(|it| is_part(it) || it == '.');
        if goes_on || is_part_of_one {
            continue;
        }
        let behind = &source.text[end..];
        let compare = COMPARE.iter().find(|it| behind.starts_with(**it));
        if let Some(text) = compare.and_then(|it| whole_literal(&behind[it.len()..])) {
            found.push((at, text));
        }
        // A derived value is another text.
        let is_changed = behind.starts_with(['.', '[', '(']) && !behind.starts_with(".split(");
        if !is_changed {
            found.extend(contained_text(source, at).map(|text| (at, text)));
        }
    }
    found
}

/// Returns the text that is looked for in a value of Python: `'x' in value`.
fn contained_text<'s>(source: &'s Source<'_>, at: usize) -> Option<&'s str> {
    let start = source.plain[..at].rfind('\n').map_or(0, |it| it + 1);
    let place = source.plain[start..at].rfind(" in ")?;
    let is_plain = |it: char| is_part(it) || matches!(it, '.' | '[' | ']' | '\'' | '"' | '(' | ')');
    let between = source.plain[start + place + 4..at].trim();
    if source.language != Language::Python || !between.chars().all(is_plain) {
        return None;
    }
    let before = source.text[start..start + place].trim_end();
    let sign = before
        .chars()
        .next_back()
        .filter(|it| matches!(it, '"' | '\''))?;
    let (others, text) = before[..before.len() - 1].rsplit_once(sign)?;
    // The literal may be a template, or part of a concatenation.
    let is_whole = !others.ends_with(['f', 'F', '+']) && !others.trim_end().ends_with(['+', '%']);
    is_whole.then_some(text)
}

/// Looks for a text in lower case that is compared with one that contains capitals.
fn check_case(source: &Source<'_>) -> Option<Flaw> {
    let forms: [(&[&str], bool); 2] = [
        (&[".lower()", ".casefold()", ".toLowerCase()"], true),
        (&[".upper()", ".toUpperCase()"], false),
    ];
    forms.into_iter().find_map(|(endings, is_small)| {
        let names = names_of(source, &|value| {
            endings.iter().any(|it| value.ends_with(it))
        });
        let values = endings.iter().copied().chain(names);
        let mut values = values.flat_map(|it| compared_with(source, it));
        let (at, text) = values.find(|(_, text)| {
            let is_other = |it: char| {
                if is_small {
                    it.is_ascii_uppercase()
                } else {
                    it.is_ascii_lowercase()
                }
            };
            text.contains(is_other) && !text.contains('\\')
        })?;
        let (size, right) = if is_small {
            ("small", text.to_ascii_lowercase())
        } else {
            ("large", text.to_ascii_uppercase())
        };
        Some(Flaw::for_comparison(
            source.line_of(at),
            format!(
                "a text of only {size} characters is compared with \"{}\"",
                excerpt(text)
            ),
            format!("write \"{}\"", excerpt(&right)),
        ))
    })
}

/// Looks for a file extension that is compared with the name of a file that has none.
///
/// A program that compares several extensions, or the name as well, may mean `prod.env`.
fn ending_of_a_dot_file(source: &Source<'_>) -> Option<Flaw> {
    const NAMES: [&str; 16] = [
        ".name",
        "basename",
        "ndswith(",
        "ndsWith(",
        "tartswith(",
        "tartsWith(",
        "includes(",
        ".match(",
        ".test(",
        ".stem",
        ".parts",
        "fnmatch",
        "re.search",
        "re.match",
        "re.compile",
        "rsplit(",
    ];
    const ENDINGS: [&str; 3] = [".suffix", "splitext(", "extname("];
    if NAMES.iter().any(|it| source.plain.contains(it)) {
        return None;
    }
    let mut compared = ENDINGS.into_iter().flat_map(|ending| {
        source
            .plain
            .match_indices(ending)
            .filter_map(move |(at, _)| {
                let line = source.text[at..].lines().next().unwrap_or_default();
                let operator = source.plain[at..at + line.len()].find("==")?;
                let between = source.plain[at + ending.len()..at + operator].trim_end();
                let is_whole = between.is_empty()
                    || ending != ".suffix"
                        && !between.contains([' ', '&', '|'])
                        && !between.contains("[0]");
                let right = line[operator..].trim_start_matches('=');
                whole_literal(right)
                    .filter(|_| is_whole)
                    .map(|text| (at, text))
            })
    });
    let (at, file) = compared.find(|(_, text)| DOT_FILES.contains(text))?;
    // A script that also names the file elsewhere checks both.
    let quoted = [format!("'{file}'"), format!("\"{file}\"")];
    let named = quoted
        .iter()
        .map(|it| source.text.matches(it.as_str()).count());
    (named.sum::<usize>() == 1).then(|| {
        Flaw::with(
            "this comparison never matches the file with that name",
            source.line_of(at),
            format!("\"{file}\" has no extension: the only dot is the first character of the name"),
            format!("compare the whole name with \"{file}\""),
        )
    })
}

/// Looks for the first word of a text compared with two.
fn word_with_a_blank(source: &Source<'_>) -> Option<Flaw> {
    let values = [
        "split(cmd)[0]",
        "split(command)[0]",
        ".split()[0]",
        ".split(' ')[0]",
        ".split(\" \")[0]",
        ".split(/\\s+/)[0]",
    ];
    let mut found = values.iter().flat_map(|value| {
        let places = source.text.match_indices(value);
        places.filter_map(|(at, _)| {
            let behind = &source.text[at + value.len()..];
            let compare = [" === ", "===", " == ", "=="]
                .into_iter()
                .find(|it| behind.starts_with(*it))?;
            let text = whole_literal(&behind[compare.len()..])?;
            // Words from shell-like splitting may contain blanks.
            let is_quoted = value.starts_with("split(") && !names_command(text);
            (text.trim().contains(' ') && !is_quoted).then_some((at, text))
        })
    });
    let (at, text) = found.next()?;
    let word = text.split_whitespace().next().unwrap_or_default();
    Some(Flaw::for_comparison(
        source.line_of(at),
        format!(
            "the first word is compared with \"{}\", which is several words",
            excerpt(text)
        ),
        format!("compare it with \"{word}\", and the other words separately"),
    ))
}

/// Looks for blanks around a text that something is compared with as a whole.
fn blanks_at_the_end(source: &Source<'_>) -> Option<Flaw> {
    let mut names = ARGUMENTS
        .into_iter()
        .flat_map(|key| arguments_of(source, key));
    names.find_map(|name| {
        let mut compared = compared_with(source, name).into_iter();
        let (at, text) = compared.find(|(at, text)| {
            let behind = source.text[at + name.len()..].trim_start();
            let ends = text.ends_with("\\n") || text.ends_with(' ') || text.starts_with(' ');
            behind.starts_with("==") && ends && !text.trim().is_empty()
        })?;
        let right = text.trim_end_matches("\\n").trim();
        Some(Flaw::for_comparison(
            source.line_of(at),
            format!(
                "\"{name}\" is compared with \"{}\": the spaces at its ends are part of it",
                excerpt(text)
            ),
            format!("write \"{}\"", excerpt(right)),
        ))
    })
}

/// Looks for `find(…) > 0`, which is false if the command begins with what is searched for.
fn not_at_the_start(source: &Source<'_>) -> Option<Flaw> {
    // A script that also checks the beginning is probably right.
    const BEGINNINGS: [&str; 6] = [
        "startswith(",
        "startsWith(",
        "re.match",
        "=== 0",
        "== 0",
        "lastIndexOf(",
    ];
    if BEGINNINGS.iter().any(|it| source.plain.contains(it)) {
        return None;
    }
    ["indexOf", "find"].into_iter().find_map(|name| {
        source.calls(name).find_map(|call| {
            let behind = source.plain[call.end..].trim_start();
            let rest = behind.strip_prefix('>')?.trim_start();
            let is_zero = rest.starts_with('0') && !rest[1..].starts_with(is_part);
            let text = literal(call.arguments.first()?)?;
            let before = source.text[..call.start].strip_suffix('.')?;
            let line = before.rsplit('\n').next().unwrap_or_default();
            let others = line.trim_end_matches(|it: char| is_part(it) || "[]'\".?".contains(it));
            let searched = &line[others.len()..];
            let is_meant = names_command(text.inner) && is_command(source, searched);
            (is_zero && call.arguments.len() == 1 && is_meant).then(|| {
                let shown = excerpt(text.inner);
                Flaw::with(
                    "that is let pass",
                    source.line_of(call.start),
                    format!("\"{name}(…) > 0\" is false where the command begins with \"{shown}\""),
                    format!("write {name}(…) >= 0"),
                )
            })
        })
    })
}

/// Looks for `cmd in "rm -rf /"`, which asks whether the command is a part of the text.
fn the_other_way_round(source: &Source<'_>) -> Option<Flaw> {
    if source.language != Language::Python {
        return None;
    }
    arguments_of(source, "command")
        .into_iter()
        .find_map(|name| {
            let asked = format!("{name} in ");
            source.places(&asked).find_map(|at| {
                let text = whole_literal(&source.text[at + asked.len()..])?;
                let is_loop = source.plain[..at].ends_with("for ");
                let mut words = text.split(' ');
                let is_one = names_command(text)
                    && words.nth(1).is_some_and(|it| it.starts_with(['-', '/']));
                (is_one && !is_loop && !text.contains(['|', ',', ';'])).then(|| {
                    let shown = excerpt(text);
                    Flaw::with(
                        "it never matches a command that contains more",
                        source.line_of(at),
                        format!("it checks whether \"{name}\" is a part of \"{shown}\""),
                        format!("write \"{shown}\" in {name}"),
                    )
                })
            })
        })
}

#[cfg(test)]
mod tests;
