//! Where the result of a comparison is used (IO-27): it is assigned to a variable, returned by a
//! function, or taken from a list, and something else may be checked beside it there.

use super::conditions::{is_enclosed_by_known, is_known};
use super::refuses;
use crate::flaws::indentation;

/// How many lines of a block are searched for what they set.
const MAX_BLOCK_LINES: usize = 4;

/// How often a result may be passed on: into a variable, which a function returns, whose result is
/// assigned to a variable.
const ROUNDS: usize = 3;

/// Returns whether nothing but the comparison in a line is checked, wherever its result goes, or
/// the list that contains its text.
pub(super) fn is_asked_alone(lines: &[&str], place: usize, list: Option<String>) -> bool {
    let mut names: Vec<String> = list.into_iter().collect();
    let mut from: Vec<usize> = (0..lines.len())
        .filter(|at| *at == place || names.iter().any(|it| has(lines[*at], it)))
        .collect();
    for _ in 0..ROUNDS {
        let found = from.iter().flat_map(|at| results(lines, *at));
        let found: Vec<String> = found.filter(|it| !names.contains(it)).collect();
        names.extend(found.iter().cloned());
        from = (0..lines.len())
            .filter(|at| found.iter().any(|it| has(lines[*at], it)))
            .collect();
        if from.is_empty() {
            break;
        }
    }
    let uses = |at: &usize| {
        *at != place && names.iter().any(|it| has(lines[*at], it)) && !sets(lines[*at], &names)
    };
    (0..lines.len())
        .filter(uses)
        .all(|at| is_joined_to_known(lines[at], &names) && is_enclosed_by_known(lines, at, &names))
}

/// Returns the names that carry the result of a line: what it sets, what its block sets, what its
/// loop goes through, and the function that returns it.
fn results(lines: &[&str], at: usize) -> Vec<String> {
    let own = indentation(lines[at]);
    let behind = lines.iter().skip(at + 1).take(MAX_BLOCK_LINES);
    let block = behind.take_while(|it| indentation(it) > own);
    let mut found: Vec<String> = std::iter::once(&lines[at])
        .chain(block)
        .filter_map(|it| assigned_name(it))
        .collect();
    found.extend(gone_through(lines[at]));
    found.extend(function_around(lines, at));
    found.retain(|it| it.len() > 1);
    found
}

/// Returns the name that a line gives a value: `x = …`, `… && x=1`.
fn assigned_name(line: &str) -> Option<String> {
    let statement = line.rsplit("&& ").next().unwrap_or(line).trim_start();
    let heads = [
        "const ",
        "let ",
        "var ",
        "local ",
        "readonly ",
        "my ",
        "{ ",
        "return ",
    ];
    let statement = heads
        .iter()
        .fold(statement, |it, head| it.strip_prefix(head).unwrap_or(it));
    let (name, value) = statement.split_once('=')?;
    let name = name
        .split(':')
        .next()
        .unwrap_or_default()
        .trim()
        .trim_start_matches('$');
    let is_name = !name.is_empty() && name.chars().all(is_part);
    (is_name && !value.starts_with(['=', '~', '>'])).then(|| name.to_owned())
}

/// Returns whether a line does nothing but give one of the names a value.
fn sets(line: &str, names: &[String]) -> bool {
    let plain = line.trim_start();
    let is_plain = !plain.contains("&& ") && !plain.contains(" and ");
    is_plain && assigned_name(line).is_some_and(|it| names.contains(&it))
}

/// Returns the names of what a loop goes through.
fn gone_through(line: &str) -> Vec<String> {
    let Some((_, behind)) = line.split_once("for ").or_else(|| line.split_once("for (")) else {
        return Vec::new();
    };
    let head = behind.split(" in ").next().unwrap_or(behind);
    let head = head.split(" of ").next().unwrap_or(head);
    let words = head.split(|it| !is_part(it));
    words
        .filter(|it| !it.is_empty() && !matches!(*it, "const" | "let" | "var"))
        .map(str::to_owned)
        .collect()
}

/// Returns the name of the function around a line that gives its result back and refuses nothing
/// itself.
fn function_around(lines: &[&str], at: usize) -> Option<String> {
    let own = indentation(lines[at]);
    let is_head = |line: &str| function_named(line).is_some();
    let head = if is_head(lines[at]) {
        at
    } else {
        (0..at)
            .rev()
            .find(|it| is_head(lines[*it]) && indentation(lines[*it]) < own)?
    };
    let outer = indentation(lines[head]);
    let inside = lines
        .iter()
        .skip(head + 1)
        .take_while(|it| it.trim().is_empty() || indentation(it) > outer);
    let refuses_inside = refuses(lines[head]) || inside.into_iter().any(|it| refuses(it));
    (!refuses_inside)
        .then(|| function_named(lines[head]))
        .flatten()
}

/// Returns the name of the function that begins in a line.
fn function_named(line: &str) -> Option<String> {
    let plain = line.trim_start();
    let heads = ["def ", "async function ", "function ", "sub "];
    let named = heads
        .iter()
        .find_map(|it| plain.strip_prefix(it))
        .or_else(|| {
            let is_arrow = plain.contains("=>");
            let bound = ["const ", "let "]
                .iter()
                .find_map(|it| plain.strip_prefix(it));
            let is_of_shell = plain
                .split_once("()")
                .is_some_and(|it| it.0.chars().all(is_part));
            bound.filter(|_| is_arrow).or(is_of_shell.then_some(plain))
        })?;
    let name: String = named.chars().take_while(|it| is_part(*it)).collect();
    (!name.is_empty()).then_some(name)
}

/// Returns whether a result is combined only with what is known, and what follows from it.
fn is_joined_to_known(line: &str, names: &[String]) -> bool {
    let line = line
        .replace(" and ", "&& ")
        .replace("&& not ", "&& unknown ");
    if !line.contains("&& ") {
        return true;
    }
    let is_named = |part: &str| names.iter().any(|it| has(part, it));
    // Two results are two questions.
    if line.split("&& ").filter(|it| is_named(it)).count() > 1 {
        return false;
    }
    line.split("&& ").all(|part| {
        let is_set = assigned_name(part.trim_start()).is_some();
        is_named(part) || is_set || is_known(condition_part(part))
    })
}

/// What is done if a condition is true.
const DONE: [&str; 16] = [
    "process.exit",
    "sys.exit",
    "exit",
    "raise ",
    "throw ",
    "return ",
    "console.",
    "echo ",
    "printf ",
    "print(",
    "die ",
    "deny",
    "block",
    "refuse",
    "{",
    "then",
];

/// Returns what a part of a condition checks, without what is done after it.
fn condition_part(part: &str) -> &str {
    let done = DONE.iter().filter_map(|it| part.find(it));
    &part[..done.min().unwrap_or(part.len())]
}

/// Returns whether a name is in a line by itself.
fn has(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part)
    })
}

const fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::super::in_text;

    /// IO-27: where a result is passed on, what is checked beside it counts.
    #[test]
    fn what_is_asked_beside_a_result_counts() {
        for (text, is_accused) in [
            (
                "RULES = [(\"git push\", \"--force\"), (\"git reset\", \"--hard\")]\nfor base, flag in RULES:\n    if base in cmd and flag in cmd:\n        sys.exit(2)\n",
                false,
            ),
            (
                "const isPush = cmd.startsWith(\"git push\");\nif (isPush && onMain()) process.exit(2);\n",
                false,
            ),
            (
                "push=0\n[[ $cmd == \"git push\"* ]] && push=1\n(( push && on_main )) && exit 2\n",
                false,
            ),
            (
                "if [[ $cmd == \"git push\"* ]]; then\n  push=1\nfi\nif [[ $push == 1 && $late ]]; then\n  exit 2\nfi\n",
                false,
            ),
            (
                "is_push() { [[ $1 == \"git push\"* ]]; }\nif is_push \"$cmd\" && on_main; then\n  exit 2\nfi\n",
                false,
            ),
            (
                "def is_push(c):\n    return \"git push\" in c\n\nif is_push(cmd) and on_main():\n    sys.exit(2)\n",
                false,
            ),
            (
                "const isPush = (c) => c.startsWith(\"git push\");\nif (isPush(cmd) && onMain()) process.exit(2);\n",
                false,
            ),
            (
                "def is_push(c):\n    return \"git push\" in c\n\nif on_main():\n    if is_push(cmd):\n        sys.exit(2)\n",
                false,
            ),
            (
                "push=false\nmain=false\n[[ $cmd == \"git push\"* ]] && push=true\n[[ $cmd =~ (main|master) ]] && main=true\nif $push && $main; then\n  exit 2\nfi\n",
                false,
            ),
            (
                "const isPush = cmd.startsWith(\"git push\");\nif (isPush) process.exit(2);\n",
                true,
            ),
            (
                "push=0\n[[ $cmd == \"git push*\" ]] && push=1\n[ $push = 1 ] && exit 2\n",
                true,
            ),
            (
                "def is_push(c):\n    return c == \"git push.*\"\n\nif is_push(cmd):\n    sys.exit(2)\n",
                true,
            ),
            (
                "BAD = [\"git push\", \"rm -rf\"]\nfor bad in BAD:\n    if cmd.startswith(bad):\n        sys.exit(2)\n",
                true,
            ),
        ] {
            let found = in_text(text, "g");
            let mut found = found.iter();
            let found =
                found.any(|it| it.matches(Some("run_shell_command"), "command", "git push origin"));
            assert_eq!(found, is_accused, "{text}");
        }
    }
}
