//! Comparisons of shell scripts that are never true (CM-3): what they guard against is never
//! refused.

use hookloop_hook::ProblemCode;
use hookloop_text::shorten::excerpt;

use super::patterns::{as_pattern, is_command_itself, without_quotes};
use super::uncalled::Language;
use crate::Complaint;

/// Looks for a comparison that doesn't mean what it seems to, in a script that refuses.
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
    let message = format!("{what}: \"{}\" {why}", excerpt(part.trim()));
    Some(Complaint::new(ProblemCode::RefusalLost, message, help))
}

type Found<'t> = (&'t str, &'static str, String);

/// Returns what is in the brackets of a test, and how they open.
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
    // A `$` at the end of a text isn't expanded.
    let has_variable = right
        .trim_end_matches(['"', '\''])
        .trim_end_matches('$')
        .contains('$');
    if is_joined || has_variable || operator == "!=" {
        return None;
    }
    let quoted = |sign: char| right.len() > 1 && right.starts_with(sign) && right.ends_with(sign);
    let is_quoted = quoted('"') || quoted('\'');
    let plain = right.trim_matches(['"', '\'']);
    if operator == "=~" {
        return check_expression(inner, plain, is_quoted);
    }
    // `/*` starts a comment in many languages, and a shell expands `/tmp/*`.
    let may_be_names = !is_quoted && plain.starts_with(['/', '~']);
    let is_sign = plain.trim_matches(['/', '*']).is_empty();
    let is_pattern = plain.contains('*') && !may_be_names && !is_sign && !is_command_itself(plain);
    if opened == "[ " && is_pattern {
        let right = as_pattern(plain);
        let help = format!(
            "write [[ … == {right} ]] in bash, in sh case … in {right}) …;; esac, with no quotes around \"*\""
        );
        return Some((
            inner,
            "compares literally: \"[\" doesn't support patterns, so it is never true",
            help,
        ));
    }
    (is_quoted && is_pattern).then(|| {
        (
            inner,
            "compares with the text in the quotes, not with a pattern, so it is never true",
            without_quotes(plain),
        )
    })
}

/// What regular expressions elsewhere have, and bash doesn't, unless it is in a variable.
const CLASSES: [(&str, &str); 4] = [
    ("\\d", "uses \"\\d\", which bash reads as the letter \"d\""),
    ("\\s", "uses \"\\s\", which bash reads as the letter \"s\""),
    ("\\w", "uses \"\\w\", which bash reads as the letter \"w\""),
    ("\\b", "uses \"\\b\", which bash reads as the letter \"b\""),
];

/// Looks at what follows `=~`.
fn check_expression<'t>(inner: &'t str, plain: &str, is_quoted: bool) -> Option<Found<'t>> {
    let has = |class: &str| {
        let mut places = plain.match_indices(class);
        places.any(|(at, _)| !plain[..at].ends_with('\\'))
    };
    let class = CLASSES.into_iter().find(|(class, _)| has(class));
    if let Some((_, why)) = class.filter(|_| !is_quoted) {
        return Some((inner, why, in_a_variable(plain)));
    }
    (is_quoted && is_expression(plain)).then(|| {
        (
            inner,
            "compares with the text in the quotes, not with a pattern, so it is never true",
            in_a_variable(plain),
        )
    })
}

/// Returns how to write an expression so that bash reads it as one, blanks included.
fn in_a_variable(expression: &str) -> String {
    let right = expression
        .replace("\\s", "[[:space:]]")
        .replace("\\d", "[0-9]")
        .replace("\\w", "[[:alnum:]_]")
        .replacen("\\b", "(^|[^[:alnum:]_])", 1)
        .replace("\\b", "([^[:alnum:]_]|$)");
    if right.contains('\'') {
        return "put it into a variable, and write =~ $pattern without quotes".to_owned();
    }
    format!("put it into a variable, pattern='{right}', and write =~ $pattern without quotes")
}

/// Returns whether a text is certainly meant as a regular expression: others contain such
/// characters too, `C++`, `[WARN]`.
pub(crate) fn is_expression(text: &str) -> bool {
    const CERTAIN: [&str; 14] = [
        ".*", ".+", "[^", "[a-z", "[A-Z", "[0-9", "[[:", "\\b", "\\s", "\\d", "\\w", "\\.", ")?",
        "]+",
    ];
    let is_choice = text.contains('(') && text.contains('|') && text.contains(')');
    let is_anchored = text.len() > 1 && (text.starts_with('^') || text.ends_with('$'));
    is_anchored || is_choice || CERTAIN.iter().any(|it| text.contains(it))
}

/// Returns whether jq prints a value as it is: what isn't a text has no quotes.
fn is_bare_value(text: &str) -> bool {
    let word = text.split([' ', ']', ';', ')']).next().unwrap_or_default();
    let plain = word.trim_matches(['"', '\'']);
    matches!(plain, "true" | "false" | "null" | "" | "{}" | "[]") || plain.parse::<f64>().is_ok()
}

/// Looks for a text that jq prints in quotes, and that is compared with one without quotes.
fn quoted_by_jq<'t>(text: &'t str, code: &[&'t str]) -> Option<Found<'t>> {
    code.iter().find_map(|line| {
        let (name, value) = line
            .trim_start()
            .split_once("=$(")
            .or(line.trim_start().split_once("=\"$("))?;
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'_');
        let (_, filter) = value.split_once("jq ")?;
        let filter = filter.split(')').next().unwrap_or(filter).trim();
        let path = filter.trim_matches(['\'', '"']);
        let is_path = path.starts_with('.')
            && path
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b"._".contains(&it));
        // A second assignment may remove the quotes.
        let given = text.match_indices(&format!("{name}=")).count();
        if !is_name || !is_path || given > 1 {
            return None;
        }
        let compared = [
            format!("\"${name}\" = "),
            format!("\"${name}\" == "),
            format!("${name} = "),
            format!("${name} == "),
        ];
        let at = compared
            .iter()
            .find_map(|it| Some(text.find(it.as_str())? + it.len()))?;
        let right = text[at..].lines().next().unwrap_or_default();
        let is_bare =
            !right.contains("\\\"") && !right.starts_with("'\"") && !right.starts_with(['$', '*']);
        let has_pattern = right.split(" ]").next().is_some_and(|it| it.contains('*'));
        (is_bare && !has_pattern && !is_bare_value(right)).then(|| {
            let help = format!("write jq -r {filter}: it prints the string without quotes");
            (
                *line,
                "compares with the quotes that jq prints around strings, so it is never true",
                help,
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: comparisons that are never true are found, and others aren't.
    #[test]
    fn comparisons_that_are_never_true_are_found() {
        for text in [
            "if [ \"$f\" == *.txt ]; then exit 2; fi",
            "if [ $f = \"*.txt\" ]; then exit 2; fi",
            "[[ $f == \"*.txt\" ]] && exit 2",
            "[[ $f =~ \"^out.*\" ]] && exit 2",
            "[[ $f =~ 'txt$' ]] && exit 2",
            "[[ $f =~ out\\d+ ]] && exit 2",
            "[[ $f =~ \"\\.txt$\" ]] && exit 2",
            "[[ $f =~ \"(out|in)\" ]] && exit 2",
            "[[ $f == \"/etc/*\" ]] && exit 2",
            "f=$(jq .tool_input.file_path)\n[ \"$f\" = out.txt ] && exit 2",
            "[[ $c =~ rm\\s+-rf ]] && exit 2",
            "[[ $c =~ \\brm\\b ]] && exit 2",
            "[[ $c == \"rm -rf*\" ]] && exit 2",
        ] {
            assert!(find("x", text).is_some(), "{text}");
        }
        for text in [
            "[[ $f == *.txt ]] && exit 2",
            "[ \"$f\" = out.txt ] && exit 2",
            "[[ $f =~ ^out ]] && exit 2",
            "[[ $f =~ \"out\" ]] && exit 2",
            "[[ $f =~ \"C++\" ]] && exit 2",
            "[[ $f =~ \"[WARN]\" ]] && exit 2",
            "[[ $f =~ \"f(x)\" ]] && exit 2",
            "[ \"$f\" = /tmp/out* ] && exit 2",
            "[ \"$f\" = ~/out* ] && exit 2",
            "[[ $line == \"/*\" ]] && exit 2",
            "[ \"$line\" = \"**\" ] && exit 2",
            "ok=$(jq .ok)\n[ \"$ok\" = true ] && exit 2",
            "ok=$(jq .ok)\n[[ $ok == \"false\" ]] && exit 2",
            "n=$(jq .count)\n[ \"$n\" = 3 ] && exit 2",
            "n=$(jq .tool_input.x)\n[ \"$n\" = null ] && exit 2",
            "[[ $f == \"$other\"* ]] && exit 2",
            "[[ $c == \"rm -rf *\" ]] && exit 2",
            "[ \"$c\" = 'rm -rf /*' ] && exit 2",
            "[[ $c =~ rm[[:space:]]+-rf ]] && exit 2",
            "[[ $c =~ a\\\\s ]] && exit 2",
            "f=$(jq .tool_input.file_path)\nf=${f//\\\"/}\n[ \"$f\" = out.txt ] && exit 2",
            "[ \"$a\" = \"*\" ] && exit 2",
            "f=$(jq -r .tool_input.file_path)\n[ \"$f\" = out.txt ] && exit 2",
            "f=$(jq .tool_input.file_path)\n[ \"$f\" = '\"out.txt\"' ] && exit 2",
            "f=$(jq .tool_input.file_path)\n[[ \"$f\" == *out* ]] && exit 2",
        ] {
            assert!(find("x", text).is_none(), "{text}");
        }
    }

    /// CM-3: the suggested comparison is one that a shell can read, and that matches.
    #[test]
    fn what_is_to_be_written_fits() {
        for (text, right) in [
            ("[[ $c == \"rm -rf*\" ]]", ": \"rm -rf\"*"),
            ("[[ $f == \"*.txt\" ]]", ": *.txt"),
            ("[ $c = \"*rm -rf*\" ]", "[[ … == *\"rm -rf\"* ]]"),
            ("[[ $c =~ \"rm -rf.*\" ]]", "pattern='rm -rf.*'"),
            ("[[ $c =~ rm\\s+-rf ]]", "pattern='rm[[:space:]]+-rf'"),
            (
                "[[ $c =~ \\brm\\b ]]",
                "pattern='(^|[^[:alnum:]_])rm([^[:alnum:]_]|$)'",
            ),
            ("[[ $c =~ '\\d+' ]]", "pattern='[0-9]+'"),
        ] {
            let help = find("x", text).unwrap().help;
            assert!(help.contains(right), "{text}: {help}");
        }
    }
}
