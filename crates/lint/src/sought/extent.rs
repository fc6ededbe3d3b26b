//! How much of a value a program compares with a text (IO-27): a program that looks for exactly
//! `npm install` lets `npm install lodash` pass on purpose.

use super::apart::list_name;
use super::texts::Named;

/// Which part of a value has to be the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Any part of it.
    Part,
    /// Its end.
    End,
    /// The name of a file, in whatever folder.
    Name,
    /// All of it, or a path to it.
    Whole,
    /// All of it, as it is.
    Exact,
}

/// How many lines after the head of a loop its comparison may be.
const MAX_DISTANCE: usize = 2;

/// How a program removes the folder from a path.
const NAMES: [&str; 5] = ["basename", "##*/", ".name", "filename", "fileName"];

/// How a program makes a path relative to the project.
const RELATIVES: [&str; 10] = [
    "relative",
    "relpath",
    "realpath",
    "#$",
    "#\"$",
    "removeprefix",
    ".replace(",
    "slice(",
    "substring(",
    "sub(",
];

/// Returns what a program compares a text with.
pub(super) fn of(lines: &[&str], one: &Named) -> Extent {
    let line = lines[one.line];
    let behind = &line[(one.before.len() + one.inner.len()).min(line.len())..];
    let inner = one.inner.trim();
    let (is_begun, is_ended) = (inner.starts_with('^'), ends_the_value(inner));
    let is_pattern = inner.contains('*') && !is_begun;
    let head = one.before.trim_end_matches(['"', '\'', '`', ' ']);
    if is_begun && is_ended {
        return whole_extent(lines);
    }
    if is_ended || head.ends_with("endswith(") || head.ends_with("endsWith(") {
        return Extent::End;
    }
    if is_pattern {
        return Extent::Part;
    }
    if is_compared(head, behind) || is_arm(&one.before, behind) || is_whole_line(&one.before) {
        return whole_extent(lines);
    }
    let is_of_list = list_name(lines, one).is_some_and(|it| is_whole_member(lines, &it));
    if is_of_list || is_in_a_list(&one.before, behind) {
        return whole_extent(lines);
    }
    Extent::Part
}

fn whole_extent(lines: &[&str]) -> Extent {
    let has = |words: &[&str]| {
        lines
            .iter()
            .any(|line| words.iter().any(|it| line.contains(it)))
    };
    if has(&RELATIVES) {
        Extent::Exact
    } else if has(&NAMES) {
        Extent::Name
    } else {
        Extent::Whole
    }
}

fn ends_the_value(inner: &str) -> bool {
    let plain = inner.trim_end_matches(['/', ')']);
    plain.ends_with('$') && plain.len() > 1 || inner.ends_with("\\Z") || inner.ends_with("\\z")
}

/// Returns whether a text is beside an operator that compares all of it.
fn is_compared(head: &str, behind: &str) -> bool {
    let signs = [
        "==",
        " =",
        " eq",
        "!=",
        " ne",
        "fullmatch(r",
        "fullmatch(",
        " case",
        "\tcase",
        "IN(",
    ];
    let is_case = head.trim_start() == "case";
    let behind = behind.trim_start_matches(['"', '\'', '`']);
    let goes_on = behind.starts_with('*');
    let is_left = behind.trim_start().starts_with("==");
    (is_case || signs.iter().any(|it| head.ends_with(it)) || is_left) && !goes_on
}

/// Returns whether a text is an arm of a `case` with nothing that stands for more.
fn is_arm(before: &str, behind: &str) -> bool {
    let head = before.trim_start().trim_end_matches(['"', '\'']).trim_end();
    let begins =
        head.is_empty() || head.ends_with('|') || head.ends_with(" in") || head.ends_with(";;");
    let behind = behind.trim_start_matches(['"', '\'']).trim_start();
    let is_pattern = behind.starts_with(')') || behind.starts_with('|');
    begins && is_pattern
}

/// Returns whether grep compares whole lines.
fn is_whole_line(before: &str) -> bool {
    let Some(at) = before.rfind("grep ") else {
        return false;
    };
    let mut options = before[at..].split_whitespace();
    options.any(|it| {
        it == "--line-regexp" || it.starts_with('-') && !it.starts_with("--") && it.contains('x')
    })
}

/// Returns whether a text is in an unnamed list, and a value has to be one of its elements.
fn is_in_a_list(before: &str, behind: &str) -> bool {
    let is_asked = [" in (", " in [", " in {"].iter().any(|it| {
        let at = before.rfind(it);
        at.is_some_and(|at| !before[..at].contains("for "))
    });
    let methods = ["].includes(", "].indexOf(", "]).has("];
    is_asked || methods.iter().any(|it| behind.contains(it))
}

/// Returns whether a value has to be one of the texts of a list, if that is checked.
fn is_whole_member(lines: &[&str], name: &str) -> bool {
    let methods = [".includes(", ".indexOf(", ".has(", ".get(", "["];
    let asks = |at: usize| {
        let line = lines[at];
        line.match_indices(name).any(|(start, _)| {
            let (before, behind) = (&line[..start], &line[start + name.len()..]);
            let is_in = before.ends_with(" in ") && !before.contains("for ");
            let in_text = ["[*]} \"", "[@]} \""]
                .iter()
                .any(|it| behind.starts_with(it));
            let near = lines[at..lines.len().min(at + MAX_DISTANCE + 1)].join("\n");
            let signs = [
                "== ",
                " eq ",
                "fullmatch(",
                "grep -qx",
                "grep -Fx",
                "grep -xF",
                "-qFx",
                "-qxF",
                "-Fqx",
                "-Fxq",
            ];
            let is_equal = signs.iter().any(|it| near.contains(it));
            let is_part = ["== *", "== \"*"].iter().any(|it| near.contains(it));
            let is_given = behind.trim_start().starts_with('=');
            is_in
                || in_text
                || methods.iter().any(|it| {
                    behind.starts_with(it)
                        && !behind.starts_with("[@]}")
                        && !behind.starts_with("[*]}")
                })
                || is_equal && !is_part && !is_given
        })
    };
    (0..lines.len()).any(asks)
}

/// Programs that do nothing without an argument.
const NEEDY: [&str; 24] = [
    "rm", "rmdir", "dd", "mkfs", "chmod", "chown", "kill", "pkill", "killall", "curl", "wget",
    "ssh", "scp", "mv", "cp", "eval", "sudo", "rsync", "shred", "nc", "unlink", "truncate", "ln",
    "exec",
];

/// Returns whether a command does nothing by itself: nobody means it alone.
pub(super) fn needs_more(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let mut first = words.next();
    if first == Some("sudo") {
        first = words.next().or(first);
    }
    let is_mode = |it: &str| {
        it.len() < 6
            && it
                .chars()
                .all(|it| it.is_ascii_digit() || "+rwxaugo".contains(it))
    };
    let takes_mode = matches!(first, Some("chmod" | "chown"));
    first.is_some_and(|it| NEEDY.contains(&it))
        && words.all(|it| it.starts_with('-') || takes_mode && is_mode(it))
}
