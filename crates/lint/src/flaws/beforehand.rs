//! Guards that can never refuse (CM-3): because of a constant, an empty list, or a result that
//! nothing reads.

use std::ops::Range;

use super::source::{Source, indentation, is_part};
use super::{Flaw, may_refuse, may_refuse_here};
use crate::refusal::Language;

/// How many lines after a condition its refusal may be.
const MAX_DISTANCE: usize = 3;

/// Names of results on which a guard bases its decision.
const RESULTS: [&str; 16] = [
    "blocked",
    "block",
    "is_blocked",
    "isBlocked",
    "denied",
    "deny",
    "should_block",
    "shouldBlock",
    "should_deny",
    "dangerous",
    "is_dangerous",
    "isDangerous",
    "forbidden",
    "refuse",
    "refused",
    "verdict",
];

/// Looks into a program, whose texts and comments are masked in `plain`.
pub(super) fn find(text: &str, plain: &str, language: Language) -> Option<Flaw> {
    let lines: Vec<&str> = plain.lines().collect();
    let written: Vec<&str> = text.lines().collect();
    let constants = lines.iter().enumerate();
    let mut constants = constants.filter_map(|(at, line)| Some((at, constant(line, language)?)));
    let decided = constants.find_map(|(at, (name, value))| {
        let is_settled = assignments(&lines, name) == 1 && !is_changed(&lines, name);
        let used = (0..lines.len()).filter(|it| *it != at && has(lines[*it], name));
        let used = used.filter(|_| is_settled);
        let found = used.filter_map(|it| {
            let behind = guarded_lines(&lines, it, language);
            let why = decides(lines[it], name, value)?;
            let refuses = may_refuse_here(&written[behind.clone()].join("\n"));
            let is_one = value != Value::Empty || is_only(&lines, it, behind.clone(), name);
            (refuses && is_one).then_some((behind, why))
        });
        let found: Vec<_> = found.collect();
        let why = found.first()?.1.clone();
        (!refuses_beside(&written, &found)).then_some((at, name, why))
    });
    if let Some((at, name, why)) = decided {
        let so = "the refusal after it never happens";
        let help =
            format!("give \"{name}\" the value that you mean, or remove it from the condition");
        return Some(Flaw::with(so, at + 1, format!("\"{name}\" {why}"), help));
    }
    unused(&lines, language)
}

/// For a program in Python or JavaScript.
pub(super) fn check_program(source: &Source<'_>) -> Option<Flaw> {
    find(source.text, &source.plain, source.language)
        .filter(|it| may_refuse(source.text) || it.so == super::REFUSES_NOTHING)
}

/// The value that a name gets once and for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    False,
    True,
    Empty,
}

/// Returns the name that a line gives a value which is settled.
fn constant(line: &str, language: Language) -> Option<(&str, Value)> {
    let heads = ["const ", "let ", "var ", "readonly "];
    let head = heads.iter().find_map(|it| line.strip_prefix(it));
    let (name, value) = head.unwrap_or(line).split_once('=')?;
    let name = name.split(':').next()?.trim_end();
    let is_name = !name.is_empty() && name.chars().all(is_part);
    let value = value.trim().trim_end_matches(';');
    let value = match (value, language) {
        ("False", Language::Python) | ("false", _) => Value::False,
        ("True", Language::Python) | ("true", _) => Value::True,
        ("[]" | "set()" | "()" | "new Set()" | "new Set([])", _) => Value::Empty,
        _ => return None,
    };
    is_name.then_some((name, value))
}

/// Returns whether a name is in a line by itself.
fn has(line: &str, name: &str) -> bool {
    places(line, name).next().is_some()
}

fn places<'l>(line: &'l str, name: &'l str) -> impl Iterator<Item = usize> + 'l {
    line.match_indices(name).map(|it| it.0).filter(move |at| {
        !line[..*at].ends_with(|it| is_part(it) || it == '.')
            && !line[at + name.len()..].starts_with(is_part)
    })
}

/// Counts the lines that give a name a value.
fn assignments(lines: &[&str], name: &str) -> usize {
    let gives = |line: &&&str| {
        places(line, name).any(|at| {
            let behind = line[at + name.len()..].trim_start_matches([' ', ']', ')']);
            let operators = ["=", "+=", "|=", "||=", "&=", "-=", ":="];
            let is_given = operators.iter().any(|it| behind.starts_with(it));
            is_given && !behind.starts_with("==") && !behind.starts_with("=>")
        })
    };
    lines.iter().filter(gives).count()
}

/// Returns whether something may be added to the value of a name.
fn is_changed(lines: &[&str], name: &str) -> bool {
    let heads = [
        "read ",
        "mapfile",
        "readarray",
        "global ",
        "nonlocal ",
        "export ",
    ];
    let asks = [
        "any(",
        "some(",
        "len(",
        "sorted(",
        "enumerate(",
        "if (",
        "if(",
        " in (",
        "tuple(",
        "! (",
        "&& (",
    ];
    lines.iter().any(|line| {
        heads.iter().any(|it| line.contains(it) && has(line, name))
            || places(line, name).any(|at| {
                let (before, behind) = (&line[..at], &line[at + name.len()..]);
                let methods = [
                    ".append(",
                    ".push(",
                    ".add(",
                    ".extend(",
                    ".update(",
                    ".insert(",
                    ".unshift(",
                    "[",
                    "!",
                ];
                let is_given = before.ends_with(['(', ' '])
                    && before.contains('(')
                    && behind.starts_with([')', ',']);
                methods.iter().any(|it| behind.starts_with(it))
                    || is_given && !asks.iter().any(|it| before.contains(it))
            })
    })
}

/// Returns the lines that are reached only through a line: the line itself, and what belongs to the
/// condition in it.
fn guarded_lines(lines: &[&str], at: usize, language: Language) -> Range<usize> {
    let near = at..lines.len().min(at + MAX_DISTANCE);
    let line = lines[at];
    let plain = line.trim_start();
    let heads = [
        "if ",
        "if(",
        "for ",
        "for(",
        "while ",
        "elif ",
        "} else if",
        "else if",
    ];
    if !heads.iter().any(|it| plain.starts_with(it)) {
        // The result is checked after it.
        let result = assigned_name(line);
        let asks = |it: &usize| {
            let is_head = heads
                .iter()
                .any(|head| lines[*it].trim_start().starts_with(head));
            is_head && result.is_some_and(|result| has(lines[*it], result))
        };
        let asked = near.clone().skip(1).find(asks);
        return at..asked.map_or(near.end, |it| guarded_lines(lines, it, language).end);
    }
    let own = indentation(line);
    let is_whole = match language {
        Language::Python => !plain.trim_end().ends_with(':') && brackets(line) == 0,
        Language::JavaScript => plain.trim_end().ends_with(';') && brackets(line) == 0,
        Language::Shell => plain.contains("; fi") || plain.contains("; done"),
    };
    if is_whole {
        return at..at + 1;
    }
    let behind = lines[near.clone()].iter().skip(1);
    let inside = behind.take_while(|it| it.trim().is_empty() || indentation(it) > own);
    at..at + 1 + inside.count()
}

/// Returns the name that a line gives a value.
fn assigned_name(line: &str) -> Option<&str> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end().rsplit(|it| !is_part(it)).next()?;
    (!name.is_empty() && !value.starts_with(['=', '>'])).then_some(name)
}

/// Returns how many brackets are still open at the end of a line.
fn brackets(line: &str) -> usize {
    let count = |signs: [char; 3]| line.matches(signs).count();
    count(['(', '[', '{']).saturating_sub(count([')', ']', '}']))
}

/// Returns whether a program may refuse elsewhere: a constant condition is then one of several
/// reasons.
fn refuses_beside(lines: &[&str], settled: &[(Range<usize>, String)]) -> bool {
    let is_settled = |at: &usize| settled.iter().any(|it| it.0.contains(at));
    let others = (0..lines.len()).filter(|it| !is_settled(it));
    let others: Vec<&str> = others.map(|it| lines[it]).collect();
    may_refuse_here(&others.join("\n"))
}

/// Returns whether what is found in a list leads to the refusal: a list of what is allowed refuses
/// if nothing is in it.
fn is_only(lines: &[&str], at: usize, behind: Range<usize>, name: &str) -> bool {
    const ALLOWS: [&str; 12] = [
        "allow", "safe", "permit", "exempt", "white", "trust", "skip", "ignore", "exclu", "except",
        "accept", "ok",
    ];
    let name = name.to_ascii_lowercase();
    let line = lines[at];
    let result = assigned_name(line);
    let turned = |result: &str| {
        let signs = [
            format!("not {result}"),
            format!("!{result}"),
            format!("! {result}"),
        ];
        lines[behind.clone()].iter().any(|line| {
            signs.iter().any(|it| line.contains(it.as_str()))
                || line.contains(" else ")
                || line.contains(" ? ")
        })
    };
    let is_turned = result.is_some_and(turned);
    let has_two_ways = line.contains(" else ")
        || line.contains(" ? ")
        || line.contains("||")
        || line.contains(" or ");
    !ALLOWS.iter().any(|it| name.contains(it)) && !is_turned && !has_two_ways
}

/// Returns why a line lets nothing refuse, by the value of a name in it.
fn decides(line: &str, name: &str, value: Value) -> Option<String> {
    let at = places(line, name).next()?;
    let (before, behind) = (line[..at].trim_end(), line[at + name.len()..].trim_start());
    let is_condition = line.contains("if ") || line.contains("if(") || line.contains("[ ");
    let is_turned = before.ends_with("not") || before.ends_with('!');
    let is_joined = behind.starts_with("and ") || behind.starts_with("&&");
    let ends = behind.starts_with(':') || behind.starts_with(')') && !behind.contains("||");
    let begins = before.ends_with("and") || before.ends_with("&&");
    let is_needed =
        is_joined || ends && (begins || before.ends_with("if") || before.ends_with('('));
    let others = line.contains(" or ") || line.contains("||");
    match value {
        Value::False if is_condition && is_needed && !is_turned && !others => {
            Some("is always false, and the refusal depends on it".to_owned())
        }
        Value::True if is_condition && is_turned && !others => {
            Some("is always true, and the refusal only happens if it isn't".to_owned())
        }
        Value::Empty => {
            // `EXTRA.concat(DENY)` and `EXTRA + DENY` contain more.
            let is_all = behind.is_empty()
                || behind.starts_with([':', ')', ']', ',', '{'])
                || behind.starts_with("if ");
            let is_walked = is_all
                && (before.ends_with(" in") && (line.contains("for ") || line.contains("if "))
                    || before.ends_with(" of"))
                || behind.starts_with(".some(")
                || behind.starts_with(".includes(")
                || behind.starts_with(".find(")
                || behind.starts_with(".has(");
            (is_walked && !line.contains(" not ") && !line.contains('!'))
                .then(|| "is empty, so nothing is ever found in it".to_owned())
        }
        _ => None,
    }
}

/// Looks for a result that is computed but never used.
fn unused(lines: &[&str], language: Language) -> Option<Flaw> {
    let is_shell = language == Language::Shell;
    RESULTS.iter().find_map(|name| {
        let all = lines.iter().enumerate();
        let mut all = all.filter(|(_, line)| has(line, name));
        let first = all.clone().next()?;
        let given = |line: &str| {
            let plain = line.trim_start();
            let heads = ["const ", "let ", "var ", "local "];
            let plain = heads
                .iter()
                .find_map(|it| plain.strip_prefix(it))
                .unwrap_or(plain);
            let behind = plain.strip_prefix(name).map(str::trim_start);
            let is_given = behind.is_some_and(|it| it.starts_with('=') && !it.starts_with("=="));
            is_given
                && places(line, name).count() == 1
                && !(is_shell && plain.contains(&format!("${name}")))
        };
        // It may also be assigned after `&&`: `[[ … ]] && blocked=true`.
        let joined = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            is_shell
                && words.iter().any(|it| it.starts_with(&format!("{name}=")))
                && !line.contains(&format!("${name}"))
                && !line.contains(&format!("${{{name}"))
        };
        let is_never_read = all.all(|(_, line)| given(line) || joined(line));
        let is_shared = lines.iter().any(|it| {
            [
                "export ",
                "exports",
                "global ",
                "nonlocal ",
                "eval",
                "locals()",
                "globals()",
                "declare ",
            ]
            .iter()
            .any(|word| it.contains(word))
        });
        (is_never_read && !is_shared).then(|| {
            let why = format!("\"{name}\" is computed, but nothing uses it");
            let help = if is_shell {
                format!("write [ \"${name}\" = true ] && exit 2 after it")
            } else if language == Language::Python {
                format!("write if {name}: sys.exit(2)")
            } else {
                format!("write if ({name}) process.exit(2)")
            };
            Flaw::new(first.0 + 1, why, help)
        })
    })
}

#[cfg(test)]
mod tests;
