//! Guards in JavaScript whose refusal doesn't become the program's exit code (CM-3, IO-2, IO-13).

mod ending;

use hookloop_settings::nearest;
use hookloop_text::shorten::excerpt;

use super::source::{Source, closing, first_literal};
use super::{Flaw, exits_with_two, may_refuse, may_refuse_here, refuses_by_reply, says_no};

/// Looks into a program of a name.
pub(super) fn find(source: &Source<'_>, name: &str) -> Option<Flaw> {
    overwritten_at_the_end(source)
        .or_else(|| dropped_by_catch(source))
        .or_else(|| only_exported(source))
        .or_else(|| reply_never_printed(source))
        .or_else(|| exit_not_called(source))
        .or_else(|| returned_to_nobody(source))
        .or_else(|| ended_before_the_input(source))
        .or_else(|| promise_compared(source))
        .or_else(|| required_in_a_module(source, name))
        .or_else(|| never_entered(source))
        .or_else(|| check_event_name(source))
        .or_else(|| ending::find(source))
}

/// Looks for a handler of an event that standard input doesn't have (`process.stdin.on('dat', …)`):
/// it is never called.
fn check_event_name(source: &Source<'_>) -> Option<Flaw> {
    const EVENTS: [&str; 8] = [
        "data", "end", "close", "error", "readable", "pause", "resume", "keypress",
    ];
    let refuses = exits_with_two(source.text) || refuses_by_reply(source.text);
    let names = ["process.stdin.on", "process.stdin.once"];
    let calls = names.into_iter().flat_map(|name| source.calls(name));
    calls.filter(|_| refuses).find_map(|call| {
        let event = first_literal(call.arguments.first()?)?;
        let is_known = EVENTS.contains(&event);
        let help = match nearest(event, EVENTS) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => "write \"data\" and \"end\"".to_owned(),
        };
        (!is_known).then(|| {
            let why = format!(
                "standard input has no event \"{}\", so its handler is never called",
                excerpt(event)
            );
            Flaw::new(source.line_of(call.start), why, help)
        })
    })
}

/// Looks for a handler of the program's end that changes its exit code.
fn overwritten_at_the_end(source: &Source<'_>) -> Option<Flaw> {
    ["process.on", "process.once"].into_iter().find_map(|name| {
        source.calls(name).find_map(|call| {
            let event = first_literal(call.arguments.first()?)?;
            let handler: String = call.arguments.get(1)?.split_whitespace().collect();
            // `process.exit()` without an argument keeps the current exit code.
            let sets = ["exitCode=0", "process.exit(0)"];
            let is_it = matches!(event, "exit" | "beforeExit" | "uncaughtException");
            let set = sets.iter().find(|it| handler.contains(**it))?;
            let is_end =
                event == "exit" && exits_with_two(source.text) && !exits_with_two(&handler);
            (is_it && is_end && !handler.contains("if(")).then(|| {
                Flaw::new(
                    source.line_of(call.start),
                    format!("at the end, \"{set}\" replaces exit code 2"),
                    "remove it from the handler of \"exit\"",
                )
            })
        })
    })
}

/// Looks for an exception that refuses, and that an empty handler drops.
fn dropped_by_catch(source: &Source<'_>) -> Option<Flaw> {
    if may_refuse_here(source.text) {
        return None;
    }
    let throws = |text: &str| {
        let mut lines = text.lines();
        lines.any(|it| (it.contains("throw ") || it.contains(".reject(")) && says_no(it))
    };
    let of_function = |name: &str| source.function(name).is_some_and(|(_, body)| throws(body));
    let mut calls = source.calls(".catch");
    let call = calls.find(|call| {
        let handler: String = call.arguments.concat().split_whitespace().collect();
        let is_empty = ["=>{}", "=>null", "=>undefined", "){}"]
            .iter()
            .any(|it| handler.ends_with(it));
        let caught = &source.text[expression_start(&source.plain[..call.start])..call.start];
        let names = caught.split(|it| !super::source::is_part(it));
        is_empty && (throws(caught) || names.filter(|it| !it.is_empty()).any(of_function))
    })?;
    let help = "write .catch((error) => { console.error(error.message); process.exit(2); })";
    Some(Flaw::new(
        source.line_of(call.start),
        "\".catch\" discards the error that is thrown to refuse",
        help,
    ))
}

/// Returns where the expression that ends a text begins: `check(x).then(…)`.
fn expression_start(plain: &str) -> usize {
    let mut depth = 0_i32;
    let mut letters = plain.char_indices().rev();
    let start = letters.find(|(_, letter)| match letter {
        ')' | ']' | '}' => {
            depth += 1;
            false
        }
        '(' | '[' | '{' => {
            depth -= 1;
            depth < 0
        }
        _ => depth == 0 && !super::source::is_part(*letter) && !matches!(letter, '.' | '?'),
    });
    start.map_or(0, |(at, letter)| at + letter.len_utf8())
}

/// Returns whether a program loads modules other than the system's, which may do its work for it.
pub(super) fn imports_others(source: &Source<'_>) -> bool {
    const KNOWN: [&str; 12] = [
        "fs",
        "path",
        "os",
        "process",
        "child_process",
        "util",
        "url",
        "readline",
        "fs/promises",
        "crypto",
        "events",
        "stream",
    ];
    let behind = |line: &'_ str| {
        let heads = ["require(", " from ", "import(", "import "];
        heads
            .iter()
            .find_map(|it| line.find(it).map(|at| at + it.len()))
    };
    let mut lines = source.text.lines();
    lines.any(|line| {
        let module = behind(line).and_then(|at| first_literal(&line[at..]));
        module.is_some_and(|it| !it.starts_with("node:") && !KNOWN.contains(&it))
    })
}

/// Looks for a module that only exports a function, as plugins of other agents do.
fn only_exported(source: &Source<'_>) -> Option<Flaw> {
    let at = source.places("export default").next()?;
    let reads = ["stdin", "readFileSync(", "createInterface", "Bun.", "Deno."];
    let may_read = reads.iter().any(|it| source.plain.contains(it));
    let refuses = may_refuse(source.text) || source.text.contains("throw ") && says_no(source.text);
    let value = source.plain[at..]
        .trim_start_matches("export default")
        .trim_start();
    let forms = ["function", "async", "(", "{", "class"];
    let is_function = forms.iter().any(|it| value.starts_with(it));
    (refuses && !may_read && is_function && !imports_others(source)).then(|| {
        let why = "it exports a function that nothing calls: a hook's script is run as a program";
        let help = "call it: read the event on standard input, JSON.parse(fs.readFileSync(0)), and \
                    end with process.exit(2) to refuse";
        Flaw::new(source.line_of(at), why, help)
    })
}

/// Looks for a reply that is built, but not printed.
fn reply_never_printed(source: &Source<'_>) -> Option<Flaw> {
    let speaks = ["console.", "stdout", "writeSync(", "writeFileSync("];
    let may_speak =
        speaks.iter().any(|it| source.plain.contains(it)) || exits_with_two(source.text);
    if may_speak || !refuses_by_reply(source.text) && !source.text.contains("decision") {
        return None;
    }
    source.calls("JSON.stringify").find_map(|call| {
        source.is_dropped(call.start, call.end).then(|| {
            let why = "JSON.stringify only creates the reply, which is never printed";
            Flaw::new(
                source.line_of(call.start),
                why,
                "write console.log(JSON.stringify(…))",
            )
        })
    })
}

/// Looks for `process.exit` without brackets.
fn exit_not_called(source: &Source<'_>) -> Option<Flaw> {
    let name = "process.exit";
    let at = source
        .places(name)
        .find(|at| source.is_dropped(*at, at + name.len()))?;
    let why = "\"process.exit\" without brackets ends nothing";
    Some(Flaw::new(
        source.line_of(at),
        why,
        "write \"process.exit(2)\" where it should refuse",
    ))
}

/// What a place in a program is inside.
#[derive(Debug, PartialEq, Eq)]
enum Within<'s> {
    Program,
    /// A function that is passed to another one, `on('end', …)`.
    Callback(&'s str),
    Function,
}

/// Returns the innermost function in which a place is.
fn function_around<'s>(source: &'s Source<'_>, at: usize) -> Within<'s> {
    let mut opened = Vec::new();
    for (place, letter) in source.plain[..at].char_indices() {
        match letter {
            '{' => opened.push(place),
            '}' => {
                opened.pop();
            }
            _ => {}
        }
    }
    while let Some(place) = opened.pop() {
        let line = source.plain[..place]
            .rsplit([';', '}'])
            .next()
            .unwrap_or_default();
        let head = line.trim_end();
        let keyword = |word: &str| {
            let mut words = head
                .split(|it| !super::source::is_part(it))
                .filter(|it| !it.is_empty());
            words.any(|it| it == word)
        };
        let is_arrow = head.ends_with("=>");
        let blocks = ["if", "else", "for", "while", "switch", "try", "catch", "do"];
        if !is_arrow
            && !keyword("function")
            && (blocks.iter().any(|it| keyword(it)) || !head.ends_with(')'))
        {
            continue;
        }
        let callback = [".on(", ".once(", ".then("]
            .iter()
            .find(|it| head.contains(**it));
        return callback.map_or(Within::Function, |it| Within::Callback(it));
    }
    Within::Program
}

/// Looks for a `return 2` whose value nobody uses.
fn returned_to_nobody(source: &Source<'_>) -> Option<Flaw> {
    let other = source.plain.replace("return 2", "");
    if may_refuse_here(&other) || refuses_by_reply(source.text) || source.plain.contains("exit") {
        return None;
    }
    let at = source
        .places("return 2")
        .find(|at| match function_around(source, *at) {
            Within::Program => true,
            Within::Callback(name) => name != ".then(",
            Within::Function => false,
        })?;
    let why = "nothing uses the code of that \"return 2\", and the program ends with 0";
    Some(Flaw::new(source.line_of(at), why, "write process.exit(2)"))
}

/// Looks for an end of the program before what its input would call.
fn ended_before_the_input(source: &Source<'_>) -> Option<Flaw> {
    let names = ["process.stdin.on", "stdin.on", "rl.on"];
    let last = names
        .into_iter()
        .flat_map(|it| source.calls(it))
        .map(|it| it.end)
        .max()?;
    source.calls("process.exit").find_map(|call| {
        let before = source.plain[..call.start].trim_end();
        let own = before.rsplit(['\n', ';']).next().unwrap_or_default();
        let is_own = before.ends_with([';', '}', ')']) && !own.trim_start().starts_with("if");
        let argument = call.arguments.first().copied().unwrap_or("0");
        let is_certain = call.start >= last
            && is_own
            && depth(&source.plain[..call.start]) == 0
            && argument == "0"
            && source.is_dropped(call.start, call.end)
            && !before[last.min(before.len())..].contains("await ");
        let outside = &source.text[last..];
        (is_certain && may_refuse(source.text) && !may_refuse(outside)).then(|| {
            Flaw::new(
                source.line_of(call.start),
                "\"process.exit(0)\" ends the program before its input arrives, so the refusal never runs",
                "remove it: the program ends on its own when everything is done",
            )
        })
    })
}

/// Returns how many brackets are open at the end of a text.
fn depth(plain: &str) -> i64 {
    plain.chars().fold(0, |depth, letter| match letter {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    })
}

/// Looks for a promise that is compared as if it were what it promises.
fn promise_compared(source: &Source<'_>) -> Option<Flaw> {
    let words = source.plain.split(|it| !super::source::is_part(it));
    let mut names: Vec<&str> = words
        .filter(|it| !it.is_empty() && source.is_asynchronous(it))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().find_map(|name| {
        source.calls(name).find_map(|call| {
            let behind = source.plain[call.end..].trim_start();
            let before = source.plain[..call.start].trim_end();
            let value = behind.trim_start_matches('=').trim_start();
            let is_value = value
                .starts_with(|it: char| it.is_ascii_digit() || it == '\'' || it == '"')
                || value.starts_with("true");
            let is_compared = behind.starts_with("==") && is_value;
            let waits = ["await", "function", "."]
                .iter()
                .any(|it| before.ends_with(it));
            (is_compared && !waits && may_refuse(source.text)).then(|| {
                let why = format!(
                    "\"{name}(…)\" is a promise, which never equals what it is compared with"
                );
                Flaw::new(
                    source.line_of(call.start),
                    why,
                    format!("write (await {name}(…)), in an async function"),
                )
            })
        })
    })
}

/// Looks for `require` in a module, which doesn't know it.
fn required_in_a_module(source: &Source<'_>, name: &str) -> Option<Flaw> {
    let at = source.calls("require").next()?.start;
    let is_module =
        name.rsplit('.').next() == Some("mjs") && !source.plain.contains("createRequire");
    let is_caught = source.plain.contains("catch");
    (is_module && is_caught).then(|| {
        let why = "a module (.mjs) has no \"require\": it fails, and the failure is caught";
        let help = "write import fs from 'node:fs', or call the file .cjs";
        Flaw::new(source.line_of(at), why, help)
    })
}

/// Looks for a block with all that refuses whose condition is never true.
fn never_entered(source: &Source<'_>) -> Option<Flaw> {
    [
        "if (false)",
        "if(false)",
        "if (0)",
        "if (false &&",
        "if(false&&",
    ]
    .into_iter()
    .find_map(|head| {
        let at = source.plain.find(head)?;
        let rest = &source.plain[at..];
        let open = rest.find('{').filter(|it| !rest[..*it].contains(';'));
        let end = match open {
            Some(open) => at + open + 1 + closing(&rest[open + 1..])?,
            None => at + rest.find([';', '\n']).unwrap_or(rest.len()),
        };
        let others = source.text_without(at..end);
        (may_refuse(&source.text[at..end]) && !may_refuse_here(&others)).then(|| {
            let why = format!("\"{head}\" is never true, so the refusal inside it never runs");
            Flaw::new(source.line_of(at), why, "write the condition, or remove it")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Language;

    const READ: &str = "const d=JSON.parse(require('fs').readFileSync(0,'utf8'));\n";

    fn found(text: &str, name: &str) -> Option<String> {
        let source = Source::read(text, Language::JavaScript);
        find(&source, name).map(|it| it.why)
    }

    /// CM-3: refusals that never become those of the program are found.
    #[test]
    fn refusals_that_get_lost_are_found() {
        for text in [
            "process.on('exit',()=>{process.exitCode=0});\nif(x) process.exit(2);",
            "process.on('exit', () => process.exit(0));\nif(x) process.exit(2);",
            "(async()=>{ if(x) throw new Error('blocked'); })().catch(()=>{});",
            "check().catch((e) => {});\nfunction check() { return Promise.reject('denied'); }",
            "if(x) JSON.stringify({decision:'deny'});",
            "if (x) {\n  JSON.stringify({decision: 'deny'})\n}",
            "if(x) process.exit;",
            "if (x) {\n  process.exit\n}",
            "if(x) return 2;",
            "process.stdin.on('end', () => { if (x) { return 2; } });",
            "let s='';process.stdin.on('data',c=>s+=c);process.stdin.on('end',()=>{if(s) process.exit(2);});\nprocess.exit(0);",
            "async function check(){return true;}\nif(check()===true) process.exit(2);",
            "const check = async () => { return 1; };\nif (check() === 1) { process.exit(2); }",
            "if (false) { process.exit(2); }",
            "if (false && x) process.exit(2);",
        ] {
            assert!(
                found(&format!("{READ}{text}"), "guard.js").is_some(),
                "{text}"
            );
        }
        let exported = "export default async ({x}) => { if (x) throw new Error('blocked'); };";
        assert!(found(exported, "guard.mjs").is_some());
        let required = "let fs; try{fs=require('fs')}catch(e){process.exit(0)}\nprocess.exit(2)";
        assert!(found(required, "guard.mjs").is_some());
        assert!(found(required, "guard.cjs").is_none());
    }

    /// CM-3: right guards in the same style aren't accused.
    #[test]
    fn right_guards_are_not_accused() {
        for text in [
            "process.on('exit',()=>{log.end()});\nif(x) process.exit(2);",
            "process.on('exit', (code) => console.error(code));\nif(x) process.exit(2);",
            "process.on('SIGTERM', () => process.exit(0));\nif(x) process.exit(2);",
            "(async()=>{ if(x) process.exit(2); })().catch(()=>{});",
            "(async()=>{ if(x) throw new Error('blocked'); })().catch(() => process.exit(2));",
            "fetch(url).catch(() => {});\nif (x) process.exit(2);",
            "report().catch(() => {});\nthrow new Error('bad input');",
            "export default 1;\nif (x) process.exit(2);",
            "console.log(JSON.stringify({decision:'deny'}));",
            "const reply =\n  JSON.stringify({decision:'deny'});\nprocess.stdout.write(reply);",
            "if(x) process.exit(2);",
            "p.then(process.exit);",
            "const { exit } = process; if (x) exit(2);",
            "function check() { if (x) return 2; return 0; }\nprocess.exitCode = check();",
            "const f = () => { return 2; };\nconsole.log(f());",
            "main().then(() => { return 2; }).then(process.exit);",
            "process.stdin.on('end',()=>{if(s) process.exit(2);process.exit(0);});",
            "if (!process.stdin.isTTY) process.stdin.on('end',()=>{process.exit(s ? 2 : 0);});\nelse process.exit(0);",
            "async function check(){return true;}\nif(await check()===true) process.exit(2);",
            "async function check(){return true;}\ncheck().then((it) => { if (it === true) process.exit(2); });",
            "if (x === false) process.exit(2);",
        ] {
            assert_eq!(found(&format!("{READ}{text}"), "guard.js"), None, "{text}");
        }
    }
}
