//! Whether a program checks something else before it refuses because of a text (IO-27): around the
//! check for the text, after it, or before it.

use super::apart::list_name;
use super::conditions::{is_condition, is_enclosed_by_known, is_known};
use super::refuses;
use super::results::is_asked_alone;
use super::texts::Named;
use crate::flaws::indentation;

/// How many lines a refusal may be away from its condition.
const MAX_DISTANCE: usize = 4;

/// What ends a program, a function or an iteration successfully.
const ENDS: [&str; 16] = [
    "exit 0",
    "exit(0)",
    "exit()",
    "exit;",
    "return 0",
    "return None",
    "return False",
    "return false",
    "return null",
    "return undefined",
    "return;",
    "continue",
    "next;",
    "next if",
    "exit if",
    "return if",
];

/// Returns whether nothing else is checked before a program refuses because of a text.
pub(super) fn is_alone(lines: &[&str], one: &Named) -> bool {
    let list = list_name(lines, one);
    let uses: Vec<usize> = match &list {
        Some(name) => (one.line..lines.len())
            .filter(|at| *at != one.line && lines[*at].contains(name.as_str()))
            .collect(),
        None => vec![one.line],
    };
    let before = |at: usize| {
        if list.is_none() {
            one.before.as_str()
        } else {
            lines[at]
        }
    };
    !comes_behind_an_exemption(lines, one)
        && uses.iter().all(|at| {
            is_enclosed_by_known(lines, *at, &[])
                && asks_once(before(*at))
                && !asks_again(lines, *at)
                && !is_let_pass_before(lines, *at)
        })
        && is_asked_alone(lines, one.line, list)
}

/// Returns whether a line checks nothing else before a text:
/// `if (outside) if (cmd.includes("rm"))`.
fn asks_once(before: &str) -> bool {
    let heads = ["if (", "if("].iter();
    let begins = heads.flat_map(|it| before.match_indices(it).map(|it| it.0));
    let Some(last) = begins.max() else {
        return true;
    };
    let outer = before[..last].rsplit(';').next().unwrap_or_default();
    !is_condition(outer) || is_known(outer)
}

/// Returns whether after the check for a text another one follows before anything is refused.
fn asks_again(lines: &[&str], at: usize) -> bool {
    let line = lines[at];
    if refuses(line) || !is_condition(line) {
        return false;
    }
    let own = indentation(line);
    let is_loop = ["for ", "forEach", "while "]
        .iter()
        .any(|it| line.trim_start().starts_with(it));
    for next in lines.iter().skip(at + 1).take(MAX_DISTANCE) {
        if !next.trim().is_empty() && indentation(next) <= own {
            return false;
        }
        if is_condition(next) && !is_loop {
            return true;
        }
        if refuses(next) {
            return false;
        }
    }
    false
}

/// Returns whether a program may have let something pass before it reaches a line, for a reason
/// that isn't known.
fn is_let_pass_before(lines: &[&str], at: usize) -> bool {
    let mut conditions: Vec<(usize, usize)> = Vec::new();
    for (number, line) in lines[..at].iter().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let own = indentation(line);
        conditions.retain(|it| it.1 < own);
        let ends = ENDS.iter().any(|it| line.contains(it)) || line.trim() == "return";
        let is_conditional = is_condition(line) || line.trim_start().starts_with("case ");
        if ends && !refuses(line) {
            let around = conditions.iter().any(|it| !is_known(lines[it.0]));
            let own = is_conditional
                && !is_known(
                    line.split("exit")
                        .next()
                        .unwrap_or(line)
                        .trim_end_matches(' '),
                );
            let is_caught = lines[..number]
                .last()
                .is_some_and(|it| it.trim_start().starts_with("except") || it.contains("catch"));
            if (around || own) && !is_caught && !line.contains("catch") {
                return true;
            }
        }
        if is_conditional && !line.contains(" fi") && !line.contains("esac") {
            conditions.push((number, own));
        }
    }
    false
}

/// Returns whether an arm before that of a text lets something pass, or that arm itself does:
/// `*.example) ;;`.
fn comes_behind_an_exemption(lines: &[&str], one: &Named) -> bool {
    let mut text = lines[..one.line].join("\n");
    text.push('\n');
    text.push_str(&one.before);
    let Some(start) = text.rfind("case ").filter(|at| text[*at..].contains(" in")) else {
        return false;
    };
    let inside = &text[start..];
    if inside.contains("esac") {
        return false;
    }
    let arms: Vec<&str> = inside.split(";;").collect();
    let before = &arms[..arms.len() - 1];
    let line = lines[one.line];
    let rest = &line[one.before.len().min(line.len())..];
    let behind = [&[rest], &lines[one.line + 1..]].concat().join("\n");
    let own = behind.split(";;").next().unwrap_or_default();
    let does = own.split_once(')').map_or(own, |it| it.1).trim();
    let is_empty = matches!(does, "" | ":" | "true");
    is_empty && behind.contains(";;") || before.iter().any(|it| !refuses(it))
}

#[cfg(test)]
mod tests;
