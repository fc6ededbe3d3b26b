//! Patches in the arguments of tools that no table lists: which files they change, add and delete.

use hookloop_dialects::patch;
use hookloop_shell::join;

use crate::patches;
use crate::planned::PlannedCall;

/// Returns what the patches in a text do: Codex's format wherever it begins, and the format of
/// `diff`.
pub(super) fn calls(text: &str) -> Vec<PlannedCall> {
    let embedded = patch::embedded(text).into_iter();
    let files = embedded.filter_map(|it| patch::read(it).ok()).flatten();
    files.map(patches::call_of).chain(in_diff(text)).collect()
}

/// Reads a diff by its headers: what is deleted and renamed, and what each file gains.
fn in_diff(text: &str) -> Vec<PlannedCall> {
    let mut calls = Vec::new();
    let mut lines = text.lines().peekable();
    let mut renamed = None;
    while let Some(line) = lines.next() {
        if let Some(from) = line.strip_prefix("rename from ") {
            renamed = Some(from);
        } else if let (Some(from), Some(to)) = (renamed, line.strip_prefix("rename to ")) {
            calls.push(command_call(&["mv", "--", from, to]));
            renamed = None;
        }
        let (Some(old), Some(new)) = (
            head(line, "--- "),
            lines.peek().and_then(|it| head(it, "+++ ")),
        ) else {
            continue;
        };
        lines.next();
        if new == "/dev/null" {
            calls.push(command_call(&["rm", "--", old]));
            continue;
        }
        let mut gained = String::new();
        while let Some(line) =
            lines.next_if(|it| !it.starts_with("diff ") && !it.starts_with("--- "))
        {
            if let Some(added) = line.strip_prefix('+') {
                gained.push_str(added);
                gained.push('\n');
            }
        }
        calls.push(PlannedCall::of(
            "write_file",
            &[("file_path", new), ("content", &gained)],
        ));
    }
    calls
}

/// Returns the path that a header names.
fn head<'t>(line: &'t str, mark: &str) -> Option<&'t str> {
    let named = line
        .strip_prefix(mark)?
        .split('\t')
        .next()?
        .trim()
        .trim_matches('"');
    let below = named
        .strip_prefix("a/")
        .or_else(|| named.strip_prefix("b/"));
    Some(below.unwrap_or(named)).filter(|it| !it.is_empty())
}

fn command_call(words: &[&str]) -> PlannedCall {
    PlannedCall::of(
        "run_shell_command",
        &[("command", &join(words.iter().copied()))],
    )
}
