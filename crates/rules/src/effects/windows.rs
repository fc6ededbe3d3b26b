//! Text for Windows shells and for interpreters that other systems' shells don't know.

use std::borrow::Cow;
use std::sync::LazyLock;

use hookloop_shell::{Command, Input, Surroundings, Understood, Word, join, understand};
use regex::Regex;

use super::{Places, cmdlets};

/// Commands of `cmd`, and their equivalents elsewhere.
const COMMANDS: [(&str, &str); 9] = [
    ("rd", "rm -r"),
    ("rmdir", "rm -r"),
    ("del", "rm -f"),
    ("erase", "rm -f"),
    ("type", "cat"),
    ("copy", "cp"),
    ("xcopy", "cp"),
    ("move", "mv"),
    ("set", "env"),
];

/// Programs of `cmd` that delete.
const DELETES: [&str; 4] = ["rd", "rmdir", "del", "erase"];

/// Returns whether a text is a switch of a `cmd` program: `rmdir /s /q`. Elsewhere nobody deletes a
/// folder with a one-letter name at the root.
pub(super) fn is_switch_of(command: &Command, text: &str) -> bool {
    let is_switch = |rest: &str| rest.len() == 1 && rest.chars().all(|it| it.is_ascii_alphabetic());
    DELETES.contains(&command.program.to_lowercase().as_str())
        && text.strip_prefix('/').is_some_and(is_switch)
}

/// Returns whether a path is in the temporary folder, as `cmd` names it.
pub(super) fn is_temporary(written: &str) -> bool {
    let lower = written.to_lowercase();
    let below = |name: &&str| lower.strip_prefix(*name).is_some_and(|it| it.len() > 1);
    ["%temp%", "%tmp%"].iter().any(below) && !lower.contains("..")
}

/// Returns whether a program of `cmd` deletes folders with what is in them.
pub(super) fn is_deleted_with_folders(command: &Command) -> bool {
    let mut args = command.words_after_program().iter();
    args.any(|it| it.text.eq_ignore_ascii_case("/s") && is_switch_of(command, &it.text))
}

/// Interpreters that are seldom seen in shell text, and how they are given a text.
const INTERPRETERS: &[&str] = &[
    "julia",
    "erl",
    "kotlinc",
    "kotlin",
    "scala-cli",
    "scala",
    "clojure",
    "clj",
    "bb",
    "csharp",
    "swift",
    "runghc",
    "ghc",
    "raku",
    "tclsh",
    "crystal",
    "ocaml",
    "racket",
    "guile",
    "nu",
    "fish",
    "xonsh",
    "elixir",
    "iex",
    "emacs",
    "sbcl",
    "Rscript",
    "R",
    "osascript",
    "lua",
    "luajit",
    "octave",
    "groovy",
    "jshell",
    "dart",
    "nim",
    "janet",
    "clisp",
    "ecl",
    "gnuplot",
    "sage",
    "dc",
    "m4",
    "maxima",
    "expect",
    "wish",
    "jruby",
    "pypy",
    "pypy3",
    "ipython",
    "micropython",
    "qjs",
    "d8",
];

const TAKES_TEXT: &[&str] = &[
    "-e",
    "-E",
    "-c",
    "-eval",
    "--eval",
    "-M",
    "eval",
    "--execute",
    "-p",
    "-P",
    "--expression",
    "-l",
    "-x",
];

/// Commands of PowerShell that run a text, a block or another program.
const RUNS_TEXT: &[&str] = &[
    "invoke-expression",
    "iex",
    "start-process",
    "saps",
    "start-job",
    "sajb",
    "start-threadjob",
    "invoke-command",
    "icm",
];

/// Returns whether a program is a command of PowerShell that runs a text, a block or another
/// program.
pub(super) fn runs_text(program: &str) -> bool {
    RUNS_TEXT.iter().any(|it| program.eq_ignore_ascii_case(it))
}

/// Returns whether a command is PowerShell's, and not another language's shell of the same name.
fn is_started(command: &Command) -> bool {
    let is_elixir = || {
        command
            .words_after_program()
            .iter()
            .any(|it| it.text == "-S")
    };
    runs_text(&command.program) && !(command.program == "iex" && is_elixir())
}

/// Returns a command with the text that it runs, whichever option contains it, and with `/` as the
/// separator of paths.
pub(super) fn with_text(command: &Command) -> Cow<'_, Command> {
    let name = command.program.trim_end_matches(".exe");
    if is_started(command) {
        let mut command = command.clone();
        let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
        command.code = Some(words.join(" ").replace('\\', "/"));
        return Cow::Owned(command);
    }
    let is_powershell = ["powershell", "pwsh"].contains(&name);
    if !is_powershell && (!INTERPRETERS.contains(&name) || command.code.is_some()) {
        return Cow::Borrowed(command);
    }
    let words = || {
        let words: Vec<&str> = command.texts_after_program().collect();
        let option = |it: &&str| ["-c", "-command", "/c"].contains(&it.to_lowercase().as_str());
        let at = words.iter().position(option).filter(|_| is_powershell);
        words[at.map_or(0, |it| it + 1)..].join(" ")
    };
    let takes_text = || {
        let mut options = command.words_after_program().iter();
        is_powershell || options.any(|it| TAKES_TEXT.contains(&it.text.as_str()))
    };
    // Everything after the option is its text.
    let is_given = |it: &Word| ["-c", "-command", "/c"].contains(&it.text.to_lowercase().as_str());
    let text = match (&command.code, &command.input) {
        (Some(_), _) if is_powershell && command.words_after_program().iter().any(is_given) => {
            Some(words())
        }
        (Some(code), _) => Some(code.clone()),
        (None, Input::Text(text)) if command.words_after_program().len() < 3 => Some(text.clone()),
        _ => takes_text().then(words),
    };
    let Some(text) = text else {
        return Cow::Borrowed(command);
    };
    let mut command = command.clone();
    command.code = Some(if is_powershell {
        text.replace('\\', "/")
    } else {
        text
    });
    Cow::Owned(command)
}

/// Returns what a command of `cmd` or of PowerShell makes other programs do, and what a program
/// named with its extension does, understood.
pub(super) fn inner_commands(command: &Command, places: &Places) -> Vec<Understood> {
    let program = command
        .program
        .rsplit('\\')
        .next()
        .unwrap_or("")
        .to_lowercase();
    let name = program.strip_suffix(".exe").unwrap_or(&program);
    let words = command.texts_after_program();
    let texts = match name {
        "cmd" => {
            let words: Vec<&str> = words.collect();
            vec![to_posix(&after_switch(&words).unwrap_or_default())]
        }
        name if ["powershell", "pwsh"].contains(&name) || is_started(command) => {
            command.code.as_deref().map(external).unwrap_or_default()
        }
        // What a shell on another machine reads.
        "ssh" => match &command.input {
            Input::Text(text) if command.operands().count() == 1 => vec![text.clone()],
            _ => Vec::new(),
        },
        name if name != program => vec![join(std::iter::once(name).chain(words))],
        _ => Vec::new(),
    };
    let absolute = |it: &&str| it.starts_with('/');
    let around = Surroundings {
        folder: command.folders.first().map(String::as_str),
        home: Some(places.home.as_str()).filter(absolute),
        repository: Some(places.workspace.as_str()).filter(absolute),
        ..Surroundings::default()
    };
    let texts = texts.iter().filter(|it| !it.trim().is_empty());
    texts.map(|it| understand(it, around)).collect()
}

/// Returns the commands of a PowerShell text that start an external program, with the values that
/// the text gave to variables.
fn external(text: &str) -> Vec<String> {
    const PROGRAMS: &[&str] = &[
        "git",
        "gh",
        "glab",
        "docker",
        "podman",
        "kubectl",
        "helm",
        "terraform",
        "aws",
        "az",
        "gcloud",
        "npm",
        "pnpm",
        "yarn",
        "cargo",
        "psql",
        "mysql",
        "redis-cli",
        "netsh",
        "schtasks",
        "reg",
        "sc",
        "hub",
        "cmd",
        "wsl",
    ];
    static VARIABLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"^\$(env:)?(\w+)\s*=\s*["']?([^"']*)["']?$"#).ok());
    let mut values: Vec<(String, String)> = Vec::new();
    let mut assigned = String::new();
    let mut found = Vec::new();
    for part in text.split([';', '\n', '{', '}', '|']) {
        let mut part = part.trim().trim_start_matches('&').trim().to_owned();
        if let Some(it) = VARIABLE.as_ref().and_then(|it| it.captures(&part)) {
            // Its value is what a program prints.
            let value = it[3].trim_start_matches(['(', '&', ' ']).to_owned();
            let first = value.split_whitespace().next().unwrap_or("");
            if value.contains(' ') && PROGRAMS.contains(&first.trim_end_matches(".exe")) {
                found.push(value.clone());
            }
            if it.get(1).is_some() {
                assigned = format!("{assigned}{}='{}' ", &it[2], &it[3]);
            } else {
                values.push((format!("${}", &it[2]), it[3].to_owned()));
            }
            continue;
        }
        for (name, value) in &values {
            part = part.replace(name, value);
        }
        let lower = part.to_lowercase();
        let runs = ["iex ", "invoke-expression "];
        if let Some(run) = runs.iter().find(|it| lower.starts_with(**it)) {
            let inner = part[run.len()..].trim().trim_start_matches("-Command ");
            found.extend(external(inner.trim_matches(['"', '\''])));
            continue;
        }
        if let Some(started) = started_command(&part) {
            part = started;
        }
        let first = part.split_whitespace().next().unwrap_or("").to_lowercase();
        let first = first.trim_matches(['"', '\'']).trim_end_matches(".exe");
        let name = first.rsplit('/').next().unwrap_or("");
        let is_cmdlet = || cmdlets::is_one(part.split_whitespace().next().unwrap_or(""));
        if PROGRAMS.contains(&name) || is_cmdlet() {
            found.push(format!("{assigned}{part}"));
        }
    }
    found
}

/// Returns the command that `Start-Process` starts, without what says how.
fn started_command(part: &str) -> Option<String> {
    const STARTERS: [&str; 3] = ["start-process", "saps", "start"];
    const FLAGS: [&str; 3] = ["-wait", "-nonewwindow", "-passthru"];
    const NAMES: [&str; 3] = ["-filepath", "-argumentlist", "-args"];
    let (first, rest) = part.split_once(' ')?;
    if !STARTERS.iter().any(|it| first.eq_ignore_ascii_case(it)) {
        return None;
    }
    let rest = rest.replace(['"', '\'', ','], " ");
    let is_said = |word: &&str| {
        let word = word.to_lowercase();
        !FLAGS.contains(&word.as_str()) && !NAMES.contains(&word.as_str())
    };
    let words = rest.split_whitespace().filter(is_said);
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Returns what follows the switch that gives `cmd` a text, also in the spelling of Git Bash:
/// `//c`.
fn after_switch(words: &[&str]) -> Option<String> {
    let switches = ["/c", "/k", "/r", "//c", "//k", "//r"];
    let is_switch = |it: &&str| switches.contains(&it.to_lowercase().as_str());
    let at = words.iter().position(is_switch)?;
    Some(words[at + 1..].join(" "))
}

/// Removes what only starts another program: `start "" /b`, `call`.
fn without_starters(part: &str) -> &str {
    let mut part = part.trim().trim_start_matches('@');
    loop {
        let (first, rest) = part.split_once(' ').unwrap_or((part, ""));
        let rest = rest.trim_start();
        match first.to_lowercase().as_str() {
            "call" => part = rest,
            "start" => {
                part = rest;
                // A title, and switches.
                while let Some((word, behind)) = part.split_once(' ') {
                    let is_title = word.starts_with('"') && word.ends_with('"') && word.len() > 1;
                    if !word.starts_with('/') && !is_title {
                        break;
                    }
                    part = behind.trim_start();
                }
            }
            _ => return part,
        }
    }
}

/// Writes a text of `cmd` as other shells would.
fn to_posix(text: &str) -> String {
    static VARIABLES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"%(\w+)%").ok());
    let text = text.replace('\\', "/");
    let text = match VARIABLES.as_ref() {
        Some(it) => it.replace_all(&text, "$${$1}").into_owned(),
        None => text,
    };
    let mut parts = Vec::new();
    for part in text.split('&').filter(|it| !it.trim().is_empty()) {
        let part = without_starters(part);
        let (first, rest) = part.split_once(' ').unwrap_or((part, ""));
        let lower = first.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or("");
        if ["cmd", "cmd.exe"].contains(&name) {
            let words: Vec<&str> = rest.split(' ').collect();
            if let Some(inner) = after_switch(&words) {
                parts.push(to_posix(&inner));
                continue;
            }
        }
        // The switches of its own commands.
        let is_own = COMMANDS.iter().any(|(theirs, _)| *theirs == lower);
        let is_switch = |it: &str| {
            let letters = it.strip_prefix('/').unwrap_or("");
            matches!(letters.len(), 1..=2) && letters.chars().all(|it| it.is_ascii_alphabetic())
        };
        let words = rest.split(' ').filter(|it| !is_own || !is_switch(it));
        let rest = &words.collect::<Vec<_>>().join(" ");
        let deletes = ["del", "erase"].contains(&lower.as_str());
        let in_folders = part.to_lowercase().split(' ').any(|it| it == "/s");
        let lower = if deletes && in_folders {
            "rd"
        } else {
            lower.as_str()
        };
        let known = COMMANDS.iter().find(|(theirs, _)| *theirs == lower);
        // `set A=1` shows nothing.
        let known = known.filter(|(theirs, _)| *theirs != "set" || rest.is_empty());
        let first = known.map_or(first, |(_, ours)| ours);
        let is_set = lower == "set" && rest.contains('=');
        parts.push(if is_set {
            format!("export {rest}")
        } else {
            format!("{first} {rest}")
        });
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::{external, to_posix};

    /// HT-40: what PowerShell starts is found, with the values of its variables.
    #[test]
    fn programs_that_powershell_starts_are_found() {
        assert_eq!(
            external("$b=\"main\"; git push origin \"HEAD:$b\""),
            ["git push origin \"HEAD:main\""]
        );
        assert_eq!(
            external("$env:HUSKY=0; & git commit"),
            ["HUSKY='0' git commit"]
        );
        for text in [
            "$r = git push origin main",
            "iex 'git push origin main'",
            "Invoke-Expression \"git push origin main\"",
            "Start-Process git -ArgumentList 'push','origin','main' -Wait",
            "saps -FilePath git \"push origin main\"",
            "Start-Job -ScriptBlock { git push origin main }",
        ] {
            assert_eq!(external(text), ["git push origin main"], "{text}");
        }
        assert!(external("Get-ChildItem src; Write-Host git; $m = 'git push'").len() < 2);
        assert!(external("$tool = 'git'; Write-Host $tool").is_empty());
        assert!(external("Get-ChildItem src; Write-Host git").is_empty());
    }

    /// HT-40: a text of `cmd` is read as other shells would write it.
    #[test]
    fn text_of_cmd_is_translated() {
        assert_eq!(to_posix("type C:\\a\\.env"), "cat C:/a/.env");
        for text in [
            "cmd /c cmd /c rd /s /q C:\\a",
            "start \"\" /b cmd.exe /c call rd /s C:\\a",
            "@call rd /s /q C:\\a",
        ] {
            assert_eq!(to_posix(text).trim(), "rm -r C:/a", "{text}");
        }
        assert_eq!(to_posix("start git push origin /x"), "git push origin /x");
        assert_eq!(to_posix("rd /s /q /"), "rm -r /");
        assert_eq!(to_posix("SET"), "env ");
        assert_eq!(to_posix("set A=1 && echo %A%"), "export A=1; echo ${A}");
    }
}
