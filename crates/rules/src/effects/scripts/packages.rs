//! Scripts that the file of a package lists: `package.json`, `composer.json`, `deno.json`.

use serde_json::Value;

use hookloop_shell::{join, matches};

use super::{Project, ScriptText, after_options};

/// Package managers and runners of package scripts.
const MANAGERS: &[&str] = &[
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "composer",
    "deno",
    "run-s",
    "run-p",
    "npm-run-all",
    "npm-run-all2",
    "lerna",
    "turbo",
    "nx",
    "wireit",
    "concurrently",
];

/// Options that have a value.
const WITH_VALUE: &[&str] = &[
    "--prefix",
    "-C",
    "--dir",
    "--cwd",
    "-w",
    "--workspace",
    "-F",
    "--filter",
    "--scope",
    "--loglevel",
    "--userconfig",
    "--registry",
    "--cache",
    "--script-shell",
    "-d",
    "--working-dir",
    "--config",
    "--env-file",
    "-c",
    "--concurrency",
];

/// Options that name packages of a workspace.
const NAMES_PACKAGE: &[&str] = &["-w", "--workspace", "-F", "--filter", "--scope"];

/// Returns whether a program runs package scripts.
pub(super) fn is_manager(program: &str) -> bool {
    MANAGERS.contains(&program)
}

/// Returns what a package manager runs.
pub(super) fn texts(project: &Project<'_>, program: &str, words: &[&str]) -> Vec<ScriptText> {
    let own = match words.iter().position(|it| *it == "--") {
        Some(at) => &words[..at],
        None => words,
    };
    let mut found = Vec::new();
    for folder in packages(project, program, own) {
        let project = project.in_folder(&folder);
        let text = match program {
            "composer" => composer(&project, words),
            "deno" => deno(&project, words),
            "run-s" | "run-p" | "npm-run-all" | "npm-run-all2" => all(&project, words),
            "concurrently" | "wireit" => concurrent(&project, words),
            _ => scripts_for(&project, program, words),
        };
        if let Some(text) = text {
            found.extend(project.non_empty(text));
        }
    }
    found
}

/// Returns the folders of the packages that options name; if they name none, the one that it runs
/// in.
fn packages(project: &Project<'_>, program: &str, words: &[&str]) -> Vec<String> {
    let mut named: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let attached = word.split_once('=');
        if NAMES_PACKAGE.contains(word) {
            named.extend(words.get(at + 1));
        } else if let Some((option, value)) = attached.filter(|it| NAMES_PACKAGE.contains(&it.0)) {
            let _ = option;
            named.push(value);
        }
    }
    let behind = after_options(words, WITH_VALUE);
    match behind {
        ["workspace", name, ..] if program == "yarn" => named.push(name),
        // `nx run a:rel`, `nx rel a`.
        ["run", target, ..] if program == "nx" => {
            named.extend(target.split(':').next());
        }
        [_, name, ..] if program == "nx" => named.push(name),
        _ => {}
    }
    let list = manifest(project, "package.json");
    let patterns = list.as_ref().and_then(|it| {
        let listed = it.get("workspaces")?;
        listed
            .as_array()
            .or_else(|| listed.get("packages")?.as_array())
    });
    let patterns = patterns.into_iter().flatten().filter_map(Value::as_str);
    let patterns: Vec<&str> = patterns.chain(["packages/*", "apps/*", "libs/*"]).collect();
    let of_all = ["-r", "--recursive", "-ws", "--workspaces", "--parallel"];
    let everywhere = words.iter().any(|it| of_all.contains(it))
        || ["lerna", "turbo", "nx"].contains(&program)
        || matches!(behind, ["workspaces", ..]);
    let mut folders: Vec<String> = Vec::new();
    for name in named {
        let name = name.trim_matches(['{', '}', '.']).trim_end_matches('/');
        let name = name.trim_start_matches("./").trim_matches('.');
        let short = name.rsplit('/').next().unwrap_or(name);
        folders.push(name.to_owned());
        folders.extend(patterns.iter().map(|it| it.replace('*', short)));
    }
    if folders.is_empty() || everywhere {
        folders.push(".".to_owned());
        let plain = patterns.iter().filter(|it| everywhere && !it.contains('*'));
        folders.extend(plain.map(|it| (*it).to_owned()));
    }
    folders
}

/// Returns the package scripts that a package manager runs for a command.
fn scripts_for(project: &Project<'_>, program: &str, words: &[&str]) -> Option<String> {
    let mut behind = after_options(words, WITH_VALUE);
    if program == "yarn" {
        behind = match behind {
            ["workspace", _, rest @ ..] => rest,
            ["workspaces", "run" | "foreach", rest @ ..] => after_options(rest, WITH_VALUE),
            behind => behind,
        };
    }
    let (verb, rest) = behind.split_first()?;
    let lifecycle: &[&str] = match *verb {
        "ci" | "i" | "install" | "clean-install" | "ic" | "install-test" | "it" | "cit" => &[
            "preinstall",
            "install",
            "postinstall",
            "prepublish",
            "preprepare",
            "prepare",
            "postprepare",
        ],
        "publish" | "pack" => &[
            "prepublishOnly",
            "prepack",
            "prepare",
            "postpack",
            "publish",
        ],
        "version" => &["preversion", "version", "postversion"],
        "t" | "tst" | "test" if program != "bun" => &["pretest", "test", "posttest"],
        _ => &[],
    };
    if *verb == "set-script" {
        // It isn't run yet.
        return rest.get(1).map(|it| (*it).to_owned());
    }
    let installs = lifecycle.contains(&"prepare");
    if installs && words.contains(&"--ignore-scripts") || is_own(program, verb) {
        return None;
    }
    if !lifecycle.is_empty() {
        return select_scripts(project, lifecycle.iter().copied());
    }
    let runs = ["run", "run-script", "rum", "urn", "exec"];
    let name = if runs.contains(verb) {
        after_options(rest, WITH_VALUE).first()?
    } else {
        verb
    };
    // `nx run a:rel`
    let name = match program {
        "nx" => name.rsplit(':').next()?,
        _ => name,
    };
    let text = script(project, name);
    let is_file = ["bun", "tsx"].contains(&program) && text.is_none();
    if is_file {
        let text = project.read(name)?;
        return Some(join(["node", "-e", text.as_str()]));
    }
    // Words after the name are passed on.
    let behind = words.iter().skip_while(|it| *it != &name).skip(1);
    let arguments: Vec<&str> = behind.copied().filter(|it| *it != "--").collect();
    let text = text?;
    if arguments.is_empty() || text.contains('\n') {
        return Some(text);
    }
    Some(format!("{text} {}", join(arguments)))
}

/// Returns whether a word is a package manager's own command, even if a script has this name.
fn is_own(program: &str, verb: &str) -> bool {
    let own = [
        "add", "audit", "config", "create", "dlx", "explain", "info", "init", "link", "list",
        "login", "ls", "outdated", "patch", "pm", "remove", "store", "unlink", "update", "upgrade",
        "view", "why", "x",
    ];
    match program {
        "bun" => own.contains(&verb) || ["test", "build"].contains(&verb),
        _ => own.contains(&verb),
    }
}

/// Returns the script of this name of `package.json`, with what runs before and after it.
pub(super) fn script(project: &Project<'_>, name: &str) -> Option<String> {
    let around = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
    select_scripts(project, around.iter().map(String::as_str))
}

fn select_scripts<'n>(
    project: &Project<'_>,
    names: impl Iterator<Item = &'n str>,
) -> Option<String> {
    let list = manifest(project, "package.json")?;
    let scripts = list.get("scripts")?;
    let texts = names.filter_map(|it| scripts.get(it)?.as_str().map(str::to_owned));
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Reads `run-s build:* rel`: the names of scripts, and patterns of them.
fn all(project: &Project<'_>, words: &[&str]) -> Option<String> {
    let list = manifest(project, "package.json")?;
    let scripts = list.get("scripts")?.as_object()?;
    let names = words.iter().filter(|it| !it.starts_with('-'));
    let mut texts = Vec::new();
    for name in names {
        let pattern = name.split_whitespace().next().unwrap_or("");
        for known in scripts.keys().filter(|it| matches(pattern, it)) {
            texts.extend(script(project, known));
        }
    }
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Reads `concurrently "npm:rel" "git push"`.
fn concurrent(project: &Project<'_>, words: &[&str]) -> Option<String> {
    let texts = after_options(words, &["-n", "--names", "-c", "-p"]).iter();
    let texts = texts.filter_map(|word| {
        let managers = ["npm:", "pnpm:", "yarn:", "bun:"];
        let name = managers.iter().find_map(|it| word.strip_prefix(it));
        match name {
            Some(name) => all(project, &[name]),
            None => word.contains(' ').then(|| (*word).to_owned()),
        }
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// Reads `composer rel`: a script may name others (`@rel`).
fn composer(project: &Project<'_>, words: &[&str]) -> Option<String> {
    let behind = after_options(words, WITH_VALUE);
    let (verb, rest) = behind.split_first()?;
    let name = match *verb {
        "run" | "run-script" => after_options(rest, WITH_VALUE).first()?,
        "install" => "post-install-cmd",
        "update" => "post-update-cmd",
        "dump-autoload" | "dumpautoload" => "post-autoload-dump",
        verb => verb,
    };
    let list = manifest(project, "composer.json")?;
    let scripts = list.get("scripts")?;
    let before = format!("pre-{}", name.trim_start_matches("post-"));
    let mut open = vec![name.to_owned(), before];
    let mut done: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    while let Some(name) = open.pop().filter(|_| done.len() < 16) {
        let texts = match scripts.get(&name) {
            Some(Value::String(text)) => vec![text.as_str()],
            Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        if done.contains(&name) {
            continue;
        }
        for text in texts {
            match text.strip_prefix('@') {
                Some(text) if text.starts_with("putenv ") => {}
                Some(text) if text.starts_with("php ") || text.starts_with("composer ") => {
                    lines.push(text.to_owned());
                }
                Some(other) => open.extend(other.split_whitespace().next().map(str::to_owned)),
                None => lines.push(text.to_owned()),
            }
        }
        done.push(name);
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Reads `deno task rel` and `deno run a.ts`: a task is a text, or lists what it needs first.
fn deno(project: &Project<'_>, words: &[&str]) -> Option<String> {
    let behind = after_options(words, WITH_VALUE);
    let (verb, rest) = behind.split_first()?;
    let rest = after_options(rest, WITH_VALUE);
    if *verb == "run" || verb.contains('.') {
        let path = if *verb == "run" { rest.first()? } else { verb };
        if let Some(text) = project.read(path) {
            return Some(join(["deno", "eval", text.as_str()]));
        }
    }
    let name = match *verb {
        "task" | "run" => rest.first()?,
        _ => return None,
    };
    let list = manifest(project, "deno.json").or_else(|| manifest(project, "deno.jsonc"));
    let tasks = list.as_ref().and_then(|it| it.get("tasks"));
    let mut open = vec![(*name).to_owned()];
    let mut done: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    while let Some(name) = open.pop().filter(|_| done.len() < 16) {
        if done.contains(&name) {
            continue;
        }
        match tasks.and_then(|it| it.get(&name)) {
            Some(Value::String(text)) => lines.push(text.clone()),
            Some(task) => {
                let needs = task.get("dependencies").and_then(Value::as_array);
                let needs = needs.into_iter().flatten().filter_map(Value::as_str);
                open.extend(needs.map(str::to_owned));
                lines.extend(
                    task.get("command")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                );
            }
            None => lines.extend(script(project, &name)),
        }
        done.push(name);
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Reads a file of JSON, also one with comments.
fn manifest(project: &Project<'_>, name: &str) -> Option<Value> {
    let text = project.read(name)?;
    serde_json::from_str(&text).ok().or_else(|| {
        let lines = text.lines().filter(|it| !it.trim_start().starts_with("//"));
        let text: String = lines.collect::<Vec<_>>().join("\n");
        let text = text.replace(",\n}", "\n}");
        serde_json::from_str(&text).ok()
    })
}

/// Returns whether a program that a runner of another language starts is one that reads files.
pub(super) fn reads_file(project: &Project<'_>, path: &str) -> Option<String> {
    let name = match path.rsplit_once('.')?.1 {
        "py" => "python3",
        "js" | "mjs" | "cjs" | "ts" => "node",
        _ => return None,
    };
    let option = if name == "node" { "-e" } else { "-c" };
    let text = project.read(path)?;
    Some(join([name, option, text.as_str()]))
}
