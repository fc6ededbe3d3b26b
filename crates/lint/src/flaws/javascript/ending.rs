//! JavaScript programs that end, or read their input, before it has arrived (CM-3, IO-2), and those
//! that assign where they mean to compare.

use super::super::Flaw;
use super::super::source::{Call, Source, is_part, literal};
use super::{depth, may_refuse};

/// What calls a function of a program when something else is done.
const DEFERRING_CALLS: [&str; 8] = [
    "setTimeout",
    "setImmediate",
    "exec",
    "execFile",
    "readFile",
    "then",
    "request",
    "question",
];

pub(super) fn find(source: &Source<'_>) -> Option<Flaw> {
    if !may_refuse(source.text) {
        return None;
    }
    read_too_soon(source)
        .or_else(|| ended_too_soon(source))
        .or_else(|| check_assignment(source))
}

/// Looks for input that is collected by a handler, but read at the top level of the program.
fn read_too_soon(source: &Source<'_>) -> Option<Flaw> {
    const WAITS: [&str; 6] = [
        "'end'",
        "\"end\"",
        "'close'",
        "\"close\"",
        "readable",
        "await",
    ];
    if WAITS.iter().any(|it| source.text.contains(it)) {
        return None;
    }
    let call = source.calls("process.stdin.on").find(|call| {
        let event = call.arguments.first().and_then(|it| literal(it));
        event.is_some_and(|it| it.inner == "data")
    })?;
    let handler = call.arguments.get(1)?;
    let behind = &source.text[call.end..];
    let (left, _) = handler.split_once("+=")?;
    let name = left.trim_end().rsplit(|it| !is_part(it)).next()?;
    let is_read = behind.split(|it| !is_part(it)).any(|it| it == name);
    (!may_refuse(handler) && is_read && !name.is_empty()).then(|| {
        let why = format!("\"{name}\" is read before the input arrives, so it is empty");
        let help = "read it at once: JSON.parse(require(\"fs\").readFileSync(0, \"utf8\"))";
        Flaw::new(source.line_of(call.end), why, help)
    })
}

/// Looks for an end of the program after something that only begins there: a timer, or an
/// asynchronous function.
fn ended_too_soon(source: &Source<'_>) -> Option<Flaw> {
    let end = source.calls("process.exit").find(|call| {
        let before = source.plain[..call.start].trim_end();
        let argument = call.arguments.first().copied().unwrap_or("0");
        let line = source.plain[..call.start]
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        argument == "0"
            && depth(&source.plain[..call.start]) == 0
            && !line.contains("if")
            && !line.contains("else")
            && !line.contains("=>")
            && before.ends_with([';', ')', '}'])
            && !before.ends_with("try {")
    })?;
    let before = &source.plain[..end.start];
    let unawaited = DEFERRING_CALLS.into_iter().find_map(|name| {
        let mut calls = source.calls(name).filter(|it| it.end <= end.start);
        let call = calls.find(|it| !is_awaited(source, it, end.start))?;
        may_refuse(&source.text[call.start..call.end]).then_some((name, call.start, call.end))
    });
    let called = || {
        let words = before.split(|it| !is_part(it));
        let names = words.filter(|it| it.len() > 1 && source.is_asynchronous(it));
        names.into_iter().find_map(|name| {
            let (start, body) = source.function(name)?;
            let mut calls = source
                .calls(name)
                .filter(|it| it.start > start + body.len());
            calls.find(|it| source.is_dropped(it.start, it.end))?;
            (may_refuse(body) && body.contains("await")).then_some((
                name,
                start,
                start + body.len(),
            ))
        })
    };
    let (name, start, until) = unawaited.or_else(called)?;
    (!may_refuse(&source.text_without(start..until))).then(|| {
        let why = format!(
            "\"process.exit(0)\" ends the program before \"{name}\", which refuses, is done"
        );
        let help = "remove it: the program ends on its own when everything is done";
        Flaw::new(source.line_of(end.start), why, help)
    })
}

/// Returns whether a program waits for a call before it reaches a place.
fn is_awaited(source: &Source<'_>, call: &Call<'_>, until: usize) -> bool {
    let begin = source.plain[..call.start].rfind(';').map_or(0, |it| it + 1);
    let waits = |from: usize, to: usize| {
        let mut words = source.plain[from..to].split(|it| !is_part(it));
        words.any(|it| matches!(it, "await" | "return"))
    };
    waits(begin, call.start) || waits(call.end, until)
}

/// Looks for `if (x.tool_name = "y")`, which is always true and changes what is compared later.
fn check_assignment(source: &Source<'_>) -> Option<Flaw> {
    ["if (", "if("].into_iter().find_map(|head| {
        source.plain.match_indices(head).find_map(|(at, _)| {
            let rest = &source.text[at + head.len()..];
            let (left, right) = rest.split_once('=')?;
            let is_value = left
                .trim()
                .chars()
                .all(|it| is_part(it) || matches!(it, '.' | '?' | '[' | ']' | '"' | '\''));
            let right = right.trim_start();
            let is_text = right.starts_with(['"', '\'']) && !left.trim().is_empty();
            (is_value && is_text).then(|| {
                let left = left.trim();
                let why = format!("\"{left} = …\" assigns to \"{left}\" instead of comparing it");
                Flaw::with(
                    "its earlier value is lost",
                    source.line_of(at),
                    why,
                    format!("write {left} === …"),
                )
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Language;

    fn found(text: &str) -> bool {
        find(&Source::read(text, Language::JavaScript)).is_some()
    }

    /// CM-3, IO-2: a program that ends or reads too soon is found.
    #[test]
    fn what_comes_too_soon_is_found() {
        for text in [
            "let s = '';\nprocess.stdin.on('data', c => s += c);\nconst d = s ? JSON.parse(s) : {};\nif (d.x) process.exit(2);\n",
            "setTimeout(() => { if (x) process.exit(2) }, 50);\nprocess.exit(0)\n",
            "async function main() { await wait(); if (x) process.exit(2) }\nmain();process.exit(0)\n",
            "exec('git status', (e, out) => { if (out) process.exit(2) });\nprocess.exit(0);\n",
            "check().then((it) => { if (it) process.exit(2) });\nprocess.exit();\n",
            "if (d.tool_name = 'write_file') { y() }\nif (d.x) process.exit(2)\n",
        ] {
            assert!(found(text), "{text}");
        }
    }

    /// CM-3, IO-2: what waits, and what compares, isn't reported.
    #[test]
    fn what_waits_is_not_reported() {
        for text in [
            "let s = '';\nprocess.stdin.on('data', c => s += c).on('end', () => { if (s) process.exit(2) });\n",
            "process.stdin.on('data', c => { if (c) process.exit(2) });\n",
            "(async () => { let s = ''; for await (const c of process.stdin) s += c; if (s) process.exit(2) })();\n",
            "async function main() { await wait(); if (x) process.exit(2) }\nmain();\n",
            "async function main() { await wait(); if (x) process.exit(2) }\nmain().then(() => process.exit(0));\n",
            "await check().then((it) => { if (it) process.exit(2) });\nprocess.exit(0);\n",
            "await fetch(url)\n  .then((it) => it.json())\n  .then((it) => { if (it.bad) process.exit(2) });\nprocess.exit(0);\n",
            "const done = check().then((it) => { if (it) process.exit(2) });\nawait done;\nprocess.exit(0);\n",
            "const timer = setTimeout(() => process.exit(2), 5000);\nif (y) process.exit(2);\nprocess.exit(0);\n",
            "if (x) process.exit(2);\nprocess.exit(0);\n",
            "if (d.tool_name === 'write_file') process.exit(2);\n",
            "if (a >= 'b') process.exit(2);\n",
            "exec('git status', (e, out) => { if (out) process.exit(2); process.exit(0); });\n",
            "if (/x/.exec(y)) process.exit(2);\nprocess.exit(0);\n",
        ] {
            assert!(!found(text), "{text}");
        }
    }
}
