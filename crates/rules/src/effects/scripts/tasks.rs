//! Tasks of `just`, of Taskfiles, of `mise` and of `cargo make`.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Project, after_options};

/// How many tasks are followed.
const MAX_TASKS: usize = 32;

/// Returns what recipes of a justfile do.
pub(super) fn justfile_text(project: &Project<'_>, words: &[&str]) -> Option<String> {
    const WITH_VALUE: &[&str] = &[
        "-f",
        "--justfile",
        "-d",
        "--working-directory",
        "--shell",
        "--shell-arg",
        "--dotenv-path",
    ];
    const QUERY_OPTIONS: &[&str] = &[
        "-n",
        "--dry-run",
        "-l",
        "--list",
        "--show",
        "-s",
        "--summary",
        "--evaluate",
        "--choose",
        "--dump",
        "--fmt",
        "--variables",
        "--help",
        "--version",
        "-h",
        "-V",
    ];
    let behind = after_options(words, WITH_VALUE);
    let options = &words[..words.len() - behind.len()];
    if options.iter().any(|it| QUERY_OPTIONS.contains(it)) {
        return None;
    }
    let named = |pair: &[&str]| {
        ["-f", "--justfile"]
            .contains(&pair[0])
            .then(|| pair[1].to_owned())
    };
    let file = words.windows(2).find_map(named);
    let file = file.or_else(|| {
        let attached = words.iter().find_map(|it| it.strip_prefix("--justfile="));
        attached.map(str::to_owned)
    });
    let text = match file {
        Some(file) => project.read(&file),
        None => hookloop_shell::build_files("just")
            .iter()
            .find_map(|it| project.read(it)),
    }?;
    let text = with_imports(project, &text);
    if let Some((module, rest)) = module_of(&text, behind) {
        let files = [
            format!("{module}.just"),
            format!("{module}/mod.just"),
            format!("{module}/justfile"),
        ];
        let file = files.iter().find(|it| project.read(it).is_some())?;
        let words = [&["--justfile", file.as_str()], &rest[..]].concat();
        return justfile_text(project, &words);
    }
    let mut recipes = Recipes::of(&text);
    let mut open: Vec<(String, Vec<String>)> = Vec::new();
    for (at, word) in behind.iter().enumerate() {
        match word.split_once('=') {
            Some((name, value)) => recipes.variables.push((name.to_owned(), value.to_owned())),
            None => open.push((
                (*word).to_owned(),
                behind[at + 1..].iter().map(|it| (*it).to_owned()).collect(),
            )),
        }
    }
    if open.is_empty() {
        open.extend(recipes.all.first().map(|it| (it.name.clone(), Vec::new())));
    }
    let lines = recipes.recipe_lines(open);
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns a justfile, followed by what it imports.
fn with_imports(project: &Project<'_>, text: &str) -> String {
    let named = text.lines().filter_map(|it| it.strip_prefix("import"));
    let named = named.map(|it| it.trim_start_matches('?').trim().trim_matches(['"', '\'']));
    let texts = named.take(MAX_TASKS).filter_map(|it| project.read(it));
    let all: Vec<String> = std::iter::once(text.to_owned()).chain(texts).collect();
    all.join("\n")
}

/// Returns the module of a justfile whose recipe is run, and which recipe: `just ops ship`,
/// `ops::ship`.
fn module_of<'w>(text: &str, words: &[&'w str]) -> Option<(&'w str, Vec<&'w str>)> {
    let (first, rest) = words.split_first()?;
    let (name, inner) = match first.split_once("::") {
        Some((name, inner)) => (name, Some(inner)),
        None => (*first, None),
    };
    let is_module = text.lines().any(|it| {
        let named = it.strip_prefix("mod ").or_else(|| it.strip_prefix("mod? "));
        named.is_some_and(|it| it.split_whitespace().next() == Some(name))
    });
    let words = inner.into_iter().chain(rest.iter().copied());
    is_module.then(|| (name, words.collect()))
}

/// A recipe of a justfile.
struct Recipe {
    name: String,
    parameters: Vec<(String, Option<String>)>,
    needs: Vec<String>,
    lines: Vec<String>,
}

/// The content of a justfile.
struct Recipes {
    all: Vec<Recipe>,
    variables: Vec<(String, String)>,
}

impl Recipes {
    fn of(text: &str) -> Self {
        let mut all: Vec<Recipe> = Vec::new();
        let mut variables = Vec::new();
        for line in text.lines() {
            if line.starts_with([' ', '\t']) || line.trim().is_empty() {
                if let Some(recipe) = all.last_mut().filter(|_| !line.trim().is_empty()) {
                    recipe.lines.push(line.trim().to_owned());
                }
                continue;
            }
            if line.starts_with(['#', '[']) {
                continue;
            }
            if let Some((name, value)) = line.split_once(":=") {
                let name = name.trim();
                let value = value.trim();
                if let Some(name) = name.strip_prefix("alias ") {
                    all.push(Recipe {
                        name: name.trim().to_owned(),
                        parameters: Vec::new(),
                        needs: vec![value.to_owned()],
                        lines: Vec::new(),
                    });
                } else {
                    let name = name.trim_start_matches("export ").to_owned();
                    variables.push((name, value.trim_matches(['"', '\'']).to_owned()));
                }
                continue;
            }
            let Some((head, needs)) = line.split_once(':') else {
                continue;
            };
            let mut words = head.trim_start_matches('@').split_whitespace();
            let Some(name) = words.next() else {
                continue;
            };
            let parameters = words.map(|it| {
                let it = it.trim_start_matches(['$', '+', '*']);
                match it.split_once('=') {
                    Some((name, value)) => {
                        let value = value.trim_matches(['"', '\'']).to_owned();
                        (name.to_owned(), Some(value))
                    }
                    None => (it.to_owned(), None),
                }
            });
            let needs = needs.split(|it: char| it.is_whitespace() || "()".contains(it));
            let needs = needs.filter(|it| !it.is_empty() && *it != "&&");
            all.push(Recipe {
                name: name.to_owned(),
                parameters: parameters.collect(),
                needs: needs.map(str::to_owned).collect(),
                lines: Vec::new(),
            });
        }
        Self { all, variables }
    }

    /// Returns the lines of recipes, and of what they need.
    fn recipe_lines(&self, mut open: Vec<(String, Vec<String>)>) -> Vec<String> {
        let mut done: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        while let Some((name, arguments)) = open.pop().filter(|_| done.len() < MAX_TASKS) {
            if done.contains(&name) {
                continue;
            }
            for recipe in self.all.iter().filter(|it| it.name == name) {
                open.extend(recipe.needs.iter().map(|it| (it.clone(), Vec::new())));
                let is_script = recipe.lines.first().is_some_and(|it| it.starts_with("#!"));
                let given = |at: usize, default: &Option<String>| {
                    arguments.get(at).cloned().or_else(|| default.clone())
                };
                let parameters = recipe.parameters.iter().enumerate();
                let values: Vec<(String, Option<String>)> = parameters
                    .map(|(at, (name, default))| (name.clone(), given(at, default)))
                    .collect();
                for line in &recipe.lines {
                    let line = self.expand_line(line, &values);
                    let line = if is_script {
                        line
                    } else {
                        line.trim_start_matches(['@', '-']).to_owned()
                    };
                    lines.push(line);
                }
            }
            done.push(name);
        }
        lines
    }

    fn expand_line(&self, line: &str, values: &[(String, Option<String>)]) -> String {
        expand_placeholders(line, |name| {
            let given = values.iter().find(|(known, _)| known == name);
            let set = || self.variables.iter().rev().find(|(known, _)| known == name);
            match given {
                Some((_, value)) => value.clone(),
                None => set().map(|(_, value)| value.clone()),
            }
        })
    }
}

/// Replaces `{{name}}` by its value; what isn't known becomes a variable of the shell.
fn expand_placeholders(line: &str, value: impl Fn(&str) -> Option<String>) -> String {
    static NAMES: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\{\{\s*\.?(\w+)[^}]*\}\}").ok());
    let Some(names) = NAMES.as_ref() else {
        return line.to_owned();
    };
    let fill =
        |found: &Captures<'_>| value(&found[1]).unwrap_or_else(|| format!("${{{}}}", &found[1]));
    names.replace_all(line, fill).into_owned()
}

/// Returns what tasks of a Taskfile do.
pub(super) fn taskfile(project: &Project<'_>, words: &[&str]) -> Option<String> {
    const WITH_VALUE: &[&str] = &[
        "-t",
        "--taskfile",
        "-d",
        "--dir",
        "-o",
        "--output",
        "-C",
        "--concurrency",
    ];
    const QUERY_OPTIONS: &[&str] = &[
        "-n",
        "--dry",
        "-l",
        "--list",
        "-a",
        "--list-all",
        "--summary",
        "--status",
        "--help",
        "-h",
        "--version",
        "-i",
        "--init",
    ];
    let behind = after_options(words, WITH_VALUE);
    let own = words.iter().take_while(|it| **it != "--");
    if own.into_iter().any(|it| QUERY_OPTIONS.contains(it)) {
        return None;
    }
    let named = words
        .windows(2)
        .find(|it| ["-t", "--taskfile"].contains(&it[0]));
    let text = match named {
        Some(pair) => project.read(pair[1]),
        None => [
            "Taskfile.yml",
            "taskfile.yml",
            "Taskfile.yaml",
            "Taskfile.dist.yml",
        ]
        .iter()
        .find_map(|it| project.read(it)),
    }?;
    let goals = behind
        .iter()
        .filter(|it| !it.contains('=') && !it.starts_with('-'));
    let mut open: Vec<String> = goals.map(|it| (*it).to_owned()).collect();
    if open.is_empty() {
        open.push("default".to_owned());
    }
    let mut variables = variables_of(&text);
    let given = behind.iter().filter_map(|it| it.split_once('='));
    variables.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let mut done: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    while let Some(name) = open.pop().filter(|_| done.len() < MAX_TASKS) {
        if done.contains(&name) {
            continue;
        }
        let task = match included_task(project, &text, &name) {
            Some((text, name)) => block_of(&text, &name),
            None => block_of(&text, &name),
        };
        lines.extend(commands_of(&task, &mut open));
        done.push(name);
    }
    let value = |name: &str| {
        let known = variables.iter().rev().find(|(known, _)| known == name);
        known.map(|(_, value)| value.clone())
    };
    let lines: Vec<String> = lines
        .iter()
        .map(|it| expand_placeholders(it, value))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns the included file that contains a task, and the task's name there: `ops:ship`.
fn included_task(project: &Project<'_>, text: &str, task: &str) -> Option<(String, String)> {
    let (group, name) = task.split_once(':')?;
    let mut lines = text.lines().skip_while(|it| it.trim_end() != "includes:");
    lines.next();
    let inside = lines.take_while(|it| it.trim().is_empty() || it.starts_with([' ', '\t']));
    let mut lines = inside.skip_while(|it| !it.trim().starts_with(&format!("{group}:")));
    let (_, value) = lines.next()?.split_once(':')?;
    let path = match value.trim() {
        "" => lines
            .find_map(|it| it.trim().strip_prefix("taskfile:"))?
            .trim(),
        path => path,
    };
    let path = path.trim_matches(['"', '\'']);
    let files = ["", "/Taskfile.yml", "/Taskfile.yaml"];
    let text = files
        .iter()
        .find_map(|it| project.read(&format!("{path}{it}")))?;
    Some((text, name.to_owned()))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the lines of a task, the first one with what follows the name.
fn block_of(text: &str, name: &str) -> Vec<String> {
    let heads = [
        format!("{name}:"),
        format!("\"{name}\":"),
        format!("'{name}':"),
    ];
    let head = |line: &str| {
        let trimmed = line.trim_start();
        let rest = heads
            .iter()
            .find_map(|it| trimmed.strip_prefix(it.as_str()))?;
        (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim().to_owned())
    };
    let mut lines = text
        .lines()
        .skip_while(|it| it.trim_end() != "tasks:")
        .skip(1)
        .peekable();
    // The names of tasks are all below `tasks`, in the same column.
    let column = lines.peek().map_or(0, |it| indent(it));
    let mut lines = lines.skip_while(|it| indent(it) != column || head(it).is_none());
    let Some(first) = lines.next() else {
        return Vec::new();
    };
    let inside = lines.take_while(|it| it.trim().is_empty() || indent(it) > column);
    let first = head(first).filter(|it| !it.is_empty());
    first.into_iter().chain(inside.map(str::to_owned)).collect()
}

/// Returns the commands of a task, and notes the tasks that it runs or needs.
fn commands_of(block: &[String], open: &mut Vec<String>) -> Vec<String> {
    let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
    let listed = |text: &str| -> Vec<String> {
        let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
        inner
            .split(", ")
            .map(plain)
            .filter(|it| !it.is_empty())
            .collect()
    };
    let mut commands = Vec::new();
    let mut key = String::new();
    let mut at = 0;
    while let Some(line) = block.get(at) {
        at += 1;
        let trimmed = line.trim();
        let is_item = trimmed.starts_with("- ");
        let item = trimmed.strip_prefix("- ").unwrap_or(trimmed).trim();
        let (name, value) = match item.split_once(':') {
            Some((name, value)) if name.chars().all(|it| it.is_alphanumeric() || it == '_') => {
                (name, value.trim())
            }
            _ => ("", item),
        };
        if matches!(value, "|" | ">" | "|-" | ">-" | "|+") {
            let inner = block[at..].iter();
            let inner = inner.take_while(|it| it.trim().is_empty() || indent(it) > indent(line));
            let inner: Vec<&str> = inner.map(|it| it.trim()).collect();
            at += inner.len();
            let joined = if value.starts_with('>') { " " } else { "\n" };
            if ["", "cmd", "defer", "sh"].contains(&name) {
                commands.push(inner.join(joined));
            }
            continue;
        }
        match name {
            "cmds" | "deps" if value.starts_with('[') && name == "cmds" => {
                commands.extend(listed(value));
            }
            "deps" if !value.is_empty() => open.extend(listed(value)),
            "cmds" | "deps" | "vars" | "env" | "preconditions" | "status" | "sources"
            | "generates" | "requires" | "includes" | "dotenv" | "platforms" | "aliases" => {
                name.clone_into(&mut key);
            }
            "task" => open.push(plain(value)),
            "cmd" | "defer" | "sh" => commands.push(plain(value)),
            // The whole task is a string or a list.
            "" if !is_item && at == 1 && value.starts_with('[') => commands.extend(listed(value)),
            "" if !is_item && at == 1 => commands.push(plain(value)),
            "" if is_item && key == "deps" => open.push(plain(value)),
            _ if is_item && matches!(key.as_str(), "" | "cmds") => commands.push(plain(item)),
            _ => {}
        }
    }
    commands
}

/// Returns the variables of a file that have plain values.
fn variables_of(text: &str) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    let mut inside = None;
    for line in text.lines().filter(|it| !it.trim().is_empty()) {
        if let Some(column) = inside {
            if indent(line) > column {
                if let Some((name, value)) = line.trim().split_once(':') {
                    let value = value.trim().trim_matches(['"', '\'']);
                    variables.push((name.to_owned(), value.to_owned()));
                }
                continue;
            }
            inside = None;
        }
        if line.trim() == "vars:" {
            inside = Some(indent(line));
        }
    }
    variables
}

/// Returns what a task of `mise` does.
pub(super) fn mise(project: &Project<'_>, words: &[&str]) -> Option<String> {
    let behind = after_options(words, &["-C", "--cd"]);
    let name = match behind {
        ["run" | "r", rest @ ..] => after_options(rest, &["-C", "--cd", "-t", "-j"]).first()?,
        [name, ..] => name,
        [] => return None,
    };
    let files = [
        "mise.toml",
        ".mise.toml",
        "mise/config.toml",
        ".config/mise.toml",
    ];
    let text = files.iter().find_map(|it| project.read(it))?;
    let table: toml::Value = toml::from_str(&text).ok()?;
    table_task(table.get("tasks")?, name, "run", "depends")
}

/// Returns what a task of `cargo make` does.
pub(super) fn cargo_make(project: &Project<'_>, words: &[&str]) -> Option<String> {
    let name = match words {
        ["make", rest @ ..] => {
            after_options(rest, &["--makefile", "-p", "--profile", "-t"]).first()?
        }
        _ => return None,
    };
    let table: toml::Value = toml::from_str(&project.read("Makefile.toml")?).ok()?;
    table_task(table.get("tasks")?, name, "script", "dependencies")
}

/// Returns the texts of a task of a table, and of those that it needs.
fn table_task(tasks: &toml::Value, name: &str, text: &str, needs: &str) -> Option<String> {
    let mut open = vec![name.to_owned()];
    let mut done: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    let texts = |value: &toml::Value| -> Vec<String> {
        match value {
            toml::Value::String(text) => vec![text.clone()],
            toml::Value::Array(all) => {
                let all = all.iter().filter_map(toml::Value::as_str);
                all.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    };
    while let Some(name) = open.pop().filter(|_| done.len() < MAX_TASKS) {
        let Some(task) = tasks.get(&name).filter(|_| !done.contains(&name)) else {
            continue;
        };
        lines.extend(texts(task));
        lines.extend(task.get(text).map(texts).unwrap_or_default());
        if let Some(program) = task.get("command").and_then(toml::Value::as_str) {
            let arguments = task.get("args").map(texts).unwrap_or_default();
            let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
            lines.push(hookloop_shell::join(words));
        }
        open.extend(task.get(needs).map(texts).unwrap_or_default());
        open.extend(task.get("run_task").map(texts).unwrap_or_default());
        done.push(name);
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}
