//! Exit calls in Python programs that don't end the program itself (CM-3, IO-13): in a child, in a
//! function that is called at exit, before a final `return`, and for everybody who isn't at a
//! terminal.

use super::source::{Source, indentation};
use super::{Flaw, exits_with_two, may_refuse, may_refuse_here, refuses_by_reply};

pub(super) fn find(source: &Source<'_>) -> Option<Flaw> {
    in_a_child(source)
        .or_else(|| at_the_end(source))
        .or_else(|| withheld_content(source))
        .or_else(|| no_terminal(source))
}

/// Returns the lines below a head, with the place at which they begin: all that are further
/// indented.
fn block<'s>(source: &'s Source<'_>, head: usize) -> (usize, &'s str) {
    let line = source.plain[..head].rfind('\n').map_or(0, |it| it + 1);
    let own = indentation(&source.plain[line..]);
    let start = source.plain[head..]
        .find('\n')
        .map_or(source.plain.len(), |it| head + it + 1);
    let lines = source.plain[start..].split_inclusive('\n');
    let lines = lines.take_while(|it| it.trim().is_empty() || indentation(it) > own);
    let length: usize = lines.map(str::len).sum();
    (start, &source.text[start..start + length])
}

/// Looks for a child of `os.fork` that refuses while the parent ignores it.
fn in_a_child(source: &Source<'_>) -> Option<Flaw> {
    source.calls("os.fork").next()?;
    let heads = [
        "if pid == 0:",
        "if pid==0:",
        "if not pid:",
        "if os.fork() == 0:",
        "if child == 0:",
    ];
    let head = heads.iter().find_map(|it| source.plain.find(it))?;
    let (start, body) = block(source, head);
    let rest = source.text_without(start..start + body.len());
    let refuses = exits_with_two(body) && !refuses_by_reply(body);
    (refuses && !may_refuse_here(&rest)).then(|| {
        let before = body
            .lines()
            .take_while(|it| !exits_with_two(it))
            .map(|it| it.len() + 1);
        Flaw::new(
            source.line_of(start + before.sum::<usize>()),
            "exit code 2 ends only the child that os.fork() makes, and the program continues",
            "write sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])) in the parent",
        )
    })
}

/// Looks for a function that is called at the end, where an exception ends nothing, and for one
/// that ends the program with success whatever it has decided.
fn at_the_end(source: &Source<'_>) -> Option<Flaw> {
    source.calls("atexit.register").find_map(|call| {
        let given = call.arguments.first()?;
        let (at, body) = source.function(given).unwrap_or((call.start, given));
        let end = (at + body.len()).max(call.end);
        let rest = source.text_without(at.min(call.start)..end);
        if body.contains("_exit(0)") && exits_with_two(&rest) && !refuses_by_reply(source.text) {
            let why = "at the end, \"os._exit(0)\" replaces exit code 2";
            return Some(Flaw::new(
                source.line_of(at),
                why,
                "remove it from what atexit calls",
            ));
        }
        let is_raised = exits_with_two(body) && !body.contains("_exit(") && !refuses_by_reply(body);
        (is_raised && !may_refuse_here(&rest)).then(|| {
            Flaw::new(
                source.line_of(at),
                "an exception in what atexit calls can't change the exit code",
                "refuse before the program ends, or write os._exit(2) there",
            )
        })
    })
}

/// Looks for a `return` in a `finally` that drops the exception that would end the program.
fn withheld_content(source: &Source<'_>) -> Option<Flaw> {
    source.plain.match_indices("finally:").find_map(|(at, _)| {
        let line = source.plain[..at].rfind('\n').map_or(0, |it| it + 1);
        if !source.plain[line..at].trim().is_empty() {
            return None;
        }
        let own = indentation(&source.plain[line..]);
        let (start, body) = block(source, at);
        let mut statements = body.lines().map(str::trim).filter(|it| !it.is_empty());
        let last = statements.find(|it| {
            let value = it.strip_prefix("return").unwrap_or("x").trim();
            matches!(value, "" | "0" | "None" | "True" | "False")
        })?;
        let tried = source.plain[..line]
            .rmatch_indices("try:")
            .find(|(it, _)| {
                let begin = source.plain[..*it].rfind('\n').map_or(0, |it| it + 1);
                indentation(&source.plain[begin..]) == own
                    && source.plain[begin..*it].trim().is_empty()
            })?;
        let inside = &source.text[tried.0..line];
        let rest = source.text_without(tried.0..start + body.len());
        let ends =
            exits_with_two(inside) && !inside.contains("_exit(2)") && !refuses_by_reply(inside);
        let returned = inside.contains("return 2");
        let rest_refuses = may_refuse(&rest);
        (ends && !rest_refuses).then(|| {
            let what = if returned { "return 2" } else { "sys.exit(2)" };
            Flaw::new(
                source.line_of(start),
                format!("\"{last}\" in \"finally\" replaces \"{what}\""),
                format!("remove \"{last}\" from \"finally\""),
            )
        })
    })
}

/// Looks for an exit if standard input isn't a terminal: for hooks it never is.
fn no_terminal(source: &Source<'_>) -> Option<Flaw> {
    let heads = ["if not sys.stdin.isatty():", "if not os.isatty(0):"];
    heads.iter().find_map(|head| {
        let at = source.plain.find(head)?;
        let line = source.plain[..at].rfind('\n').map_or(0, |it| it + 1);
        let (start, body) = block(source, at);
        let last = body.lines().map(str::trim).rfind(|it| !it.is_empty())?;
        let ends = matches!(last, "sys.exit(0)" | "sys.exit()" | "exit(0)" | "exit()");
        let is_outside = source.plain[line..at].is_empty();
        let refuses_behind = may_refuse(&source.text[start + body.len()..]);
        let before = &source.text[..at];
        (ends && is_outside && refuses_behind && !may_refuse(body) && !may_refuse_here(before))
            .then(|| {
                Flaw::new(
                    source.line_of(at),
                    "standard input of a hook is never a terminal, so the program ends here",
                    format!("remove \"{head}\" and what is in it"),
                )
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::Language;

    /// CM-3: ends that don't become the program's are found, and those that do aren't.
    #[test]
    fn ends_that_arent_the_programs_are_found() {
        for (text, is_found) in [
            (
                "pid = os.fork()\nif pid == 0:\n    os._exit(2)\nos.wait()\nprint('{}')\n",
                true,
            ),
            (
                "def v():\n    sys.exit(2)\natexit.register(v)\nprint('{}')\n",
                true,
            ),
            ("atexit.register(lambda: os._exit(0))\nsys.exit(2)\n", true),
            (
                "def m():\n    try:\n        sys.exit(2)\n    finally:\n        return 0\nsys.exit(m())\n",
                true,
            ),
            (
                "if not sys.stdin.isatty():\n    sys.exit(0)\nsys.exit(2)\n",
                true,
            ),
            (
                "pid = os.fork()\nif pid == 0:\n    os._exit(2)\nsys.exit(os.waitstatus_to_exitcode(os.wait()[1]))\n",
                false,
            ),
            (
                "pid = os.fork()\nif pid == 0:\n    log()\n    os._exit(0)\nsys.exit(2)\n",
                false,
            ),
            ("def v():\n    os._exit(2)\natexit.register(v)\n", false),
            (
                "def close():\n    log.close()\natexit.register(close)\nsys.exit(2)\n",
                false,
            ),
            (
                "def m():\n    try:\n        sys.exit(2)\n    finally:\n        log.close()\nm()\n",
                false,
            ),
            (
                "if sys.stdin.isatty():\n    sys.exit(0)\nsys.exit(2)\n",
                false,
            ),
            ("if not sys.stdin.isatty():\n    sys.exit(2)\n", false),
        ] {
            let source = Source::read(text, Language::Python);
            assert_eq!(find(&source).is_some(), is_found, "{text}");
        }
    }
}
