//! Comparisons in programs that can't be true for any input (CM-3): a list with a string, a file
//! ending without its dot, a wildcard used as an expression.

use hookloop_text::shorten::excerpt;

use super::super::Flaw;
use super::super::source::{Source, closing, is_part, literal, whole_literal};
use super::super::variable_values::{is_command, names_of};
use crate::refusal::Language;

pub(super) fn find(source: &Source<'_>) -> Option<Flaw> {
    expression_as_wildcard(source)
        .or_else(|| ending_without_dot(source))
        .or_else(|| list_as_text(source))
        .or_else(|| text_as_list(source))
        .or_else(|| blanks_that_were_cut(source))
}

/// Looks for a regular expression that is given to `fnmatch`.
fn expression_as_wildcard(source: &Source<'_>) -> Option<Flaw> {
    if source.language != Language::Python {
        return None;
    }
    ["fnmatch", "fnmatchcase"].into_iter().find_map(|name| {
        source.calls(name).find_map(|call| {
            let pattern = literal(call.arguments.get(1)?)?.inner;
            let is_expression = pattern.contains("\\.")
                || pattern.ends_with('$')
                || pattern.starts_with('^')
                || pattern.contains(".*\\");
            is_expression.then(|| {
                let right = pattern
                    .trim_matches(['^', '$'])
                    .replace("\\.", ".")
                    .replace(".*", "*");
                let why = format!(
                    "{name} is given \"{}\", a regular expression, but expects wildcards",
                    excerpt(pattern)
                );
                Flaw::for_comparison(
                    source.line_of(call.start),
                    why,
                    format!("write \"{}\", or re.search", excerpt(&right)),
                )
            })
        })
    })
}

/// Looks for the ending of a name, which begins with a dot, compared with a text that doesn't.
fn ending_without_dot(source: &Source<'_>) -> Option<Flaw> {
    let endings: &[&str] = match source.language {
        Language::Python => &[".suffix", "splitext("],
        _ => &["extname("],
    };
    endings.iter().find_map(|ending| {
        source.plain.match_indices(ending).find_map(|(at, _)| {
            let line = source.text[at..].lines().next().unwrap_or_default();
            let plain = source.plain[at..].lines().next().unwrap_or_default();
            let operator = plain.find("==")?;
            let between = plain[ending.len()..operator].trim_end();
            let is_ending = match *ending {
                ".suffix" => between.is_empty(),
                "splitext(" => between.ends_with(")[1]"),
                _ => between.ends_with(')'),
            };
            let right = line[operator..].trim_start_matches('=');
            let text = whole_literal(right).filter(|it| !it.is_empty() && !it.starts_with('.'))?;
            let joined = between.contains(" and ") || between.contains("&&");
            (is_ending && !joined).then(|| {
                let why = format!(
                    "an extension starts with its dot, but is compared with \"{}\"",
                    excerpt(text)
                );
                Flaw::for_comparison(
                    source.line_of(at),
                    why,
                    format!("write \".{}\"", excerpt(text)),
                )
            })
        })
    })
}

/// Looks for a list of words compared with a text, or for several words that are one of them.
fn list_as_text(source: &Source<'_>) -> Option<Flaw> {
    if source.language != Language::Python {
        return None;
    }
    let help = "compare the list with a list, [\"rm\", \"-rf\"], or a string with the string";
    for call in source.calls(".split") {
        let behind = source.text[call.end..].trim_start_matches(' ');
        let right = behind.strip_prefix("==").map(str::trim_start);
        if let Some(text) = right.and_then(whole_literal) {
            let why = format!(
                "a list of words is compared with the string \"{}\"",
                excerpt(text)
            );
            return Some(Flaw::for_comparison(source.line_of(call.start), why, help));
        }
    }
    let is_list = |value: &str| {
        value.ends_with(".split()") || value.starts_with("shlex.split(") && value.ends_with(')')
    };
    let names = names_of(source, &is_list);
    names.into_iter().find_map(|name| {
        let asked = format!(" in {name}");
        source.plain.match_indices(&asked).find_map(|(at, asked)| {
            let goes_on = source.plain[at + asked.len()..]
                .starts_with(|it| is_part(it) || matches!(it, '[' | '.' | '('));
            let before = source.text[..at].trim_end();
            let before = before.strip_suffix(" not").unwrap_or(before);
            let sign = before
                .chars()
                .next_back()
                .filter(|it| matches!(it, '"' | '\''))?;
            let (_, text) = before[..before.len() - 1].rsplit_once(sign)?;
            (!goes_on && text.trim().contains(' ')).then(|| {
                let why = format!(
                    "\"{}\" is more than one word, but \"{name}\" contains single words",
                    excerpt(text)
                );
                Flaw::for_comparison(source.line_of(at), why, "check each word separately")
            })
        })
    })
}

/// Looks for a command, which is a text, compared with a list of words.
fn text_as_list(source: &Source<'_>) -> Option<Flaw> {
    let is_python = source.language == Language::Python;
    let sign = if is_python { "== [" } else { "=== [" };
    source.plain.match_indices(sign).find_map(|(at, _)| {
        let before = source.text[..at].trim_end_matches(' ');
        let left = before.rsplit([' ', '(', '\n']).next().unwrap_or_default();
        // In JavaScript, a literal list is never equal to another value.
        let inner = &source.plain[at + sign.len()..];
        let goes_on = closing(inner).is_none_or(|it| inner[it + 1..].starts_with(['[', '.']));
        let is_never = !goes_on && (!is_python || is_command(source, left));
        is_never.then(|| {
            let why = format!(
                "\"{}\" is compared with a list, which it never equals",
                excerpt(left)
            );
            let help = "compare the string with a string, or its words with the list";
            Flaw::for_comparison(source.line_of(at), why, help)
        })
    })
}

/// Looks for a text without blanks at its ends compared with one that has some.
fn blanks_that_were_cut(source: &Source<'_>) -> Option<Flaw> {
    let (cuts, equals): (&[&str], &[&str]) = match source.language {
        Language::Python => (&[".strip()"], &["=="]),
        _ => (&[".trim()"], &["===", "=="]),
    };
    cuts.iter().find_map(|cut| {
        source.plain.match_indices(cut).find_map(|(at, _)| {
            let behind = source.text[at + cut.len()..].trim_start_matches(' ');
            let right = equals.iter().find_map(|it| behind.strip_prefix(it))?;
            let text = whole_literal(right)?;
            let has_blanks = text.trim() != text || text.ends_with("\\n");
            (has_blanks && !text.trim().is_empty()).then(|| {
                let why = format!(
                    "\"{cut}\" removes the spaces, and the rest is compared with \"{}\"",
                    excerpt(text)
                );
                let right = text.trim_end_matches("\\n").trim();
                Flaw::for_comparison(
                    source.line_of(at),
                    why,
                    format!("write \"{}\"", excerpt(right)),
                )
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: what can't be true is found, and what can be isn't.
    #[test]
    fn what_cant_be_true_is_found() {
        use Language::{JavaScript, Python};
        for (language, text, is_never) in [
            (Python, "if fnmatch.fnmatch(path, r'.*\\.env$'): x", true),
            (Python, "if fnmatch.fnmatch(path, '*.env'): x", false),
            (Python, "if os.path.splitext(p)[1] == 'env': x", true),
            (Python, "if os.path.splitext(p)[0] == 'env': x", false),
            (Python, "if Path(p).suffix == 'py': x", true),
            (Python, "if Path(p).suffix == '.py': x", false),
            (JavaScript, "if (path.extname(p) === 'js') x()", true),
            (JavaScript, "if (path.extname(p) === '.js') x()", false),
            (Python, "if cmd.split() == 'rm -rf build': x", true),
            (Python, "if cmd.split() == ['rm', 'x']: x", false),
            (Python, "if cmd == ['rm', 'x']: x", true),
            (
                Python,
                "if d['tool_input']['command'] == ['rm', 'x']: x",
                true,
            ),
            (Python, "if words == ['rm', 'x']: x", false),
            (JavaScript, "if (cmd === ['rm', 'x']) x()", true),
            (JavaScript, "if (cmd === ['rm', 'x'][0]) x()", false),
            (
                Python,
                "words = shlex.split(cmd)\nif 'rm' in words and '-r -f' in words: x",
                true,
            ),
            (
                Python,
                "words = shlex.split(cmd)\nif 'rm' in words and '-rf' in words: x",
                false,
            ),
            (Python, "words = cmd\nif 'rm -rf' in words: x", false),
            (Python, "if cmd.strip() == 'rm -rf build ': x", true),
            (Python, "if cmd.strip() == 'rm -rf build': x", false),
            (JavaScript, "if (cmd.trim() === ' rm') x()", true),
        ] {
            let source = Source::read(text, language);
            assert_eq!(find(&source).is_some(), is_never, "{text}");
        }
    }
}
