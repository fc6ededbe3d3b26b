//! Guards in Python whose refusal doesn't become the program's exit code (CM-3, IO-2, IO-13).

use super::source::{Call, Source, first_literal, indentation, literal};
use super::variable_values::names_of;
use super::{Flaw, exits_with_two, may_refuse, may_refuse_here, refuses_by_reply};

/// Looks into a program that `command` starts.
pub(super) fn find(source: &Source<'_>, command: &str) -> Option<Flaw> {
    in_a_thread(source)
        .or_else(|| cancelled(source))
        .or_else(|| check_coroutines(source))
        .or_else(|| code_of_the_system(source))
        .or_else(|| output_taken_away(source))
        .or_else(|| unflushed(source, command))
        .or_else(|| suppressed(source))
        .or_else(|| reply_never_printed(source))
        .or_else(|| wrong_name_of_main(source))
        .or_else(|| check_assertions(source, command))
        .or_else(|| arguments_parsed(source, command))
        .or_else(|| after_the_end(source))
}

/// Returns the name that an argument gives: `target=check`.
fn argument_name<'c>(call: &Call<'c>, key: &str) -> Option<&'c str> {
    let mut arguments = call.arguments.iter();
    arguments.find_map(|it| Some(it.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim()))
}

/// Looks for a function that refuses in a thread, in a process of its own, or in a pool.
fn in_a_thread(source: &Source<'_>) -> Option<Flaw> {
    let of = |name: &'static str, call: &Call<'_>| {
        let target = match name {
            "submit" => call.arguments.first().copied()?,
            _ => argument_name(call, "target")?,
        };
        let (at, body) = source.function(target)?;
        let rest = source.text_without(at..at + body.len());
        let is_final = name == "Thread" && body.contains("_exit(");
        let looks = [".exitcode", ".result(", ".exception("];
        let is_looked_at = looks.iter().any(|it| rest.contains(it));
        let refuses = exits_with_two(body) && !refuses_by_reply(body);
        (refuses && !is_final && !is_looked_at && !may_refuse_here(&rest)).then(|| {
            let line = source.line_of(
                at + body
                    .lines()
                    .take_while(|it| !exits_with_two(it))
                    .map(|it| it.len() + 1)
                    .sum::<usize>(),
            );
            let (what, help) = match name {
                "Thread" => (
                    "only the thread",
                    "write os._exit(2) there, or end the program after join(): sys.exit(2)",
                ),
                "Process" => (
                    "only the process of its own",
                    "write sys.exit(process.exitcode) after join()",
                ),
                _ => ("only the task", "get its result: future.result()"),
            };
            Flaw::new(
                line,
                format!("exit code 2 in \"{target}\" ends {what}, and the program continues"),
                help,
            )
        })
    };
    ["Thread", "Process", "submit"]
        .into_iter()
        .find_map(|name| source.calls(name).find_map(|call| of(name, &call)))
}

/// Looks for a task that nothing waits for, and that ends with the loop.
fn cancelled(source: &Source<'_>) -> Option<Flaw> {
    let names = ["asyncio.create_task", "asyncio.ensure_future"];
    names.into_iter().find_map(|name| {
        source.calls(name).find_map(|call| {
            let of = call.arguments.first()?.split('(').next()?;
            let (at, body) = source.function(of)?;
            let waits = source.plain[call.end..].contains("await ") && at < call.start;
            let behind = source.plain[call.end..].lines().skip(1);
            let own = indentation(
                source.plain[..call.start]
                    .rsplit('\n')
                    .next()
                    .unwrap_or_default(),
            );
            let mut block = behind.take_while(|it| it.trim().is_empty() || indentation(it) >= own);
            let is_waited_for =
                waits && block.any(|it| it.contains("await ") || it.contains("run_"));
            let rest = source.text_without(at..at + body.len());
            let is_lost = source.is_dropped(call.start, call.end) && !is_waited_for;
            (is_lost && may_refuse(body) && !may_refuse_here(&rest)).then(|| {
                Flaw::new(
                    source.line_of(call.start),
                    format!(
                        "nobody waits for the task \"{of}\", so the program ends before it refuses"
                    ),
                    format!("write \"await {of}(…)\""),
                )
            })
        })
    })
}

/// Looks for a coroutine that is created but never run.
fn check_coroutines(source: &Source<'_>) -> Option<Flaw> {
    let mut heads = source.places("async def ");
    heads.find_map(|at| {
        let name = source.plain[at + "async def ".len()..].split('(').next()?;
        let (start, body) = source.function(name)?;
        let rest = source.text_without(start..start + body.len());
        if !may_refuse(body) || may_refuse_here(&rest) {
            return None;
        }
        let mut others = source
            .calls(name)
            .filter(|it| it.start >= start + body.len() || it.start < start);
        let first = others
            .next()
            .filter(|it| source.is_dropped(it.start, it.end))?;
        others.next().is_none().then(|| {
            let why = format!("\"{name}(…)\" only creates a coroutine, which never runs");
            Flaw::new(
                source.line_of(first.start),
                why,
                format!("write asyncio.run({name}(…)), or await {name}(…)"),
            )
        })
    })
}

/// Looks for the result of `os.system` used as an exit code.
fn code_of_the_system(source: &Source<'_>) -> Option<Flaw> {
    let makes_code = |text: &str| {
        [
            "waitstatus_to_exitcode",
            "WEXITSTATUS",
            ">> 8",
            ">>8",
            "// 256",
        ]
        .iter()
        .any(|it| text.contains(it))
    };
    let flaw = |at: usize| {
        Flaw::new(
            source.line_of(at),
            "\"os.system\" returns 512 for exit code 2, and a program that ends with 512 ends with \
             0",
            "write sys.exit(os.waitstatus_to_exitcode(os.system(…)))",
        )
    };
    let mut ends = ["sys.exit", "exit"]
        .into_iter()
        .flat_map(|it| source.calls(it));
    ends.find_map(|call| {
        let argument = call.arguments.first().filter(|it| !makes_code(it))?;
        // The argument must be the value itself, not `os.system(…) and 2`.
        let is_it = |value: &str| {
            let inner = value
                .strip_prefix("os.system(")
                .and_then(|it| it.strip_suffix(')'));
            inner.is_some_and(|it| literal(it).is_some() || !it.contains([')', ' ']))
        };
        let names = names_of(source, &is_it);
        let is_code = is_it(argument) || names.contains(argument) && !makes_code(&source.plain);
        is_code.then(|| flaw(call.start))
    })
}

/// Looks for a reply that is printed after standard output was led elsewhere.
fn output_taken_away(source: &Source<'_>) -> Option<Flaw> {
    let text = source.text;
    if exits_with_two(text) || !refuses_by_reply(text) {
        return None;
    }
    let mut found = source
        .places("sys.stdout = ")
        .chain(source.places("sys.stdout="))
        .filter(|at| {
            let value = source.text[*at..].lines().next().unwrap_or_default();
            value.contains("devnull") || value.contains("StringIO") || value.contains("/dev/null")
        });
    let at = found.next()?;
    let behind = &source.plain[at + 1..];
    let comes_back = [
        "sys.stdout",
        "__stdout__",
        "write(1",
        "open(1",
        "getvalue",
        "stderr",
        "file=",
    ];
    let is_back = comes_back.iter().any(|it| behind.contains(it));
    (!is_back && source.plain[at..].contains("print(")).then(|| {
        Flaw::new(
            source.line_of(at),
            "standard output is redirected before the reply is printed",
            "print the reply with file=sys.__stdout__, or restore sys.stdout first",
        )
    })
}

/// Looks for a printed reply that `os._exit` drops with its buffer.
fn unflushed(source: &Source<'_>, command: &str) -> Option<Flaw> {
    let text = source.text;
    let first = text.lines().next().unwrap_or_default();
    let is_unbuffered = |it: &str| it.contains(" -u") || it.contains("PYTHONUNBUFFERED");
    let flushes = ["flush", "write(1", "line_buffering"]
        .iter()
        .any(|it| text.contains(it))
        || is_unbuffered(command)
        || is_unbuffered(first);
    if exits_with_two(text) || !refuses_by_reply(text) || flushes || text.contains("sys.exit(") {
        return None;
    }
    let printed = source.places("print").next()?;
    source.calls("os._exit").find_map(|call| {
        let line = source.plain[..call.start]
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        let before = source.plain[..call.start].trim_end();
        let last = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let is_certain = line.is_empty() || last.starts_with("print(");
        (call.start > printed && is_certain).then(|| {
            Flaw::new(
                source.line_of(call.start),
                "\"os._exit\" ends the program while the reply is still in the buffer of print()",
                "write sys.exit(0), or print(…, flush=True)",
            )
        })
    })
}

/// Looks for a block that drops the exception that would end the program.
fn suppressed(source: &Source<'_>) -> Option<Flaw> {
    source.calls("suppress").find_map(|call| {
        let caught = call
            .arguments
            .iter()
            .find(|it| matches!(**it, "SystemExit" | "BaseException"))?;
        let start = source.plain[..call.start]
            .rfind('\n')
            .map_or(0, |it| it + 1);
        let own = indentation(&source.plain[start..]);
        let block = source.text[call.end..].lines().skip(1);
        let mut block = block.take_while(|it| it.trim().is_empty() || indentation(it) > own);
        let rest: String = source.text[call.end..]
            .lines()
            .skip(1)
            .skip_while(|it| it.trim().is_empty() || indentation(it) > own)
            .collect();
        (block.any(exits_with_two) && !may_refuse_here(&rest)).then(|| {
            let why = format!("suppress({caught}) discards what \"sys.exit(2)\" raises");
            Flaw::new(source.line_of(call.start), why, "write suppress(Exception)")
        })
    })
}

/// Looks for a reply that is built, but not printed.
fn reply_never_printed(source: &Source<'_>) -> Option<Flaw> {
    let speaks = ["print(", "stdout", "json.dump(", "write(1"];
    let may_speak =
        speaks.iter().any(|it| source.plain.contains(it)) || exits_with_two(source.text);
    if may_speak || !refuses_by_reply(source.text) {
        return None;
    }
    source.calls("json.dumps").find_map(|call| {
        source.is_dropped(call.start, call.end).then(|| {
            let why = "json.dumps only creates the reply, which is never printed";
            Flaw::new(
                source.line_of(call.start),
                why,
                "write print(json.dumps(…))",
            )
        })
    })
}

/// Looks for `if __name__ == "main":`.
fn wrong_name_of_main(source: &Source<'_>) -> Option<Flaw> {
    if source.text.contains("\"__main__\"") || source.text.contains("'__main__'") {
        return None;
    }
    let at = source.places("if __name__").next()?;
    let line = source.text[at..].lines().next()?;
    let (_, right) = line.split_once("==")?;
    let name = first_literal(right)?;
    let why = format!("__name__ is never \"{name}\", so nothing below it runs");
    let is_guard = may_refuse(source.text);
    is_guard.then(|| {
        Flaw::new(
            source.line_of(at),
            why,
            "write if __name__ == \"__main__\":",
        )
    })
}

/// Looks for a guard that consists of assertions, which may be left out.
fn check_assertions(source: &Source<'_>, command: &str) -> Option<Flaw> {
    let is_left_out = command
        .split_whitespace()
        .any(|it| matches!(it, "-O" | "-OO" | "PYTHONOPTIMIZE=1"));
    if !is_left_out || may_refuse(source.text) {
        return None;
    }
    let at = source.places("assert").next()?;
    let help = "write: if …: sys.exit(2)";
    Some(Flaw::new(
        source.line_of(at),
        "with -O, Python ignores \"assert\"",
        help,
    ))
}

/// Looks for a guard that reads only its arguments: a hook has none.
fn arguments_parsed(source: &Source<'_>, command: &str) -> Option<Flaw> {
    const INPUT: [&str; 7] = [
        "stdin",
        "input(",
        "fileinput",
        "open(0",
        "FileType",
        "environ",
        "getenv",
    ];
    let call = source.places("parse_args").next()?;
    let last = command
        .split_whitespace()
        .next_back()?
        .trim_matches(['"', '\'']);
    let has_arguments = !last.rsplit('/').next()?.contains(".py") && command.contains(' ');
    let reads =
        INPUT.iter().any(|it| source.plain.contains(it)) || source.text.contains("/dev/stdin");
    if has_arguments || reads || imports_others(source) || !may_refuse(source.text) {
        return None;
    }
    let is_demanded = source.calls("add_argument").any(|call| {
        let name = call.arguments.first().and_then(|it| first_literal(it));
        let is_option = name.is_some_and(|it| it.starts_with('-'));
        let says = |it: &str| {
            call.arguments
                .iter()
                .any(|argument| argument.replace(' ', "") == it)
        };
        let may_be_none = call.arguments.iter().any(|it| it.starts_with("nargs"));
        says("required=True") || !is_option && !may_be_none
    });
    let so = if is_demanded {
        "it ends with exit code 2 and a usage message, which refuses everything"
    } else {
        super::REFUSES_NOTHING
    };
    Some(Flaw::with(
        so,
        source.line_of(call),
        "it decides by its arguments, but a hook gets none",
        "read the event on standard input: json.load(sys.stdin)",
    ))
}

/// Returns whether a program loads something unknown, which may read the event.
pub(super) fn imports_others(source: &Source<'_>) -> bool {
    const KNOWN: [&str; 24] = [
        "__future__",
        "argparse",
        "base64",
        "collections",
        "dataclasses",
        "datetime",
        "enum",
        "fnmatch",
        "functools",
        "glob",
        "hashlib",
        "itertools",
        "json",
        "logging",
        "os",
        "pathlib",
        "re",
        "shlex",
        "shutil",
        "string",
        "sys",
        "textwrap",
        "time",
        "typing",
    ];
    let mut lines = source.plain.lines().map(str::trim_start);
    lines.any(|line| {
        let modules = line
            .strip_prefix("import ")
            .or_else(|| line.strip_prefix("from ")?.split(" import").next());
        let modules = modules.and_then(|it| it.split(';').next());
        let mut modules = modules.into_iter().flat_map(|it| it.split(','));
        modules.any(|it| {
            let name = it
                .split([' ', '.'])
                .find(|it| !it.is_empty())
                .unwrap_or_default();
            !KNOWN.contains(&name)
        })
    })
}

/// Looks for an end of the program before everything that refuses.
fn after_the_end(source: &Source<'_>) -> Option<Flaw> {
    let mut at = 0;
    for line in source.plain.split_inclusive('\n') {
        let plain = line.trim_end();
        let is_end = matches!(
            plain,
            "sys.exit(0)" | "sys.exit()" | "exit(0)" | "exit()" | "quit()" | "raise SystemExit(0)"
        );
        let (before, behind) = (&source.text[..at], &source.text[at..]);
        if is_end && may_refuse(behind) && !may_refuse_here(before) {
            let why = format!("\"{plain}\" ends the program, and the refusal is after it");
            return Some(Flaw::new(
                source.line_of(at),
                why,
                format!("remove \"{plain}\""),
            ));
        }
        let condition = plain
            .strip_prefix("if ")
            .and_then(|it| it.strip_suffix(':'));
        if matches!(condition, Some("False" | "0" | "None")) {
            let block: usize = source.plain[at + line.len()..]
                .split_inclusive('\n')
                .take_while(|it| it.trim().is_empty() || indentation(it) > 0)
                .map(str::len)
                .sum();
            let end = at + line.len() + block;
            let rest = source.text_without(at..end);
            if may_refuse(&source.text[at..end]) && !may_refuse_here(&rest) {
                let why = format!("\"{plain}\" is never true, so the refusal inside it never runs");
                return Some(Flaw::new(
                    source.line_of(at),
                    why,
                    "write the condition, or remove it",
                ));
            }
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::patterns;
    use super::*;
    use crate::refusal::Language;

    fn found(text: &str) -> Option<Flaw> {
        let source = Source::read(text, Language::Python);
        find(&source, "python3 -O guard.py").or_else(|| patterns::find(&source))
    }

    /// CM-3: refusals that never become those of the program are found.
    #[test]
    fn refusals_that_get_lost_are_found() {
        for text in [
            "def check():\n    if x:\n        sys.exit(2)\nt = threading.Thread(target=check); t.start(); t.join()\n",
            "def check(c):\n    sys.exit(2)\np=multiprocessing.Process(target=check,args=(cmd,)); p.start(); p.join()\n",
            "def check(c):\n    sys.exit(2)\npool.submit(check, cmd)\n",
            "async def check():\n    sys.exit(2)\nasync def main():\n    asyncio.create_task(check())\nasyncio.run(main())\n",
            "async def check():\n    sys.exit(2)\ncheck()\n",
            "sys.exit(os.system('case \"$C\" in rm*) exit 2;; esac'))\n",
            "code = os.system('x')\nsys.exit(code)\n",
            "sys.stdout = open(os.devnull,'w')\nif x:\n    print(json.dumps({'decision':'deny'}))\n",
            "if x:\n    print(json.dumps({'decision':'deny','reason':'no'}))\nos._exit(0)\n",
            "with contextlib.suppress(SystemExit):\n    if x:\n        sys.exit(2)\n",
            "if x:\n    json.dumps({'decision':'deny','reason':'no'})\n",
            "def main():\n    sys.exit(2)\nif __name__ == 'main':\n    main()\n",
            "assert 'rm' not in cmd, 'forbidden'\n",
            "p=argparse.ArgumentParser(); a=p.parse_args()\nif 'rm' in a.command: sys.exit(2)\n",
            "import sys\nsys.exit(0)\nif x:\n    sys.exit(2)\n",
            "if False:\n    sys.exit(2)\n",
            "if re.search('\\brm\\b', cmd):\n    sys.exit(2)\n",
            "if re.search(cmd, r'rm -rf|mkfs'):\n    sys.exit(2)\n",
            "if re.match(r'\\s+rm', cmd):\n    sys.exit(2)\n",
            "if re.match(r'(^|;)\\s*rm', cmd):\n    sys.exit(2)\n",
        ] {
            assert!(found(text).is_some(), "{text}");
        }
    }

    /// CM-3: right guards in the same style aren't accused.
    #[test]
    fn right_guards_are_not_accused() {
        for text in [
            "def check():\n    if x:\n        os._exit(2)\nt = threading.Thread(target=check); t.start(); t.join()\n",
            "bad = []\ndef check():\n    bad.append(1)\nthreading.Thread(target=check).start()\nif bad: sys.exit(2)\n",
            "def check(c):\n    sys.exit(2)\np=Process(target=check); p.start(); p.join()\nsys.exit(p.exitcode)\n",
            "def log():\n    save()\nthreading.Thread(target=log).start()\nif x:\n    sys.exit(2)\n",
            "def check(c):\n    sys.exit(2)\nf = pool.submit(check, cmd)\nf.result()\n",
            "async def check():\n    sys.exit(2)\nasync def main():\n    await check()\nasyncio.run(main())\n",
            "async def check():\n    sys.exit(2)\nasync def main():\n    t = asyncio.create_task(check())\n    await t\nasyncio.run(main())\n",
            "async def main():\n    sys.exit(2)\nasyncio.run(main())\n",
            "sys.exit(os.waitstatus_to_exitcode(os.system('x')))\n",
            "code = os.system('x')\nsys.exit(code >> 8)\n",
            "old = sys.stdout\nsys.stdout = open(os.devnull,'w')\nload()\nsys.stdout = old\nprint(json.dumps({'decision':'deny'}))\n",
            "sys.stdout = open(os.devnull,'w')\nprint('no', file=sys.stderr)\nsys.exit(2)\n",
            "print(json.dumps({'decision':'deny'}), flush=True)\nos._exit(0)\n",
            "print(json.dumps({'decision':'deny'}))\nsys.exit(0)\n",
            "with contextlib.suppress(Exception):\n    if x:\n        sys.exit(2)\n",
            "with suppress(SystemExit):\n    parse()\nif x:\n    sys.exit(2)\n",
            "reply = json.dumps({'decision':'deny'})\nprint(reply)\n",
            "sys.stdout.write(\n    json.dumps({'decision':'deny'}))\n",
            "def main():\n    sys.exit(2)\nif __name__ == '__main__':\n    main()\n",
            "assert x\nif x:\n    sys.exit(2)\n",
            "p=argparse.ArgumentParser(); a=p.parse_args()\nd=json.load(sys.stdin)\nif 'rm' in d: sys.exit(2)\n",
            "from hooklib import read_event\np=argparse.ArgumentParser(); p.add_argument('--strict'); a=p.parse_args()\nif a.strict or read_event(): sys.exit(2)\n",
            "from .events import read\na=ArgumentParser().parse_args()\nsys.exit(2)\n",
            "import argparse, os\na=ArgumentParser().parse_args()\nif 'rm' in os.environ['EVENT']: sys.exit(2)\n",
            "if x:\n    sys.exit(0)\nif y:\n    sys.exit(2)\n",
            "if x:\n    sys.exit(2)\nsys.exit(0)\n",
            "def deny():\n    sys.exit(2)\nif x:\n    deny()\nsys.exit(0)\n",
            "if re.search(r'\\brm\\b', cmd):\n    sys.exit(2)\n",
            "if re.search('rm', 'rm -rf'):\n    sys.exit(2)\n",
            "if re.match(r'rm\\s', cmd):\n    sys.exit(2)\n",
            "if re.match(r'^rm$', cmd):\n    sys.exit(2)\n",
            "if re.match(r'.*\\.env$', path):\n    sys.exit(2)\n",
        ] {
            let why = found(text).map(|it| it.why);
            assert_eq!(why, None, "{text}");
        }
    }
}
