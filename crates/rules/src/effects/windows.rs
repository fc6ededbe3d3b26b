//! Text for the shells of Windows and for interpreters that the shells of other systems don't know.

use std::borrow::Cow;
use std::sync::LazyLock;

use hookloop_shell::{Command, Input, Surroundings, Understood, join, understand};
use regex::Regex;

use super::Places;

/// Commands of `cmd`, and what does the same elsewhere.
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

/// Returns a command with the text that it runs, whichever option brings it, and with the separators of paths that
/// everybody knows.
pub(super) fn with_text(command: &Command) -> Cow<'_, Command> {
    let name = command.program.trim_end_matches(".exe");
    let is_powershell = ["powershell", "pwsh"].contains(&name);
    if !is_powershell && (!INTERPRETERS.contains(&name) || command.code.is_some()) {
        return Cow::Borrowed(command);
    }
    let words = || {
        let words: Vec<&str> = command.args().iter().map(|it| it.text.as_str()).collect();
        let option = |it: &&str| ["-c", "-command", "/c"].contains(&it.to_lowercase().as_str());
        let at = words.iter().position(option).filter(|_| is_powershell);
        words[at.map_or(0, |it| it + 1)..].join(" ")
    };
    let takes_text = || {
        let mut options = command.args().iter();
        is_powershell || options.any(|it| TAKES_TEXT.contains(&it.text.as_str()))
    };
    let text = match (&command.code, &command.input) {
        (Some(code), _) => Some(code.clone()),
        (None, Input::Text(text)) if command.args().len() < 2 => Some(text.clone()),
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

/// Returns what a command of `cmd` or of PowerShell has other programs do, and what a program does that is named
/// with its ending, understood.
pub(super) fn meant(command: &Command, places: &Places) -> Vec<Understood> {
    let program = command
        .program
        .rsplit('\\')
        .next()
        .unwrap_or("")
        .to_lowercase();
    let name = program.strip_suffix(".exe").unwrap_or(&program);
    let words = command.args().iter().map(|it| it.text.as_str());
    let texts = match name {
        "cmd" => {
            let mut behind = words.skip_while(|it| {
                let lower = it.to_lowercase();
                !["/c", "/k", "/r"].contains(&lower.as_str())
            });
            behind.next();
            vec![translated(&behind.collect::<Vec<_>>().join(" "))]
        }
        "powershell" | "pwsh" => command.code.as_deref().map(external).unwrap_or_default(),
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

/// Returns the commands of a text of PowerShell that start a program which isn't one of its own, with the values
/// that it gave to variables.
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
    ];
    static VARIABLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"^\$(env:)?(\w+)\s*=\s*["']?([^"']*)["']?$"#).ok());
    let mut values: Vec<(String, String)> = Vec::new();
    let mut assigned = String::new();
    let mut found = Vec::new();
    for part in text.split([';', '\n', '{', '}', '|']) {
        let mut part = part.trim().trim_start_matches('&').trim().to_owned();
        if let Some(it) = VARIABLE.as_ref().and_then(|it| it.captures(&part)) {
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
        if let Some(rest) = part.strip_prefix("Start-Process ") {
            part = rest
                .replace("-ArgumentList", "")
                .replace("-FilePath", "")
                .replace("\",\"", " ")
                .replace("-Wait", "");
            part = part.replace(['"', '\'', ','], " ");
        }
        let first = part.split_whitespace().next().unwrap_or("").to_lowercase();
        let first = first.trim_matches(['"', '\'']).trim_end_matches(".exe");
        let name = first.rsplit('/').next().unwrap_or("");
        if PROGRAMS.contains(&name) {
            found.push(format!("{assigned}{part}"));
        }
    }
    found
}

/// Writes a text of `cmd` as other shells would.
fn translated(text: &str) -> String {
    static VARIABLES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"%(\w+)%").ok());
    let text = text.replace('\\', "/");
    let text = match VARIABLES.as_ref() {
        Some(it) => it.replace_all(&text, "$${$1}").into_owned(),
        None => text,
    };
    let mut parts = Vec::new();
    for part in text.split('&').filter(|it| !it.trim().is_empty()) {
        let part = part.trim();
        let (first, rest) = part.split_once(' ').unwrap_or((part, ""));
        let words = rest
            .split(' ')
            .filter(|it| !(it.starts_with('/') && it.len() < 4));
        let rest = &words.collect::<Vec<_>>().join(" ");
        let lower = first.to_lowercase();
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
    use super::{external, translated};

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
        assert!(external("Get-ChildItem src; Write-Host git").is_empty());
    }

    /// HT-40: what `cmd` is told is read as other shells would say it.
    #[test]
    fn text_of_cmd_is_translated() {
        assert_eq!(translated("type C:\\a\\.env"), "cat C:/a/.env");
        assert_eq!(translated("SET"), "env ");
        assert_eq!(translated("set A=1 && echo %A%"), "export A=1; echo ${A}");
    }
}
