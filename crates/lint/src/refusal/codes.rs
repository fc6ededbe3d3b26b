//! Guards that end with an exit code that only looks like a refusal (CM-3, IO-13): it turns into
//! another one, is overwritten, or ends nothing.

use hookloop_hook::ProblemCode;
use hookloop_text::shorten::excerpt;

use super::exits_with_two;
use super::uncalled::{Language, has_hidden_parts, sources, take_apart};
use crate::Complaint;

/// What ends a program, and is followed by its code.
const ENDS: [(Language, &str); 8] = [
    (Language::Shell, "exit "),
    (Language::Python, "exit("),
    (Language::Python, "sys.exit("),
    (Language::Python, "os._exit("),
    (Language::Python, "SystemExit("),
    (Language::JavaScript, "process.exit("),
    (Language::JavaScript, "process.exitCode = "),
    (Language::JavaScript, "process.exitCode="),
];

/// Builtins that end with a code of their own, however the command in their argument ended.
const DECLARE: [&str; 5] = ["local ", "declare ", "export ", "readonly ", "typeset "];

/// Looks for such a code in a script, or in a command; `is_set` says which variables hooks get.
pub(super) fn find(
    what: &str,
    text: &str,
    language: Language,
    is_set: &dyn Fn(&str) -> bool,
) -> Option<Complaint> {
    let code: Vec<&str> = text
        .lines()
        .filter(|line| !language.is_comment(line))
        .collect();
    let complaint = |(message, help): (String, String)| {
        Complaint::new(ProblemCode::RefusalLost, format!("{what}: {message}"), help)
    };
    let mut lines = code.iter();
    if let Some(found) = lines.find_map(|line| check_code_value(line, language)) {
        return Some(complaint(found));
    }
    match language {
        Language::Shell => check_unset(text, &code, is_set)
            .or_else(|| check_shell_argument(&code))
            .or_else(|| check_masked(&code))
            .or_else(|| returns_from_nothing(text))
            .map(complaint),
        Language::JavaScript => overwritten(&code).map(complaint),
        Language::Python => None,
    }
}

/// Looks for a code that the system cuts, or that isn't a number.
fn check_code_value(line: &str, language: Language) -> Option<(String, String)> {
    let ends = ENDS.iter().filter(|(its, _)| *its == language);
    ends.into_iter().find_map(|(_, word)| {
        line.match_indices(word).find_map(|(at, _)| {
            let before = line[..at].chars().next_back();
            if before.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | '$'))
            {
                return None;
            }
            let rest = &line[at + word.len()..];
            let end = rest
                .find([')', ';', '&', '|', '}', '#'])
                .unwrap_or(rest.len());
            let argument = rest[..end].trim();
            let written = format!("\"{}{}\"", word.trim_end(), argument_of(word, argument));
            let right = format!("\"{}{}\"", word.trim_end(), argument_of(word, "2"));
            let why = meaning(argument, language)?;
            Some((
                format!("{written} {why}, so it refuses nothing"),
                format!("write {right}: exit code 2 refuses"),
            ))
        })
    })
}

/// Writes the argument of what ends a program, after its name.
fn argument_of(word: &str, argument: &str) -> String {
    if word.ends_with('(') {
        format!("{argument})")
    } else {
        format!(" {argument}")
    }
}

/// Returns what a code becomes, if that isn't what was meant.
fn meaning(argument: &str, language: Language) -> Option<String> {
    let plain = argument.trim_matches(['"', '\'']);
    if language == Language::Python && (plain != argument && plain.trim() == "2" || plain == "2.0")
    {
        return Some("prints the text and ends with 1: the code must be a whole number".to_owned());
    }
    let denied = match language {
        Language::Python => argument.strip_prefix("not "),
        Language::JavaScript => argument.strip_prefix('!'),
        Language::Shell => None,
    };
    if denied.is_some_and(|it| it.trim().parse::<u8>().is_ok_and(|it| it > 0)) {
        return Some("becomes 0: the negated value is a number".to_owned());
    }
    let number: i64 = plain.trim().parse().ok()?;
    match number.rem_euclid(256) {
        0 if number != 0 => {
            Some("becomes 0: only the last eight bits of a code are used".to_owned())
        }
        254 if number == -2 => Some("becomes 254, a failure".to_owned()),
        _ => None,
    }
}

/// Looks for a code in a variable that nothing sets.
fn check_unset(
    text: &str,
    code: &[&str],
    is_set: &dyn Fn(&str) -> bool,
) -> Option<(String, String)> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let computes = ["eval", "printf -v", "declare -n", "local -n", "typeset -n"];
    if computes.iter().any(|it| text.contains(it)) || sources(text) {
        return None;
    }
    code.iter().find_map(|line| {
        let (before, rest) = line.split_once("exit ")?;
        let rest = rest
            .trim_start()
            .trim_start_matches('"')
            .strip_prefix('$')?;
        let name = rest.trim_start_matches('{');
        let name = &name[..name.find(|it| !is_part(it)).unwrap_or(name.len())];
        let starts = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        let is_end = before.is_empty() || before.ends_with([' ', '\t', ';', '&', '|', '(', '{']);
        // A name without a `$` may be an assignment.
        let is_named = text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let behind = text[at + name.len()..].chars().next();
            !before.is_some_and(|it| is_part(it) || matches!(it, '$' | '{'))
                && !behind.is_some_and(is_part)
        });
        // `${X-2}`, `${X:=2}`, `${X:?why}` and the like handle an unset variable.
        let behind = rest.trim_start_matches('{').strip_prefix(name);
        let has_default = rest.starts_with('{')
            && behind.is_some_and(|it| it.starts_with([':', '-', '+', '=', '?']));
        (starts && is_end && !is_named && !has_default && !is_set(name)).then(|| {
            (
                format!(
                    "\"exit ${name}\" ends with the code of whatever ran before: nothing sets \
                     \"{name}\""
                ),
                format!("set \"{name}\" before, or write \"exit 2\" where it should refuse"),
            )
        })
    })
}

/// Looks for `bash -c exit 2`: the shell's text is only `exit`, and the code becomes its name.
fn check_shell_argument(code: &[&str]) -> Option<(String, String)> {
    const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];
    code.iter().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let found = words.windows(4).find(|it| {
            let shell = it[0].rsplit('/').next().unwrap_or_default();
            let code = it[3].trim_end_matches([';', ')', '&', '|']);
            SHELLS.contains(&shell) && it[1] == "-c" && it[2] == "exit" && code == "2"
        })?;
        let written = found.join(" ");
        Some((
            format!("\"{written}\" runs only \"exit\" and ends with 0, so it refuses nothing"),
            format!("write {} -c 'exit 2'", found[0]),
        ))
    })
}

/// Looks for an `exit 2` in an argument of `local` and the like: their own code replaces it.
fn check_masked(code: &[&str]) -> Option<(String, String)> {
    code.iter().find_map(|line| {
        let line = line.trim_start();
        let at = DECLARE.iter().find_map(|word| {
            let at = line.find(word)?;
            let is_start = at == 0 || line[..at].ends_with([' ', ';', '{', '(']);
            is_start.then_some(at)
        })?;
        let statement = &line[at..];
        let (names, inner) = statement
            .split_once("=$(")
            .or_else(|| statement.split_once("=\"$("))?;
        if names.contains([';', '&', '|']) {
            return None;
        }
        let inner = &inner[..closing(inner)?];
        let builtin = statement.split_whitespace().next()?;
        exits_with_two(&inner.replace(';', "\n")).then(|| {
            (
                format!(
                    "\"{builtin}\" ends with 0 whatever its value ended with, so the refusal of \
                     \"{}\" is lost",
                    excerpt(inner.trim())
                ),
                format!(
                    "give the variable its value on a line of its own, without \"{builtin}\", and \
                     write \"|| exit\" after it"
                ),
            )
        })
    })
}

/// Returns where the bracket in which a text begins closes.
fn closing(text: &str) -> Option<usize> {
    let mut open = vec!['('];
    let (mut before, mut is_plain) = (' ', false);
    for (at, letter) in text.char_indices() {
        let is_escaped = before == '\\' && !is_plain;
        let is_quoted = open.last() == Some(&'"');
        match letter {
            '\'' if !is_quoted && !is_escaped => is_plain = !is_plain,
            _ if is_plain || is_escaped => {}
            '"' if is_quoted => {
                open.pop();
            }
            '"' => open.push('"'),
            '(' if !is_quoted || before == '$' => open.push('('),
            ')' if !is_quoted => {
                open.pop();
            }
            _ => {}
        }
        if open.is_empty() {
            return Some(at);
        }
        before = if is_escaped { ' ' } else { letter };
    }
    None
}

/// Looks for a `return 2` outside functions, after which the script continues: bash complains and
/// carries on.
fn returns_from_nothing(text: &str) -> Option<(String, String)> {
    let first = text.lines().next().unwrap_or_default();
    // Other shells exit there.
    if first.starts_with("#!") && !first.contains("bash") || has_hidden_parts(text) {
        return None;
    }
    let outside = take_apart(text, Language::Shell).outside.join("\n");
    let words = |text: &str| {
        text.split([';', '\n'])
            .map(|it| it.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let statements = words(&outside);
    let closes = |it: &String| {
        matches!(it.as_str(), "" | "fi" | "done" | "esac" | "}" | ")") || it.starts_with('#')
    };
    let at = statements.iter().position(|it| {
        let it = it.trim_start_matches(['{', '(', ' ']);
        let it = it
            .strip_prefix("then ")
            .or(it.strip_prefix("do "))
            .unwrap_or(it);
        let last = it.rsplit("&&").next().unwrap_or(it);
        let last = last
            .rsplit("||")
            .next()
            .unwrap_or(last)
            .trim()
            .trim_start_matches(['{', ' ']);
        last.trim_end_matches(['}', ' ']) == "return 2"
    })?;
    let goes_on = statements[at + 1..].iter().any(|it| !closes(it));
    goes_on.then(|| {
        (
            "\"return 2\" outside a function ends nothing, so what follows it runs".to_owned(),
            "write \"exit 2\"".to_owned(),
        )
    })
}

/// Looks for a `process.exitCode = 2` after which, in the same block, another code is set.
fn overwritten(code: &[&str]) -> Option<(String, String)> {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let is_set_to = |line: &str, value: &str| {
        let plain: String = line.chars().filter(|it| !it.is_whitespace()).collect();
        let set = format!("process.exitCode={value}");
        // In a block on one line, nothing follows it.
        let in_block =
            plain.ends_with(&format!("{{{set}}}")) || plain.ends_with(&format!("{set};}}"));
        plain.starts_with(&format!("{set};")) || plain == set || value == "2" && in_block
    };
    let exits = |line: &str| line.trim_start().starts_with("process.exit(0)");
    code.iter().enumerate().find_map(|(at, line)| {
        if !is_set_to(line, "2") {
            return None;
        }
        let (mut lowest, mut ends) = (indentation(line), false);
        let later = code[at + 1..].iter().find(|later| {
            let is_over = is_set_to(later, "0") || exits(later);
            if later.trim().is_empty() || ends {
                return false;
            }
            lowest = lowest.min(indentation(later));
            let word = later.trim_start();
            ends = ["return", "throw", "break", "process.exit("]
                .iter()
                .any(|it| word.starts_with(it) && !is_over);
            is_over && indentation(later) <= lowest
        })?;
        Some((
            format!(
                "\"{}\" after \"process.exitCode = 2\" replaces it, so the refusal is lost",
                excerpt(later.trim())
            ),
            "write \"process.exit(2)\" where it should refuse".to_owned(),
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, language: Language) -> bool {
        find("guard", text, language, &|it| it == "given").is_some()
    }

    /// CM-3: codes that become others, are overwritten or end nothing are found.
    #[test]
    fn a_code_that_is_no_refusal_is_found() {
        use Language::{JavaScript, Python, Shell};
        for (text, language) in [
            ("echo no >&2\nexit 256", Shell),
            ("grep -q x && { echo no; exit 512; }", Shell),
            ("exit -2", Shell),
            ("cat >/dev/null; bash -c exit 2", Shell),
            ("CODE=2\nexit $CODEE", Shell),
            ("check() { local x=$(exit 2); }\ncheck", Shell),
            ("export X=\"$(grep x || exit 2)\"\ntrue", Shell),
            ("f() { local x=$(echo \"(\"; exit 2); }\nf", Shell),
            ("echo no >&2\nreturn 2; exit 0", Shell),
            ("if grep -q x; then\n  return 2\nfi\nexit 0", Shell),
            ("grep -q x && return 2\necho '{}'", Shell),
            ("import sys\nsys.exit('2')", Python),
            ("import sys\nsys.exit(256)", Python),
            ("import sys\nsys.exit(not 2)", Python),
            ("process.exit(!2)", JavaScript),
            ("raise SystemExit(\"2\")", Python),
            ("from sys import exit\nexit('2')", Python),
            ("process.exit(256)", JavaScript),
            (
                "process.exitCode = 2;\nconsole.error('no');\nprocess.exitCode = 0;",
                JavaScript,
            ),
            (
                "if (bad) {\n  process.exitCode = 2;\n}\nprocess.exit(0);",
                JavaScript,
            ),
            ("if(bad){process.exitCode=2}\nprocess.exit(0)", JavaScript),
        ] {
            assert!(found(text, language), "{text}");
        }
    }

    /// CM-3: codes that are what they seem aren't.
    #[test]
    fn a_code_that_counts_is_not_reported() {
        use Language::{JavaScript, Python, Shell};
        for (text, language) in [
            ("exit 2", Shell),
            ("exit 0", Shell),
            ("exit 258", Shell),
            ("bash -c 'exit 2'", Shell),
            ("bash -c \"exit 2\"", Shell),
            ("check() { local x; x=$(exit 2) || exit; }\ncheck", Shell),
            ("code=2\nexit $code", Shell),
            ("guard; code=$?\nexit \"$code\"", Shell),
            ("read -r code < f\nexit $code", Shell),
            ("exit ${code:-2}", Shell),
            ("exit ${code-2}", Shell),
            ("exit ${code:=2}", Shell),
            ("exit ${code:?no}", Shell),
            ("exit ${code+2}", Shell),
            ("guard | tee log; exit $given", Shell),
            ("[ -f lib.sh ] && . ./lib.sh\nexit $code", Shell),
            ("if true; then source lib.sh; fi\nexit $code", Shell),
            ("f() { local x=$(cat); (exit 2) || exit 2; }\nf", Shell),
            ("deny() { return 2; }; deny || exit", Shell),
            ("deny() (\n  return 2\n)\ndeny || exit\ntrue", Shell),
            ("cat <<E\nreturn 2\nE\nexit 2", Shell),
            ("guard || exit $?", Shell),
            ("check() { return 2; }\ncheck || exit", Shell),
            (
                "check() {\n  local x; x=$(exit 2) || return 2\n}\ncheck || exit 2",
                Shell,
            ),
            ("grep -q x || exit 0\nreturn 2", Shell),
            ("#!/bin/sh\nreturn 2\nexit 0", Shell),
            ("sys.exit(2)", Python),
            ("sys.exit('not here')", Python),
            ("sys.exit(not fine)", Python),
            ("process.exit(!fine)", JavaScript),
            ("process.exit('2')", JavaScript),
            (
                "if (bad) {\n  process.exitCode = 2;\n} else {\n  process.exitCode = 0;\n}",
                JavaScript,
            ),
            (
                "if (bad) {\n  process.exitCode = 2;\n  return;\n}\nprocess.exitCode = 0;",
                JavaScript,
            ),
        ] {
            assert!(!found(text, language), "{text}");
        }
    }
}
