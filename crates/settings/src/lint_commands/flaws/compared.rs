//! Comparisons that are never true in programs in Python and JavaScript (CM-3): what they guard is let pass.

use super::Flaw;
use super::source::{Source, first_literal, is_part, literal};
use crate::lint_commands::refusal::Language;
use crate::report::shorten;

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
    let found = match source.language {
        Language::Python => wrong_pattern(source).or_else(|| list_of_beginnings(source)),
        _ => pattern_in_quotes(source),
    };
    found
        .or_else(|| of_another_case(source))
        .or_else(|| ending_of_a_dot_file(source))
        .or_else(|| word_with_a_blank(source))
        .or_else(|| blanks_at_the_end(source))
        .or_else(|| not_at_the_start(source))
        .or_else(|| the_other_way_round(source))
}

/// Looks for the first argument that should be the second, or is written in the wrong quotes.
pub(super) fn wrong_pattern(source: &Source<'_>) -> Option<Flaw> {
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
            let line = source.line_of(call.start);
            let Some(pattern) = literal(first) else {
                let swapped = call.arguments.get(1).and_then(|it| literal(it))?;
                let is_flag = name == "re.compile";
                return (!is_flag).then(|| {
                    let shown = shorten(swapped.inner);
                    Flaw::new(
                        line,
                        format!(
                            "{name} is given what to search in first, and \"{shown}\" as the text"
                        ),
                        format!("write {name}(r\"{shown}\", {first})"),
                    )
                });
            };
            let has_bell = !pattern.is_raw && has_backspace(pattern.inner);
            if has_bell {
                let shown = shorten(pattern.inner);
                let why =
                    format!("without r in front of \"{shown}\" its \\b is the sign of a backspace");
                return Some(Flaw::new(line, why, format!("write r\"{shown}\"")));
            }
            (name == "re.match")
                .then(|| meant_to_search(pattern.inner))
                .flatten()
                .map(|why| {
                    Flaw::new(
                        line,
                        format!("re.match looks only where the text begins, and {why}"),
                        "write re.search",
                    )
                })
        })
    })
}

/// Tells whether a text in plain quotes holds `\b`, which isn't what it is to an expression.
fn has_backspace(inner: &str) -> bool {
    let mut is_escaped = false;
    inner.chars().any(|letter| {
        let found = is_escaped && letter == 'b';
        is_escaped = letter == '\\' && !is_escaped;
        found
    })
}

/// Says why an expression can't be meant for the beginning of a text alone.
fn meant_to_search(pattern: &str) -> Option<String> {
    let starts_inside = ["\\s+", " ", "[;&|]", "[&;|]", "(?:\\s", "(\\s", "\\W"];
    let has_choice = ["(^|", "(?:^|", "|^)"]
        .iter()
        .any(|it| pattern.contains(it));
    if has_choice {
        return Some(format!("\"{}\" names other places too", shorten(pattern)));
    }
    let is_inside = starts_inside.iter().any(|it| pattern.starts_with(it));
    is_inside.then(|| format!("\"{}\" begins with what is inside of it", shorten(pattern)))
}

/// Names of variables that a text is assigned to whose end is one of these: `x = cmd.lower()`.
fn names_of<'s>(source: &'s Source<'_>, endings: &[&str]) -> Vec<&'s str> {
    let lines = source.text.lines();
    let assigned = lines.filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let value = value.trim().trim_end_matches(';');
        let name = name.trim().rsplit(' ').next()?;
        let is_it = endings.iter().any(|it| value.ends_with(it));
        let is_name = !name.is_empty() && name.chars().all(is_part);
        (is_it && is_name).then_some(name)
    });
    // What is assigned twice may be another text.
    let once = assigned.filter(|name| {
        let forms = [format!("{name} = "), format!("{name}=")];
        forms
            .iter()
            .map(|it| source.places(it).count())
            .sum::<usize>()
            == 1
    });
    once.collect()
}

/// What compares, and is followed by a text in quotes.
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
        let is_whole =
            value.starts_with('.') || !source.plain[..at].ends_with(|it| is_part(it) || it == '.');
        if !is_whole {
            continue;
        }
        let behind = &source.text[end..];
        let compare = COMPARE.iter().find(|it| behind.starts_with(**it));
        if let Some(text) = compare.and_then(|it| first_literal(&behind[it.len()..])) {
            found.push((at, text));
        }
        // `'x' in value`, `value in ('x', 'y')`
        let line_start = source.plain[..at].rfind('\n').map_or(0, |it| it + 1);
        let subject = source.plain[line_start..at].rfind(" in ");
        if let Some(place) = subject {
            let before = source.text[line_start..line_start + place].trim_end();
            let between = &source.plain[line_start + place + 4..at];
            let is_plain = between
                .trim()
                .chars()
                .all(|it| is_part(it) || matches!(it, '.' | '[' | ']' | '\'' | '"' | '(' | ')'));
            let sign = before
                .chars()
                .next_back()
                .filter(|it| matches!(it, '"' | '\''));
            let text = sign.and_then(|sign| before[..before.len() - 1].rsplit_once(sign));
            if let Some((_, text)) =
                text.filter(|_| is_plain && source.language == Language::Python)
            {
                found.push((at, text));
            }
        }
    }
    found
}

/// Looks for a text of which every letter was made small, compared with one that has large ones.
fn of_another_case(source: &Source<'_>) -> Option<Flaw> {
    let forms: [(&[&str], bool); 2] = [
        (&[".lower()", ".casefold()", ".toLowerCase()"], true),
        (&[".upper()", ".toUpperCase()"], false),
    ];
    forms.into_iter().find_map(|(endings, is_small)| {
        let names = names_of(source, endings);
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
        Some(Flaw::new(
            source.line_of(at),
            format!(
                "a text of {size} letters alone is compared with \"{}\", which never fits",
                shorten(text)
            ),
            format!("write \"{}\"", shorten(&right)),
        ))
    })
}

/// Looks for the ending of a file's name compared with the name of a file that has none.
fn ending_of_a_dot_file(source: &Source<'_>) -> Option<Flaw> {
    let named = |it: &str| {
        let quoted = [format!("'{it}'"), format!("\"{it}\"")];
        quoted
            .iter()
            .map(|it| source.text.matches(it.as_str()).count())
            .sum::<usize>()
    };
    DOT_FILES.iter().find_map(|file| {
        let mut lines = source.text.lines().enumerate();
        let (number, _) = lines.find(|(_, line)| {
            let mut quoted = ['\'', '"']
                .into_iter()
                .map(|sign| format!("{sign}{file}{sign}"));
            let asks = [
                ".suffix == ",
                ".suffix==",
                ".suffix in ",
                "[1] == ",
                "[1]==",
                "[1] in ",
                "extname(",
            ];
            let is_ending =
                line.contains(".suffix") || line.contains("splitext(") || line.contains("extname(");
            is_ending
                && asks.iter().any(|it| line.contains(it))
                && quoted.any(|it| line.contains(&it))
        })?;
        // Who asks for the whole name too means both.
        (named(file) == 1).then(|| {
            Flaw::new(
                number + 1,
                format!("\"{file}\" has no ending: the name begins with its only dot"),
                format!("compare the whole name with \"{file}\""),
            )
        })
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
            let text = first_literal(&behind[compare.len()..])?;
            text.trim().contains(' ').then_some((at, text))
        })
    });
    let (at, text) = found.next()?;
    let word = text.split_whitespace().next().unwrap_or_default();
    Some(Flaw::new(
        source.line_of(at),
        format!(
            "the first word is compared with \"{}\", which is more than one",
            shorten(text)
        ),
        format!("compare it with \"{word}\", and the other words by themselves"),
    ))
}

/// Returns the names of variables that hold what a tool is given.
fn arguments_of<'s>(source: &'s Source<'_>) -> Vec<&'s str> {
    let keys = ["command", "file_path", "tool_name"];
    let forms = keys.iter().flat_map(|key| {
        [
            format!("['{key}']"),
            format!("[\"{key}\"]"),
            format!(".get('{key}')"),
            format!(".get(\"{key}\")"),
            format!(".get('{key}', '')"),
            format!(".get(\"{key}\", \"\")"),
            format!(".get('{key}','')"),
            format!(".{key}"),
        ]
    });
    let forms: Vec<String> = forms.collect();
    names_of(
        source,
        &forms.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

/// Looks for blanks around a text that something is compared with as a whole.
fn blanks_at_the_end(source: &Source<'_>) -> Option<Flaw> {
    arguments_of(source).into_iter().find_map(|name| {
        let mut compared = compared_with(source, name).into_iter();
        let (at, text) = compared.find(|(at, text)| {
            let behind = source.text[at + name.len()..].trim_start();
            let ends = text.ends_with("\\n") || text.ends_with(' ') || text.starts_with(' ');
            behind.starts_with("==") && ends && !text.trim().is_empty()
        })?;
        let right = text.trim_end_matches("\\n").trim();
        Some(Flaw::new(
            source.line_of(at),
            format!(
                "\"{name}\" is compared with \"{}\": the blanks at its ends are part of it",
                shorten(text)
            ),
            format!("write \"{}\"", shorten(right)),
        ))
    })
}

/// Looks for `find(…) > 0`, which is false where the text begins with what is searched.
fn not_at_the_start(source: &Source<'_>) -> Option<Flaw> {
    ["indexOf", "find"].into_iter().find_map(|name| {
        source.calls(name).find_map(|call| {
            let behind = source.plain[call.end..].trim_start();
            let rest = behind.strip_prefix('>')?.trim_start();
            let is_zero = rest.starts_with('0') && !rest[1..].starts_with(is_part);
            let text = literal(call.arguments.first()?)?;
            (is_zero && call.arguments.len() == 1).then(|| {
                Flaw::new(
                    source.line_of(call.start),
                    format!(
                        "\"{name}(…) > 0\" is false where the text begins with \"{}\"",
                        shorten(text.inner)
                    ),
                    format!("write {name}(…) >= 0"),
                )
            })
        })
    })
}

/// Looks for `cmd in "rm -rf /"`: whether what is given is a part of the text.
fn the_other_way_round(source: &Source<'_>) -> Option<Flaw> {
    if source.language != Language::Python {
        return None;
    }
    arguments_of(source).into_iter().find_map(|name| {
        let asked = format!("{name} in ");
        source.places(&asked).find_map(|at| {
            let text = first_literal(&source.text[at + asked.len()..])?;
            let is_command = text.contains(' ') && !text.contains(['|', ',']);
            is_command.then(|| {
                Flaw::new(
                    source.line_of(at),
                    format!(
                        "it asks whether \"{name}\" is a part of \"{}\"",
                        shorten(text)
                    ),
                    format!("write \"{}\" in {name}", shorten(text)),
                )
            })
        })
    })
}

/// Looks for a list where only a tuple is taken.
fn list_of_beginnings(source: &Source<'_>) -> Option<Flaw> {
    [".startswith", ".endswith"].into_iter().find_map(|name| {
        let call = source
            .calls(name)
            .find(|it| it.arguments.first().is_some_and(|it| it.starts_with('[')))?;
        let why = format!("\"{name}\" takes no list, and fails");
        Some(Flaw::new(
            source.line_of(call.start),
            why,
            format!("write {name}((…, …)), with round brackets"),
        ))
    })
}

/// Looks for a regular expression of JavaScript written as a text: `match('/rm -rf/')`.
fn pattern_in_quotes(source: &Source<'_>) -> Option<Flaw> {
    [".match", ".search", ".matchAll", "RegExp"]
        .into_iter()
        .find_map(|name| {
            source.calls(name).find_map(|call| {
                let inner = literal(call.arguments.first()?)?.inner;
                let line = source.line_of(call.start);
                let shown = shorten(inner);
                if has_backspace(inner) {
                    let why =
                        format!("in quotes the \\b of \"{shown}\" is the sign of a backspace");
                    return Some(Flaw::new(line, why, format!("write /{shown}/")));
                }
                let between = inner.strip_prefix('/')?;
                let (between, flags) = between.rsplit_once('/')?;
                let is_expression = between.contains([' ', '\\', '*', '+', '(', '[', '^', '$'])
                    && !between.contains('/');
                (is_expression && flags.len() < 3).then(|| {
                    let why = format!(
                        "in quotes the slashes of \"{shown}\" are part of what is searched"
                    );
                    Flaw::new(line, why, format!("write it without the quotes: {shown}"))
                })
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, text: &str) -> Option<String> {
        find(&Source::read(text, language)).map(|it| it.why)
    }

    /// CM-3: comparisons that are never true are found.
    #[test]
    fn comparisons_that_never_fit_are_found() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (Python, "if 'RM -RF' in cmd.lower():"),
            (Python, "low = cmd.lower()\nif low.startswith('Rm'):"),
            (Python, "if cmd.upper() == 'rm':"),
            (JavaScript, "if(cmd.toLowerCase().includes('Rm -rf')) x();"),
            (Python, "if p.suffix == '.env':"),
            (Python, "if os.path.splitext(p)[1] in ('.env','.pem'):"),
            (JavaScript, "if(require('path').extname(f)==='.env') x();"),
            (Python, "if shlex.split(cmd)[0] == 'rm -rf':"),
            (JavaScript, "if (cmd.split(' ')[0] === 'rm -rf') x();"),
            (
                Python,
                "cmd = data['tool_input']['command']\nif cmd == 'rm -rf x\\n':",
            ),
            (
                JavaScript,
                "const cmd = d.tool_input.command;\nif (cmd === 'rm ') x();",
            ),
            (Python, "if cmd.find('rm -rf') > 0:"),
            (JavaScript, "if(cmd.indexOf('rm -rf')>0) x();"),
            (
                Python,
                "cmd = data['tool_input']['command']\nif cmd in 'rm -rf /':",
            ),
            (Python, "bad = cmd.startswith(['rm','dd'])"),
            (JavaScript, "if(cmd.match('/rm -rf/')) x();"),
            (JavaScript, "new RegExp('\\brm\\b').test(cmd)"),
        ] {
            assert!(found(language, text).is_some(), "{text}");
        }
    }

    /// CM-3: comparisons that may be true aren't reported.
    #[test]
    fn comparisons_that_may_fit_are_not_reported() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (Python, "if 'rm -rf' in cmd.lower():"),
            (Python, "if 'RM' in name:\n    low = cmd.lower()"),
            (Python, "low = cmd.lower()\nif low == 'rm' or cmd == 'RM':"),
            (Python, "x = a.lower()\nx = b\nif x == 'Rm':"),
            (JavaScript, "if(cmd.toUpperCase().includes('RM -RF')) x();"),
            (Python, "if p.suffix == '.pem':"),
            (Python, "if p.name == '.env' or p.suffix == '.env':"),
            (JavaScript, "if (path.extname(f) === '.key') x();"),
            (Python, "if shlex.split(cmd)[0] == 'rm':"),
            (Python, "if shlex.split(cmd)[:2] == ['rm', '-rf']:"),
            (JavaScript, "if (cmd.split(' ')[0] === 'rm') x();"),
            (
                Python,
                "cmd = data['tool_input']['command']\nif cmd.startswith('rm '):",
            ),
            (Python, "sep = x['separator']\nif sep == ' ':"),
            (Python, "line = f.readline()\nif line == 'quit\\n':"),
            (Python, "if cmd.find('rm -rf') >= 0:"),
            (Python, "if cmd.find('rm') > 0x1:"),
            (JavaScript, "if(cmd.indexOf('rm -rf') > -1) x();"),
            (
                Python,
                "cmd = data['tool_input']['command']\nif 'rm -rf' in cmd:",
            ),
            (
                Python,
                "tool = data['tool_name']\nif tool in 'write_file|replace':",
            ),
            (Python, "bad = cmd.startswith(('rm','dd'))"),
            (
                Python,
                "bad = any(cmd.startswith(it) for it in ['rm','dd'])",
            ),
            (JavaScript, "if(cmd.match(/rm -rf/)) x();"),
            (JavaScript, "if(file.match('/etc/')) x();"),
            (JavaScript, "new RegExp('\\\\brm\\\\b').test(cmd)"),
        ] {
            assert_eq!(found(language, text), None, "{text}");
        }
    }
}
