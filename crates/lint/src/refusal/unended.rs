//! Guards in Python and JavaScript that mention exit code 2 but don't exit with it (CM-3, IO-13).

use super::exits_with_two;
use super::uncalled::{Language, take_apart};

/// What is wrong, and what to write.
pub(super) type Found = (String, String);

/// Looks for an exit code that a program names and doesn't end with.
pub(super) fn find(text: &str, language: Language) -> Option<Found> {
    let code = code_of(text, language);
    match language {
        Language::Shell => None,
        Language::Python => not_raised(&code).or_else(|| check_caught_exit(&code)),
        Language::JavaScript => check_process_name(&code),
    }
    .or_else(|| check_dropped_return(text, &code, language))
    .or_else(|| not_called(text, &code, language))
}

/// Returns the lines of a program that are neither comments nor within texts of several lines.
fn code_of(text: &str, language: Language) -> Vec<&str> {
    let signs: &[&str] = match language {
        Language::Python => &["\"\"\"", "'''"],
        _ => &["`"],
    };
    let mut open: Option<&str> = None;
    let mut code = Vec::new();
    for line in text.lines() {
        let is_code = open.is_none() && !language.is_comment(line);
        if is_code {
            code.push(line);
        }
        let mut rest = if is_code || open.is_some() { line } else { "" };
        loop {
            let next = match open {
                Some(sign) => rest.find(sign).map(|at| (at, sign)),
                None => signs
                    .iter()
                    .filter_map(|it| Some((rest.find(it)?, *it)))
                    .min(),
            };
            let Some((at, sign)) = next else {
                break;
            };
            open = open.is_none().then_some(sign);
            rest = &rest[at + sign.len()..];
        }
    }
    code
}

/// Looks for `SystemExit(2)` without `raise`, and `sys.exit` that nobody calls.
fn not_raised(code: &[&str]) -> Option<Found> {
    code.iter().find_map(|line| {
        let line = line.trim();
        if line.starts_with("SystemExit(") {
            let right = format!("write \"raise {line}\"");
            return Some((
                format!("\"{line}\" creates an exception that nothing raises"),
                right,
            ));
        }
        let is_named = matches!(line, "sys.exit" | "exit" | "quit" | "os._exit");
        is_named.then(|| {
            let message = format!("\"{line}\" without brackets ends nothing");
            (
                message,
                format!("write \"{line}(2)\" where it should refuse"),
            )
        })
    })
}

/// Looks for a name of `process` that is nearly `exitCode`, or for a value in the place of its
/// function.
fn check_process_name(code: &[&str]) -> Option<Found> {
    code.iter().find_map(|line| {
        let line = line.trim();
        let rest = line.strip_prefix("process.")?;
        let (name, value) = rest.split_once('=')?;
        let name = name.trim();
        let is_meant = [
            "exit",
            "exitcode",
            "exit_code",
            "ExitCode",
            "code",
            "status",
            "exitStatus",
        ];
        // Another function in its place is one that ends the process, or keeps it from ending.
        let is_function = name == "exit" && !is_number(value);
        (is_meant.contains(&name) && !value.starts_with('=') && !is_function).then(|| {
            let message = format!("\"process.{name} = …\" sets no exit code");
            (
                message,
                "write \"process.exit(2)\" where it should refuse".to_owned(),
            )
        })
    })
}

/// Returns whether an expression may be a number: it contains one, and is no function.
fn is_number(value: &str) -> bool {
    let is_function = value.contains("=>") || value.contains("function");
    value.contains(|it: char| it.is_ascii_digit()) && !is_function
}

/// Looks for a `sys.exit(2)` whose exception is caught, or for a `finally` that ends otherwise.
fn check_caught_exit(code: &[&str]) -> Option<Found> {
    let raises = |line: &&str| {
        let line = line.trim_start();
        exits_with_two(line) && !line.contains("os._exit") && !line.starts_with("return")
    };
    code.iter().enumerate().find_map(|(at, line)| {
        if line.trim() != "try:" {
            return None;
        }
        let own = indentation(line);
        let tried = block(&code[at + 1..], own);
        if !tried.iter().any(raises) {
            return None;
        }
        let mut is_raised_again = false;
        let mut behind = &code[at + 1 + tried.len()..];
        while let Some(head) = behind.first().filter(|it| indentation(it) == own) {
            let word = head.trim();
            let body = block(&behind[1..], own);
            let text = body.join("\n");
            let rest = behind[1 + body.len()..].join("\n");
            let catches = word == "except:"
                || word.starts_with("except")
                    && (word.contains("BaseException") || word.contains("SystemExit"));
            // What another handler raises again isn't caught by those after it.
            if is_raised_again && word.starts_with("except") {
                behind = &behind[1 + body.len()..];
                continue;
            }
            let goes_on = [
                "raise", "exit(e", "exit(c", "exit(s", "exit(r", ".code", "_exit(",
            ];
            let may_refuse = exits_with_two(&text)
                || exits_with_two(&rest)
                || super::elsewhere::refuses(&text)
                || super::elsewhere::refuses(&rest)
                || goes_on.iter().any(|it| text.contains(it));
            is_raised_again |= catches;
            if catches && !may_refuse {
                let message =
                    format!("\"{word}\" catches what \"sys.exit(2)\" raises, and continues");
                return Some((message, "write \"except Exception:\"".to_owned()));
            }
            let ends_well = body.iter().any(|it| {
                let plain: String = it.chars().filter(|it| !it.is_whitespace()).collect();
                ["sys.exit(0)", "sys.exit()", "exit(0)", "os._exit(0)"].contains(&&*plain)
            });
            if word == "finally:" && ends_well {
                let message = "\"finally\" ends with 0, whatever was raised".to_owned();
                return Some((message, "remove the exit from \"finally\"".to_owned()));
            }
            let leaves = body.iter().map(|it| it.trim()).find(|it| {
                matches!(
                    *it,
                    "return"
                        | "break"
                        | "continue"
                        | "return None"
                        | "return True"
                        | "return False"
                )
            });
            if let Some(leaves) = leaves.filter(|_| word == "finally:") {
                let message =
                    format!("\"{leaves}\" in \"finally\" discards what \"sys.exit(2)\" raised");
                return Some((message, format!("remove \"{leaves}\" from \"finally\"")));
            }
            if !["except", "else", "finally"]
                .iter()
                .any(|it| word.starts_with(it))
            {
                return None;
            }
            behind = &behind[1 + body.len()..];
        }
        None
    })
}

/// Returns the lines that are indented more deeply than a line, up to the first that isn't.
fn block<'l, 'c>(code: &'l [&'c str], own: usize) -> &'l [&'c str] {
    let is_in = |line: &&str| line.trim().is_empty() || indentation(line) > own;
    let end = code.iter().position(|line| !is_in(line));
    &code[..end.unwrap_or(code.len())]
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Looks for a function that refuses, but is only named where it should be called.
fn not_called(text: &str, code: &[&str], language: Language) -> Option<Found> {
    if language == Language::Shell {
        return None;
    }
    let parts = take_apart(text, language);
    code.iter().enumerate().find_map(|(at, line)| {
        // In a list, or after an operator, it is a value.
        let mut before = code[..at].iter().rev().map(|it| it.trim_end());
        let lists = [
            "(", "[", ",", "=", "= {", "({", "return {", "=>", "?", "&&", "||", "|",
        ];
        let is_value = before
            .find(|it| !it.is_empty())
            .is_some_and(|it| lists.iter().any(|sign| it.ends_with(sign)));
        if is_value {
            return None;
        }
        let line = line.trim().trim_end_matches(';');
        let name = match language {
            Language::JavaScript => line.rsplit(") ").next().unwrap_or(line),
            _ => line,
        };
        let body = parts.body_of(name)?;
        exits_with_two(&body.join("\n")).then(|| {
            let message = format!("\"{name}\" without brackets calls nothing");
            (message, format!("write \"{name}()\""))
        })
    })
}

/// Looks for a function that returns 2 to a call which does nothing with it.
fn check_dropped_return(text: &str, code: &[&str], language: Language) -> Option<Found> {
    if language == Language::Shell {
        return None;
    }
    // Whatever else may end the program: with a computed code, or by a reply.
    let exits = [
        "exit(",
        "SystemExit",
        "exitCode",
        "exec",
        "import_module",
        "require.main",
    ];
    let may_exit = |line: &str| exits.iter().any(|it| line.contains(it));
    if code.iter().any(|it| may_exit(it)) || super::elsewhere::refuses(text) {
        return None;
    }
    let parts = take_apart(text, language);
    parts.outside.iter().find_map(|line| {
        let call = line.trim().trim_end_matches(';');
        let call = call.strip_prefix("asyncio.run(").unwrap_or(call);
        let call = call.strip_prefix("await ").unwrap_or(call);
        let name = call.split('(').next().filter(|it| it.len() < call.len())?;
        let function = parts.body_of(name)?;
        let returns = function
            .iter()
            .any(|it| it.contains("return 2") && exits_with_two(it));
        let what = match language {
            Language::Python => "sys.exit",
            _ => "process.exit",
        };
        returns.then(|| {
            (
                format!("what \"{name}\" returns is ignored, and the program ends with 0"),
                format!("write \"{what}({name}(…))\""),
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: codes that a program names and doesn't end with are found.
    #[test]
    fn a_code_that_ends_nothing_is_found() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (Python, "import sys\nif bad:\n    SystemExit(2)\n"),
            (Python, "import sys\nif bad:\n    sys.exit\n"),
            (Python, "try:\n    sys.exit(2)\nexcept:\n    pass\n"),
            (
                Python,
                "def main():\n    try:\n        if bad:\n            sys.exit(2)\n    except BaseException as e:\n        print(e)\nmain()\n",
            ),
            (
                Python,
                "try:\n    sys.exit(2)\nexcept ValueError:\n    pass\nexcept SystemExit:\n    sys.exit(0)\n",
            ),
            (Python, "try:\n    sys.exit(2)\nfinally:\n    sys.exit(0)\n"),
            (
                Python,
                "def check():\n    try:\n        sys.exit(2)\n    finally:\n        return\ncheck()\n",
            ),
            (Python, "def main():\n    return 2\n\nmain()\n"),
            (
                Python,
                "async def main():\n    return 2\n\nif __name__ == '__main__':\n    asyncio.run(main())\n",
            ),
            (Python, "def deny():\n    sys.exit(2)\nif bad:\n    deny\n"),
            (
                JavaScript,
                "function deny() {\n  process.exit(2);\n}\nif (bad) deny;",
            ),
            (JavaScript, "process.exitcode = 2;"),
            (JavaScript, "  process.exit = 2;"),
            (JavaScript, "process.exit = bad ? 2 : 0;"),
            (JavaScript, "function main() {\n  return 2;\n}\nmain();"),
            (
                JavaScript,
                "async function main() {\n  return 2;\n}\nawait main();",
            ),
        ] {
            assert!(find(text, language).is_some(), "{text}");
        }
    }

    /// CM-3: nothing is reported about a code with which a program may end.
    #[test]
    fn a_code_that_may_end_the_program_is_not_reported() {
        use Language::{JavaScript, Python};
        for (language, text) in [
            (
                JavaScript,
                "const exit = process.exit.bind(process);\nprocess.exit = stay;\nprocess.exit = exit;\nprocess.exit(2);",
            ),
            (JavaScript, "process.exit = (code = 2) => log(code);"),
            (Python, "raise SystemExit(2)"),
            (Python, "from sys import exit\nexit(2)"),
            (
                Python,
                "try:\n    sys.exit(2)\nexcept Exception:\n    pass\n",
            ),
            (Python, "try:\n    sys.exit(2)\nexcept:\n    raise\n"),
            (
                Python,
                "try:\n    sys.exit(2)\nexcept SystemExit as e:\n    sys.exit(e.code)\n",
            ),
            (Python, "try:\n    d = load()\nexcept:\n    sys.exit(2)\n"),
            (
                Python,
                "try:\n    d = load()\nexcept:\n    sys.exit(0)\nsys.exit(2)\n",
            ),
            (Python, "try:\n    sys.exit(2)\nfinally:\n    log.close()\n"),
            (Python, "try:\n    os._exit(2)\nexcept:\n    pass\n"),
            (
                Python,
                "try:\n    sys.exit(2)\nfinally:\n    returned = 1\n",
            ),
            (Python, "def main():\n    return 2\n\nsys.exit(main())\n"),
            (
                Python,
                "def main():\n    return 2\n\ncode = main()\nraise SystemExit(code)\n",
            ),
            (Python, "def count():\n    return 2\n\nprint(count())\n"),
            (
                JavaScript,
                "function deny() {\n  process.exit(2);\n}\nif (bad) deny();",
            ),
            (
                JavaScript,
                "function deny() {\n  process.exit(2);\n}\nstream.on('end', deny);",
            ),
            (JavaScript, "process.exitCode = 2;"),
            (JavaScript, "if (process.exit == x) y();"),
            (
                JavaScript,
                "function main() {\n  return 2;\n}\nprocess.exit(main());",
            ),
            (
                JavaScript,
                "function main() {\n  return 2;\n}\nmain().then((it) => process.exit(it));",
            ),
        ] {
            assert!(find(text, language).is_none(), "{text}");
        }
    }
}
