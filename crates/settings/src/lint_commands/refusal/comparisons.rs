//! Comparisons of shell scripts that are never true (CM-3): what they guard is never refused.

use hookloop_hook::ProblemCode;

use super::uncalled::Language;
use crate::lint_commands::Complaint;
use crate::report::shorten;

/// Looks for a comparison that means another thing than it seems to, in a script that refuses.
pub(super) fn find(what: &str, text: &str) -> Option<Complaint> {
    let code = text
        .lines()
        .filter(|line| !Language::Shell.is_comment(line));
    let code: Vec<&str> = code.collect();
    let of_line = code.iter().find_map(|line| {
        let (opened, inner) = bracketed(line)?;
        comparison(opened, inner)
    });
    let (part, why, help) = of_line.or_else(|| quoted_by_jq(text, &code))?;
    let message = format!("{what}: \"{}\" {why}", shorten(part.trim()));
    Some(Complaint::new(ProblemCode::RefusalLost, message, help))
}

type Found<'t> = (&'t str, &'static str, String);

/// Returns what stands in brackets of a test, and how they open.
fn bracketed(line: &str) -> Option<(&'static str, &str)> {
    for (opened, closed) in [("[[ ", " ]]"), ("[ ", " ]")] {
        let Some(at) = line.find(opened) else {
            continue;
        };
        let before = line[..at].chars().next_back();
        if before.is_some_and(|it| !matches!(it, ' ' | '\t' | ';' | '(' | '!' | '&' | '|')) {
            continue;
        }
        let inner = &line[at + opened.len()..];
        return inner.find(closed).map(|end| (opened, &inner[..end]));
    }
    None
}

fn comparison<'t>(opened: &str, inner: &'t str) -> Option<Found<'t>> {
    let operators = [" =~ ", " == ", " != ", " = "];
    let (operator, right) = operators.iter().find_map(|operator| {
        let (_, right) = inner.split_once(operator)?;
        Some((operator.trim(), right.trim()))
    })?;
    let is_joined = right.contains(" -a ") || right.contains(" && ") || right.contains(" || ");
    if is_joined || right.contains('$') || operator == "!=" {
        return None;
    }
    let quoted = |sign: char| right.len() > 1 && right.starts_with(sign) && right.ends_with(sign);
    let is_quoted = quoted('"') || quoted('\'');
    let plain = right.trim_matches(['"', '\'']);
    if operator == "=~" {
        let is_pattern = plain.contains(['^', '*', '+', '|', '(', '[']) || plain.ends_with('$');
        return (is_quoted && is_pattern).then(|| {
            let help = format!("leave the quotes away: =~ {plain}");
            (
                inner,
                "compares with the text in the quotes, not with a pattern, so it is never true",
                help,
            )
        });
    }
    let is_pattern = plain.contains('*') && plain.len() > 1;
    if opened == "[ " && is_pattern {
        let help = format!("write [[ … == {plain} ]], without quotes around the pattern");
        return Some((
            inner,
            "compares with the text itself: \"[\" knows no patterns, so it is never true",
            help,
        ));
    }
    (is_quoted && is_pattern).then(|| {
        let help = format!("leave the quotes away: == {plain}");
        (
            inner,
            "compares with the text in the quotes, not with a pattern, so it is never true",
            help,
        )
    })
}

/// Looks for a text that jq printed in quotes, and that is compared with one that has none.
fn quoted_by_jq<'t>(text: &'t str, code: &[&'t str]) -> Option<Found<'t>> {
    code.iter().find_map(|line| {
        let (name, value) = line.trim_start().split_once("=$(").or(line.trim_start().split_once("=\"$("))?;
        let is_name = !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
        let (_, filter) = value.split_once("jq ")?;
        let filter = filter.split(')').next().unwrap_or(filter).trim();
        let path = filter.trim_matches(['\'', '"']);
        let is_path = path.starts_with('.') && path.bytes().all(|it| it.is_ascii_alphanumeric() || b"._".contains(&it));
        if !is_name || !is_path {
            return None;
        }
        let compared = [
            format!("\"${name}\" = "), format!("\"${name}\" == "), format!("${name} = "), format!("${name} == "),
        ];
        let at = compared.iter().find_map(|it| Some(text.find(it.as_str())? + it.len()))?;
        let right = text[at..].lines().next().unwrap_or_default();
        let is_bare = !right.contains("\\\"") && !right.starts_with("'\"") && !right.starts_with(['$', '*']);
        let has_pattern = right.split(" ]").next().is_some_and(|it| it.contains('*'));
        (is_bare && !has_pattern).then(|| {
            let help = format!("write jq -r {filter}: it prints the text without quotes");
            (*line, "keeps the quotes that jq prints around a text, so what it is compared with never fits", help)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: comparisons that are never true are found, and others are not.
    #[test]
    fn comparisons_that_are_never_true_are_found() {
        for text in [
            "if [ \"$f\" == *.txt ]; then exit 2; fi",
            "if [ $f = \"*.txt\" ]; then exit 2; fi",
            "[[ $f == \"*.txt\" ]] && exit 2",
            "[[ $f =~ \"^out.*\" ]] && exit 2",
            "f=$(jq .tool_input.file_path)\n[ \"$f\" = out.txt ] && exit 2",
        ] {
            assert!(find("x", text).is_some(), "{text}");
        }
        for text in [
            "[[ $f == *.txt ]] && exit 2",
            "[ \"$f\" = out.txt ] && exit 2",
            "[[ $f =~ ^out ]] && exit 2",
            "[[ $f =~ \"out\" ]] && exit 2",
            "[[ $f == \"$other\"* ]] && exit 2",
            "[ \"$a\" = \"*\" ] && exit 2",
            "f=$(jq -r .tool_input.file_path)\n[ \"$f\" = out.txt ] && exit 2",
            "f=$(jq .tool_input.file_path)\n[ \"$f\" = '\"out.txt\"' ] && exit 2",
            "f=$(jq .tool_input.file_path)\n[[ \"$f\" == *out* ]] && exit 2",
        ] {
            assert!(find("x", text).is_none(), "{text}");
        }
    }
}
