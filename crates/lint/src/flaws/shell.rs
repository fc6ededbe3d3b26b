//! Guards in shell whose refusal gets lost, or that read or compare nothing (CM-3, IO-2, IO-13).

use hookloop_shell::{Command, Input, RedirectKind, unclosed};
use hookloop_text::shorten::excerpt;

use super::shell_compared::{self, Found};
use super::{Flaw, exits_with_two, may_refuse, refuses_by_reply};
use crate::alone::understand_alone;
use crate::read::Script;

/// Programs that only pass on their input.
const PASS_ON: [&str; 5] = ["tee", "cat", "echo", "printf", "jq"];

/// The consequence if a part of a script has nothing to base its decision on: another part may well
/// refuse.
const LET_PASS: &str = "it lets everything pass";

/// Looks into a script that is run by a shell; `is_set` says which variables hooks get.
pub(super) fn find(text: &str, is_set: &dyn Fn(&str) -> bool) -> Option<Flaw> {
    let lines: Vec<&str> = text.lines().collect();
    let by_line = || {
        lines.iter().enumerate().find_map(|(at, line)| {
            let line = line.trim();
            if line.starts_with('#') {
                return None;
            }
            let found = in_a_coprocess(line)
                .or_else(|| never_a_terminal(line))
                .or_else(|| needs_a_variable(text, line, is_set));
            let lost = found.map(|(why, help)| Flaw::new(at + 1, why, help));
            lost.or_else(|| {
                let (why, help) = shell_compared::find(text, line)?;
                Some(Flaw::for_comparison(at + 1, why, help))
            })
        })
    };
    page_of_the_web(text)
        .or_else(|| lost_output(text, &lines))
        .or_else(|| waits_for_nothing(text, &lines))
        .or_else(|| code_of_another(&lines))
        .or_else(|| after_the_end(text, &lines))
        .or_else(|| read_by_commands(text))
        .or_else(by_line)
}

/// Looks into a hook's command, which runs `scripts` that refuse.
pub(super) fn check_command(text: &str, scripts: &[&Script]) -> Option<Found> {
    if scripts.is_empty() {
        return None;
    }
    let understood = understand_alone(text);
    let commands = &understood.commands;
    let script_of = |it: &Command| {
        let named = |word: &&str, script: &Script| word.rsplit('/').next() == Some(&*script.name());
        let mut words = it.words.iter().map(|it| it.text.as_str());
        words.find_map(|word| scripts.iter().find(|it| named(&word, it)))
    };
    let runs = |it: &Command| script_of(it).is_some();
    let is_shell =
        |it: &Command| matches!(it.program.as_str(), "bash" | "sh" | "zsh" | "dash" | "ksh");
    let only_reads =
        |it: &Command| is_shell(it) && it.words.get(1).is_some_and(|it| it.text == "-n");
    let others_run = commands.iter().any(|it| runs(it) && !only_reads(it));
    let looks_at_code = ["||", "$?", "PIPESTATUS", "if "]
        .iter()
        .any(|it| text.contains(it));
    let of_one = |it: &Command| {
        if only_reads(it) {
            let why = format!(
                "\"{}\" only reads the script, without running any of it",
                excerpt(&it.line())
            );
            return (!others_run).then(|| (why, format!("write \"{}\" without -n", it.program)));
        }
        let script = script_of(it)?;
        let replies = refuses_by_reply(&script.text);
        if it.through.iter().any(|it| it == "xargs") {
            let why = "xargs reads standard input itself, and ends with 123 for exit code 2";
            let is_lost = !looks_at_code && !replies;
            return is_lost.then(|| (why.to_owned(), "run the script without xargs".to_owned()));
        }
        let mut redirects = it.redirects.iter();
        let is_empty =
            redirects.any(|it| it.kind == RedirectKind::Read && it.target.text == "/dev/null");
        (is_empty && needs_input(it, script, text)).then(|| {
            let why = "\"< /dev/null\" discards the event that the script reads".to_owned();
            (why, "remove \"< /dev/null\"".to_owned())
        })
    };
    let found = commands.iter().filter(|it| runs(it)).find_map(of_one);
    found.or_else(|| {
        // In a pipe, it passes on what it reads.
        let has_pipe = text.replace("||", "").contains('|');
        let drains = commands
            .iter()
            .position(|it| !has_pipe && !it.perhaps && takes_all(it) && !runs(it))?;
        let mut behind = commands[drains + 1..].iter();
        let reader = behind.find(|it| runs(it) && it.input == Input::Inherited && !it.perhaps)?;
        let script = script_of(reader)?;
        let is_kept = files_of(&commands[drains]).any(|it| script.text.contains(it));
        if is_kept || !needs_input(reader, script, text) {
            return None;
        }
        let why = format!(
            "\"{}\" reads nothing: \"{}\" before it has read all of standard input",
            excerpt(&reader.line()),
            excerpt(&commands[drains].line())
        );
        Some((
            why,
            "read it once, input=$(cat), and pass it on: … <<<\"$input\"".to_owned(),
        ))
    })
}

/// Returns whether a script bases its decision on standard input alone: it has no arguments and no
/// variables.
fn needs_input(command: &Command, script: &Script, text: &str) -> bool {
    let name = script.name();
    let mut given = command
        .words
        .iter()
        .skip_while(|it| it.text.rsplit('/').next() != Some(&*name));
    let is_alone = given.nth(1).is_none();
    is_alone && command.env.is_empty() && !text.contains("export ") && !text.contains("set -a")
}

/// Returns the last parts of the names of files that a command writes.
fn files_of(command: &Command) -> impl Iterator<Item = &str> {
    let redirects = command.redirects.iter().map(|it| it.target.text.as_str());
    let words = command.operands().map(|it| it.text.as_str());
    let names = redirects
        .chain(words)
        .map(|it| it.rsplit('/').next().unwrap_or(it));
    names.filter(|it| !it.is_empty() && *it != "null")
}

/// Returns whether a command leaves nothing of standard input: the event is one line.
fn takes_all(command: &Command) -> bool {
    let is_own = command.input == Input::Inherited && command.through.is_empty();
    let mut redirects = command.redirects.iter();
    let has_file = redirects.any(|it| matches!(it.kind, RedirectKind::Read | RedirectKind::Text));
    let reads = match command.program.as_str() {
        "cat" => command.operands().count() == 0,
        "tee" | "read" | "wc" => true,
        _ => false,
    };
    is_own && !has_file && reads
}

/// Looks for a page that was saved in the place of a script.
fn page_of_the_web(text: &str) -> Option<Flaw> {
    let start = text.trim_start().get(..15)?.to_ascii_lowercase();
    let is_page = start.starts_with("<!doctype html") || start.starts_with("<html");
    is_page.then(|| {
        Flaw::new(
            1,
            "it is a web page, not a script",
            "save the script itself: curl -fL",
        )
    })
}

/// Where redirected output goes.
const NOWHERE: [&str; 2] = [">/dev/null", "> /dev/null"];

/// Looks for a reply in a function, a block or a loop whose output is redirected, or after an
/// `exec` that redirects it.
fn lost_output(text: &str, lines: &[&str]) -> Option<Flaw> {
    if exits_with_two(text) || !refuses_by_reply(text) {
        return None;
    }
    let led_away = |line: &str| {
        let plain = line.replace("2>/dev/null", "").replace("2> /dev/null", "");
        NOWHERE.iter().any(|it| plain.contains(it))
    };
    lines.iter().enumerate().find_map(|(at, line)| {
        let plain = line.trim();
        if !led_away(plain) || plain.starts_with('#') || plain.contains(">&2") {
            return None;
        }
        let help = "remove the redirect, or print the reply outside it";
        if plain.starts_with("exec ") && plain.contains(">&1") {
            let number = plain.split(">&1").next()?.chars().next_back()?;
            let is_used = text.contains(&format!(">&{number}"));
            let why = "everything printed after it goes to /dev/null";
            return (!is_used && number.is_ascii_digit()).then(|| Flaw::new(at + 1, why, help));
        }
        let is_end = ["}", ")", "done", "fi", "esac"].into_iter().find(|it| {
            let rest = plain.strip_prefix(it);
            rest.is_some_and(|it| it.trim_start().starts_with(['>', '&', '1']))
        });
        if let Some(end) = is_end {
            let own = line.len() - line.trim_start().len();
            let start = lines[..at].iter().rposition(|it| {
                let is_blank = it.trim().is_empty();
                !is_blank && it.len() - it.trim_start().len() <= own
            })?;
            let inside = lines[start..at].join("\n");
            let others = format!(
                "{}\n{}",
                lines[..start].join("\n"),
                lines[at + 1..].join("\n")
            );
            let why =
                format!("the reply is printed before \"{end} >/dev/null\", which redirects it");
            return (refuses_by_reply(&inside) && !refuses_by_reply(&others))
                .then(|| Flaw::new(at + 1, why, help));
        }
        let block = ["{ ", "( ", "("]
            .iter()
            .find_map(|open| plain.split_once(open))
            .map(|(_, it)| it);
        let inner = block.and_then(|it| {
            it.split_once(">/dev/null")
                .or_else(|| it.split_once("> /dev/null"))
        });
        if let Some((inner, _)) = inner {
            let closes = inner.trim_end().ends_with(['}', ')']);
            let others = text.replace(line, "");
            if closes && refuses_by_reply(inner) && !refuses_by_reply(&others) {
                return Some(Flaw::new(
                    at + 1,
                    "the reply is printed in a block whose output is redirected",
                    help,
                ));
            }
        }
        redirected_function(text, plain).map(|name| {
            let why = format!("the reply of \"{name}\" goes to /dev/null where it is called");
            Flaw::new(at + 1, why, help)
        })
    })
}

/// Returns the name of a function that replies, if its only call redirects its output.
fn redirected_function<'l>(text: &str, line: &'l str) -> Option<&'l str> {
    let last = line
        .rsplit(['&', '|', ';'])
        .find(|it| it.contains("/dev/null"))
        .unwrap_or(line);
    let last = if last.trim_start().starts_with('>') {
        line.split("&>").next()?
    } else {
        last
    };
    let name = last
        .split_whitespace()
        .find(|it| text.contains(&format!("{it}() {{")) || text.contains(&format!("{it}(){{")))?;
    let body = text.split(&format!("{name}()")).nth(1)?;
    let body = &body[..body
        .find("\n}")
        .or_else(|| body.find("; }"))
        .unwrap_or(body.len())];
    let head = format!("{name}()");
    let words = text.split_whitespace();
    let named = words.filter(|it| it.trim_end_matches(';') == name || it.starts_with(&head));
    (refuses_by_reply(body) && named.count() == 2).then_some(name)
}

/// Looks for `wait` without a number, which ends with 0 whatever ended in the background.
fn waits_for_nothing(text: &str, lines: &[&str]) -> Option<Flaw> {
    let at = lines.iter().position(|it| {
        let word = it.trim().split(';').next().unwrap_or_default().trim();
        word == "wait"
    })?;
    let started = lines[..at].iter().rev().find(|it| {
        let line = it.trim_end();
        line.ends_with('&') && !line.ends_with("&&")
    })?;
    let name = started
        .split_whitespace()
        .next()?
        .trim_start_matches(['(', '{']);
    let defined = [format!("{name}()"), format!("{name} ()")];
    let is_guard = exits_with_two(&started.replace([';', '{', '('], "\n"))
        || defined.iter().any(|it| {
            text.split(it.as_str()).nth(1).is_some_and(|body| {
                let end = body
                    .find("\n}")
                    .or_else(|| body.find('\n'))
                    .unwrap_or(body.len());
                exits_with_two(&body[..end].replace([';', '&', '{'], "\n"))
            })
        });
    let others: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|it| !it.contains(name))
        .collect();
    (is_guard && !may_refuse(&others.join("\n"))).then(|| {
        let why = "\"wait\" ends with 0, whatever ended in the background, so exit code 2 is lost";
        Flaw::new(
            at + 1,
            why,
            "write \"wait $!\": it ends with the code of the last one",
        )
    })
}

/// Looks for `${PIPESTATUS[1]}` where that is the code of a program that only passes on its input.
fn code_of_another(lines: &[&str]) -> Option<Flaw> {
    lines.iter().enumerate().skip(1).find_map(|(at, line)| {
        let rest = line.trim().strip_prefix("exit ")?.trim_start_matches('"');
        let index = rest.strip_prefix("${PIPESTATUS[")?.split(']').next()?;
        let index: usize = index.parse().ok()?;
        let stages: Vec<&str> = lines[at - 1].split(" | ").collect();
        let program = stages
            .get(index)
            .and_then(|it| it.split_whitespace().next())
            .unwrap_or("");
        let guard = stages.iter().position(|it| {
            let first = it.split_whitespace().next().unwrap_or_default();
            !PASS_ON.contains(&first)
        })?;
        let is_other = stages.len() > 1
            && (program.is_empty() || PASS_ON.contains(&program))
            && guard != index;
        is_other.then(|| {
            let why =
                format!("${{PIPESTATUS[{index}]}} is the code of \"{program}\", which is always 0");
            Flaw::new(at + 1, why, format!("write exit ${{PIPESTATUS[{guard}]}}"))
        })
    })
}

/// Looks for an end of the script before everything that refuses.
fn after_the_end(text: &str, lines: &[&str]) -> Option<Flaw> {
    if text.contains("<<") {
        return None;
    }
    let mut depth = 0_i32;
    for (at, line) in lines.iter().enumerate() {
        let code = line.split(" #").next().unwrap_or(line).trim_end();
        let words = || code.split(|it: char| it.is_whitespace() || it == ';');
        let count = |names: &[&str]| {
            i32::try_from(words().filter(|it| names.contains(it)).count()).unwrap_or(0)
        };
        let is_exec = code.strip_prefix("exec ").is_some_and(|it| {
            it.starts_with(|it: char| it.is_ascii_lowercase()) && !it.contains(['&', '|', ';'])
        });
        let is_end = depth == 0 && (matches!(code, "exit 0" | "exit") || is_exec);
        let (before, behind) = (lines[..at].join("\n"), lines[at + 1..].join("\n"));
        // Inside quotes, or in a continued line, it isn't the end of the script.
        let goes_on = ["&&", "||", "|", "\\"];
        let is_joined = goes_on.iter().any(|it| before.trim_end().ends_with(it));
        let is_whole = || unclosed(&format!("{before}\n{code}")).is_none() && !code.ends_with('\\');
        let is_first = may_refuse(&behind) && !may_refuse(&before) && !before.contains("()");
        if is_end && is_first && !is_joined && is_whole() {
            let why = format!(
                "\"{}\" ends the script, and the refusal is after it",
                excerpt(code)
            );
            return Some(Flaw::new(at + 1, why, "remove it, or move it to the end"));
        }
        let is_never = code.trim_start().starts_with("if false");
        if is_never && depth == 0 {
            let end = lines[at..]
                .iter()
                .position(|it| it.trim_end().ends_with("fi"))
                .map(|it| at + it);
            let others = format!(
                "{before}\n{}",
                lines.get(end? + 1..).unwrap_or_default().join("\n")
            );
            let inside = lines[at..=end?].join("\n").replace(';', "\n");
            if exits_with_two(&inside.replace("then", "\n")) && !may_refuse(&others) {
                let why = "\"if false\" is never true, so the refusal inside it never runs";
                return Some(Flaw::new(
                    at + 1,
                    why,
                    "write the condition, or remove \"false\"",
                ));
            }
        }
        depth += count(&["if", "case", "do", "{", "("]) - count(&["fi", "esac", "done", "}", ")"]);
        depth += i32::from(code.ends_with('{') && !code.ends_with(" {"));
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Looks for commands that read something other than the event.
fn read_by_commands(text: &str) -> Option<Flaw> {
    let understood = understand_alone(text);
    if !understood.parsed || !may_refuse(text) && !text.contains("sys.exit(2)") {
        return None;
    }
    let line_of = |part: &str| {
        text.lines()
            .position(|it| it.contains(part))
            .map_or(1, |it| it + 1)
    };
    understood.commands.iter().find_map(|command| {
        let program = command.program.as_str();
        if let Input::Text(code) = &command.input {
            return reads_its_program(command, code).then(|| {
                Flaw::with(
                    LET_PASS,
                    line_of("<<"),
                    format!("\"{program}\" reads its program from standard input, so none of the \
                             event is left there"),
                    format!("write {program} -c \"$(cat <<'EOF' … EOF)\", or put the program into a file of its own"),
                )
            });
        }
        (program == "jq" && reads_nothing(command))
            .then(|| Flaw::with(LET_PASS, line_of("jq "), "\"jq -n\" reads nothing", "remove -n"))
    })
}

/// Returns whether an interpreter gets its program from where the program looks for the event.
fn reads_its_program(command: &Command, code: &str) -> bool {
    const READS: [&str; 8] = [
        "load(sys.stdin",
        "sys.stdin.read",
        "sys.stdin.buffer",
        "in sys.stdin",
        "readFileSync(0",
        "readFileSync('/dev/stdin'",
        "<STDIN>",
        "STDIN.read",
    ];
    // These replace standard input.
    const OTHERS: [&str; 4] = ["sys.stdin =", "sys.stdin=", "fdopen(", "dup2("];
    let is_interpreter = matches!(
        command.program.as_str(),
        "python3" | "python" | "node" | "perl" | "ruby"
    );
    let lines = code
        .lines()
        .filter(|it| !it.trim_start().starts_with(['#', '/']));
    let code: Vec<&str> = lines.collect();
    let says = |words: &[&str]| {
        code.iter()
            .any(|line| words.iter().any(|it| line.contains(it)))
    };
    let names_another = ["-c", "-m", "-e"].iter().any(|it| command.has_flag(it));
    let is_code = !names_another && command.operands().all(|it| it.text == "-");
    is_interpreter && is_code && says(&READS) && !says(&OTHERS)
}

/// Returns whether jq looks for the event in a filter without input.
fn reads_nothing(command: &Command) -> bool {
    // Other sources of data: a variable, another input, the environment, a module, parsed text.
    const OTHERS: [&str; 8] = [
        "input", "inputs", "env", "fromjson", "import", "include", "getpath", "def",
    ];
    const GIVEN: [&str; 9] = [
        "--arg",
        "--argjson",
        "--slurpfile",
        "--rawfile",
        "--args",
        "--jsonargs",
        "-f",
        "--from-file",
        "-L",
    ];
    let has = |flags: &[&str]| flags.iter().any(|it| command.has_flag(it));
    let Some(filter) = command.operands().next().filter(|it| it.known) else {
        return false;
    };
    let text = filter.text.as_str();
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let mut words = text.split(|it| !is_part(it));
    let reads = text.contains(".tool_input") || text.contains(".tool_name");
    let builds = text.contains("tool_input:") || text.contains("tool_input\"");
    let may_have = text.contains('$') || words.any(|it| OTHERS.contains(&it)) || builds;
    has(&["-n", "--null-input"]) && reads && !may_have && !has(&GIVEN)
}

/// Looks for a refusal in a coprocess, whose code is ignored.
fn in_a_coprocess(line: &str) -> Option<Found> {
    let is_one =
        line.starts_with("coproc ") && exits_with_two(&line.replace([';', '&', '{', '('], "\n"));
    is_one.then(|| {
        let why = "exit code 2 ends only the coprocess, and the script continues".to_owned();
        (why, "refuse without \"coproc\"".to_owned())
    })
}

/// Looks for `[ -t 0 ] || exit 0`: the input of a hook is never a terminal.
fn never_a_terminal(line: &str) -> Option<Found> {
    const ASKS: [&str; 7] = [
        "[ -t 0 ] || exit 0",
        "[[ -t 0 ]] || exit 0",
        "test -t 0 || exit 0",
        "tty -s || exit 0",
        "[ ! -t 0 ] && exit 0",
        "[[ ! -t 0 ]] && exit 0",
        "if [ ! -t 0 ]; then exit 0",
    ];
    let found = ASKS.iter().find(|it| line.starts_with(**it))?;
    let why = format!("\"{found}\" always ends it there: the input of a hook is never a terminal");
    Some((why, "remove that line".to_owned()))
}

/// Looks for an end of the script wherever a variable isn't set that nothing sets.
fn needs_a_variable(text: &str, line: &str, is_set: &dyn Fn(&str) -> bool) -> Option<Found> {
    let ends = ["exit 0", "exit"];
    let (operator, (asked, end)) = [" && ", " || "]
        .into_iter()
        .find_map(|it| Some((it.trim(), line.split_once(it)?)))?;
    let end = end.split(['#', ';']).next().unwrap_or(end).trim();
    let inner = asked
        .trim_start_matches("[[ ")
        .trim_start_matches("[ ")
        .trim_start_matches("test ");
    let inner = inner.trim_end_matches(" ]]").trim_end_matches(" ]");
    if !ends.contains(&end) || inner.len() == asked.len() {
        return None;
    }
    let is_asked_for = match operator {
        "&&" => inner.starts_with("-z "),
        _ => inner.starts_with("-n ") || inner.contains(" = ") || inner.contains(" == "),
    };
    let first = inner
        .trim_start_matches("-z ")
        .trim_start_matches("-n ")
        .split_whitespace()
        .next()?;
    let name = first.trim_matches('"').strip_prefix('$')?;
    let name = name
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(name);
    let is_name = name.len() > 2
        && name
            .chars()
            .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_');
    let is_of_agents = crate::never_set::is_of_agents(name);
    let is_unset = is_name && is_of_agents && !is_set(name) && !crate::never_set::sets(text, name);
    let is_whole =
        !text.contains("source ") && !text.lines().any(|it| it.trim_start().starts_with(". "));
    (is_asked_for && is_unset && is_whole).then(|| {
        let why = format!(
            "\"{}\" always ends it there: no hook gets a variable \"{name}\"",
            excerpt(line)
        );
        (
            why,
            format!("remove that line, or set {name} in the hook's \"env\""),
        )
    })
}

#[cfg(test)]
mod tests;
