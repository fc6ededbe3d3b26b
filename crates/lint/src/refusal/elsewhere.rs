//! Guards that write their reply where nothing reads it: into a file, or to a file descriptor of
//! their own (CM-3, IO-2).

use hookloop_shell::{Command, Input, Redirect, RedirectKind, Understood};

use super::exits_with_two;
use super::uncalled::Language;
use crate::alone::understand_alone;
use crate::read::Script;

/// Files that are standard output, or that a person sees.
const SEEN: [&str; 6] = [
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd/1",
    "/dev/fd/2",
    "/proc/self/fd/1",
    "/proc/self/fd/2",
];

/// Where everything is lost.
const NOWHERE: &str = "/dev/null";

/// Programs that print their arguments; others may search for them.
const PRINT: [&str; 3] = ["echo", "printf", "cat"];

/// Programs that print what they read.
const PASS_ON: [&str; 3] = ["cat", "tee", "jq"];

/// Returns where the only refusal of a text goes, as it is written, if that isn't standard output.
pub(super) fn find(text: &str, language: Language) -> Option<String> {
    if exits_with_two(text) || !refuses(text) {
        return None;
    }
    match language {
        Language::Shell => shell_output_target(text),
        Language::Python => program_output_target(text, language, &PYTHON),
        Language::JavaScript => program_output_target(text, language, &JAVASCRIPT),
    }
}

/// Returns where a command sends what its scripts print, as it is written, if one of them refuses
/// by its output alone.
pub(super) fn script_output_target(understood: &Understood, scripts: &[Script]) -> Option<String> {
    let guards = || {
        let replies = |it: &&Script| refuses(&it.text) && !exits_with_two(&it.text);
        scripts.iter().filter(replies)
    };
    understood.commands.iter().find_map(|command| {
        let runs = |script: &Script| {
            let name = script.name();
            let mut words = command.words.iter();
            words.any(|it| it.text.rsplit('/').next() == Some(&*name))
        };
        let is_piped = |script: &Script| {
            matches!(&command.input, Input::Output(of) if of.contains(&script.name()))
                && PASS_ON.contains(&command.program.as_str())
        };
        guards().find(|it| runs(it) || is_piped(it))?;
        let mut redirects = command.redirects.iter();
        let redirect = redirects.rfind(|it| it.takes_output)?;
        let target = redirect.target.text.as_str();
        let is_file = matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append);
        let is_lost = is_file && !SEEN.contains(&target);
        let mut others = understood.commands.iter();
        let is_read = target != NOWHERE && others.any(|it| reads(it, target));
        (is_lost && !is_read).then(|| format!("> {target}"))
    })
}

/// Returns whether a text contains a reply that refuses.
pub(crate) fn refuses(text: &str) -> bool {
    let names = ["decision", "permissionDecision", "\"permission\""];
    let words = ["deny", "block"];
    text.contains('{')
        && names.iter().any(|it| text.contains(it))
        && words.iter().any(|it| text.contains(it))
}

fn shell_output_target(text: &str) -> Option<String> {
    if let Some(target) = exec_redirect(text) {
        return Some(target);
    }
    let understood = understand_alone(text);
    let commands = &understood.commands;
    let mut found = None;
    for command in commands.iter().filter(|it| refuses(&all_of(it))) {
        let elsewhere = goes_elsewhere(command, text)?;
        found.get_or_insert(elsewhere);
    }
    let (written, target) = found?;
    // A command that reads the file may print it.
    let is_read = target != NOWHERE && commands.iter().any(|it| reads(it, &target));
    let starts_others = commands.iter().any(|it| it.invoked.contains('/'));
    (!is_read && !starts_others).then_some(written)
}

/// Returns whether a command reads a file, judging by its words.
fn reads(command: &Command, file: &str) -> bool {
    command.words.iter().any(|it| it.text.contains(file))
        || matches!(&command.input, Input::File(input) if input.contains(file))
}

/// Returns whether a text keeps standard output in another descriptor: `3>&1`, `{out}>&1`.
fn keeps_output(text: &str) -> bool {
    text.match_indices(">&1").any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_some_and(|it| it == '}' || it.is_ascii_digit() && !matches!(it, '1' | '2'))
    })
}

/// `exec > hook.log`: everything that is printed afterwards goes there.
fn exec_redirect(text: &str) -> Option<String> {
    let may_come_back = ["/dev/stdout", "/dev/tty", "/fd/", ">(", "cat "];
    if may_come_back.iter().any(|it| text.contains(it)) || keeps_output(text) {
        return None;
    }
    text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("exec ")?.trim_start();
        let rest = rest.strip_prefix('1').unwrap_or(rest).strip_prefix('>')?;
        let target = rest.trim_start_matches('>').trim();
        let target = target.split_whitespace().next()?;
        (!target.starts_with('&')).then(|| format!("> {target}"))
    })
}

/// Returns all arguments of a command.
fn all_of(command: &Command) -> String {
    let words = command.words.iter().map(|it| it.text.as_str());
    let input = match &command.input {
        Input::Text(text) => text.as_str(),
        _ => "",
    };
    words.chain([input]).collect::<Vec<_>>().join(" ")
}

/// Returns where a command's output goes, as it is written, with the file's name, if that isn't
/// standard output.
fn goes_elsewhere(command: &Command, text: &str) -> Option<(String, String)> {
    let is_own = |it: &Redirect| own_descriptor(it, text).is_some();
    let mut redirects = command.redirects.iter();
    let redirect = redirects.rfind(|it| it.takes_output || is_own(it))?;
    let target = redirect.target.text.clone();
    // `exec {out}>&1`, and `>&$out`.
    if target.starts_with('$') && keeps_output(text) {
        return None;
    }
    match own_descriptor(redirect, text) {
        Some(number) => Some((format!(">&{number}"), format!(">&{number}"))),
        None if redirect.kind == RedirectKind::Write
            && !SEEN.contains(&target.as_str())
            && (target != NOWHERE || prints(command)) =>
        {
            Some((format!("> {target}"), target))
        }
        None => None,
    }
}

/// Returns whether a command prints its arguments.
fn prints(command: &Command) -> bool {
    let builds = command.program == "jq" && command.flags.iter().any(|it| it == "-n");
    PRINT.contains(&command.program.as_str()) || builds
}

/// Returns the descriptor to which a redirect sends output, if the script itself opened it, and not
/// for standard output.
fn own_descriptor(redirect: &Redirect, text: &str) -> Option<u32> {
    let is_descriptor = redirect.kind == RedirectKind::Descriptor;
    let number: u32 = redirect.target.text.parse().ok()?;
    let others = [
        format!("{number}>&"),
        format!("2>&{number}"),
        format!("<&{number}"),
    ];
    let may_be_other = others.iter().any(|it| text.contains(it));
    (is_descriptor && number > 2 && !may_be_other).then_some(number)
}

/// What a program in another language does with its output.
struct Words {
    /// What writes to standard output, or may.
    speaks: &'static [&'static str],
    /// What writes into files, and how that is reported.
    writes: &'static [&'static str],
    /// Modules that print nothing by themselves.
    modules: &'static [&'static str],
}

const PYTHON: Words = Words {
    speaks: &[
        "print",
        "stdout",
        "write(1",
        "echo",
        "exit(",
        "SystemExit",
        "exec",
        "eval",
        "__import__",
        "fileno",
    ],
    writes: &["open(", "write_text(", "write(3", "write_bytes("],
    modules: &[
        "json",
        "sys",
        "os",
        "re",
        "pathlib",
        "time",
        "datetime",
        "shlex",
        "typing",
        "__future__",
        "fnmatch",
        "collections",
        "hashlib",
        "tempfile",
        "Path",
    ],
};

const JAVASCRIPT: Words = Words {
    speaks: &[
        "console",
        "stdout",
        "writeSync(1",
        "exit(",
        "exitCode",
        "child_process",
        "eval",
    ],
    writes: &[
        "writeFile",
        "writeSync(3",
        "createWriteStream",
        "appendFile",
    ],
    modules: &[
        "fs",
        "node:fs",
        "path",
        "node:path",
        "os",
        "node:os",
        "fs/promises",
        "node:fs/promises",
        "process",
        "node:process",
        "readline",
        "node:readline",
    ],
};

/// Looks for a program that contains a reply, writes files, and never prints anything.
fn program_output_target(text: &str, language: Language, words: &Words) -> Option<String> {
    let lines = text.lines().filter(|line| !language.is_comment(line));
    let code: Vec<&str> = lines.collect();
    let says = |what: &&str| code.iter().any(|line| line.contains(what));
    let writes = words.writes.iter().any(&says) && code.iter().any(|it| refuses_in(it));
    let may_speak = words.speaks.iter().any(says);
    let is_known = |name: &str| words.modules.contains(&name);
    let imports_others = code
        .iter()
        .any(|line| !modules_of(line, language).all(is_known));
    if may_speak || imports_others {
        return None;
    }
    if writes {
        return Some("into a file".to_owned());
    }
    // A function that returns the refusal, but isn't called or printed.
    let makes = code.iter().any(|it| refuses_in(it));
    let returns = ["return ", "=>", "exports", "export "];
    let is_returned = returns.iter().any(|it| text.contains(it));
    (makes && is_returned).then(|| "it is returned, and never printed".to_owned())
}

fn refuses_in(line: &str) -> bool {
    line.contains("ecision") || line.contains("permission")
}

/// Returns the modules that a line loads.
fn modules_of<'l>(line: &'l str, language: Language) -> impl Iterator<Item = &'l str> {
    let line = line.trim();
    let is_python = language == Language::Python;
    let modules = if is_python {
        line.strip_prefix("import ")
            .or_else(|| line.strip_prefix("from ")?.split(" import ").next())
    } else {
        let quoted = |text: &'l str| text.split(['"', '\'']).nth(1);
        match line.split_once("require(") {
            Some((_, rest)) => quoted(rest),
            None if line.starts_with("import ") => quoted(line),
            None => None,
        }
    };
    let separator = if is_python { ',' } else { '\0' };
    let each = modules.into_iter().flat_map(move |it| it.split(separator));
    each.map(|name| name.split(" as ").next().unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: a reply that goes into a file, or to a descriptor that nobody reads, is found.
    #[test]
    fn a_reply_that_goes_elsewhere_is_found() {
        for (language, text) in [
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' > reply.json"#,
            ),
            (
                Language::Shell,
                r#"cat >/dev/null; echo '{"decision":"deny"}' >&3"#,
            ),
            (Language::Shell, r#"echo '{"decision":"deny"}' > /dev/null"#),
            (
                Language::Shell,
                r#"jq -n '{decision: "deny"}' >/dev/null 2>&1"#,
            ),
            (
                Language::Shell,
                "exec > hook.log 2>&1\necho '{\"decision\":\"deny\"}'",
            ),
            (
                Language::Shell,
                "#!/bin/bash\ncat > \"$DIR/reply.json\" <<EOF\n{\"decision\": \"deny\"}\nEOF\nexit 0",
            ),
            (
                Language::Shell,
                "input=$(cat)\nif grep -q x <<<\"$input\"; then\n  jq -n '{decision:\"block\"}' > /tmp/r\nfi",
            ),
            (
                Language::Python,
                "import json, sys\njson.dump({'decision': 'deny'}, open('reply.json', 'w'))\n",
            ),
            (
                Language::JavaScript,
                "const fs = require('fs');\nfs.writeFileSync('r', JSON.stringify({decision: 'deny'}));",
            ),
        ] {
            assert!(find(text, language).is_some(), "{text}");
        }
    }

    /// CM-3: nothing is reported if the reply may still be read, or isn't one.
    #[test]
    fn a_reply_that_may_be_read_is_not_reported() {
        for (language, text) in [
            (Language::Shell, r#"echo '{"decision":"deny"}'"#),
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' > /dev/stdout"#,
            ),
            (
                Language::Shell,
                r#"exec 3>&1; echo '{"decision":"deny"}' >&3"#,
            ),
            (
                Language::Shell,
                "exec 5>&1 > hook.log\necho '{\"decision\":\"deny\"}' >&5",
            ),
            (
                Language::Shell,
                "exec {out}>&1 > hook.log\necho '{\"decision\":\"deny\"}' >&$out",
            ),
            (
                Language::Shell,
                "exec 3>&1 4>&3\necho '{\"decision\":\"deny\"}' >&4",
            ),
            (
                Language::Shell,
                r#"out=$(./guard); echo "$out" | jq -e '{a: .decision} | .a == "deny"' > /dev/null"#,
            ),
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' > r.json; cat r.json"#,
            ),
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' >> audit.log"#,
            ),
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' > last.json; exit 2"#,
            ),
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' > last.json; echo '{"decision":"deny"}'"#,
            ),
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' > r.json; ./emit.sh"#,
            ),
            (
                Language::Shell,
                r#"echo '{"decision":"deny"}' | tee last.json"#,
            ),
            (Language::Shell, "echo '{\"tool\":\"x\"}' > last.json"),
            (
                Language::Python,
                "import json\nd = {'decision': 'deny'}\nopen('l', 'w').write(str(d))\nprint(json.dumps(d))\n",
            ),
            (
                Language::Python,
                "import reply\nopen('l', 'w').write('x')\nreply.send({'decision': 'deny'})\n",
            ),
            (
                Language::Python,
                "import sys\nopen('l','w').write('decision deny {')\nsys.exit(1)\n",
            ),
            (
                Language::JavaScript,
                "const fs = require('fs');\nfs.writeFileSync('l', '');\nconsole.log(JSON.stringify({decision: 'deny'}));",
            ),
        ] {
            assert_eq!(find(text, language), None, "{text}");
        }
    }
}
