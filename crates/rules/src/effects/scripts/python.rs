//! Tasks that a project of Python lists: poe, pdm, hatch, rye, pipenv.

use toml::Value;

use super::{Project, after_options, packages};

/// How many tasks are followed.
const MAX_TASKS: usize = 16;

/// Options that have a value.
const WITH_VALUE: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--directory",
    "--project",
    "-C",
    "-e",
    "--env",
    "--env-file",
    "--extra",
    "--group",
];

/// Returns what a task that a program runs does.
pub(super) fn task(project: &Project<'_>, program: &str, words: &[&str]) -> Option<String> {
    let behind = after_options(words, WITH_VALUE);
    let (verb, rest) = behind.split_first()?;
    let name = match (program, *verb) {
        ("poe", name) => name,
        (_, "run") => after_options(rest, WITH_VALUE).first()?,
        ("pdm" | "rye", name) => name,
        _ => return None,
    };
    if ["uv", "poetry", "pdm", "rye", "hatch", "pipenv"].contains(&program)
        && let Some(text) = packages::reads_file(project, name)
    {
        return Some(text);
    }
    let file = if program == "pipenv" {
        "Pipfile"
    } else {
        "pyproject.toml"
    };
    let table: Value = toml::from_str(&project.read(file)?).ok()?;
    let (path, name) = match (program, name.split_once(':')) {
        ("hatch", Some((environment, name))) => {
            (vec!["tool", "hatch", "envs", environment, "scripts"], name)
        }
        ("hatch", None) => (vec!["tool", "hatch", "envs", "default", "scripts"], name),
        ("poe", _) => (vec!["tool", "poe", "tasks"], name),
        ("pipenv", _) => (vec!["scripts"], name),
        ("pdm" | "rye", _) => (vec!["tool", program, "scripts"], name),
        _ => return None,
    };
    let tasks = path.iter().try_fold(&table, |it, key| it.get(key))?;
    let mut lines = Vec::new();
    follow(tasks, name, &mut lines, &mut Vec::new());
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Adds the lines of a task, and of those that it names.
fn follow(tasks: &Value, name: &str, lines: &mut Vec<String>, done: &mut Vec<String>) {
    if done.len() >= MAX_TASKS || done.iter().any(|it| it == name) {
        return;
    }
    done.push(name.to_owned());
    if let Some(task) = tasks.get(name) {
        add(tasks, task, lines, done);
    }
}

fn add(tasks: &Value, task: &Value, lines: &mut Vec<String>, done: &mut Vec<String>) {
    match task {
        // A string may be the name of another task.
        Value::String(text) => {
            let first = text.split_whitespace().next().unwrap_or("");
            if tasks.get(first).is_some() && !done.iter().any(|it| it == first) {
                follow(tasks, first, lines, done);
            } else {
                lines.push(text.clone());
            }
        }
        Value::Array(parts) => {
            for part in parts {
                // The words of one command.
                add(tasks, part, lines, done);
            }
            let words: Option<Vec<&str>> = parts.iter().map(Value::as_str).collect();
            lines.extend(words.map(hookloop_shell::join));
        }
        Value::Table(_) => {
            for key in [
                "deps",
                "sequence",
                "composite",
                "ref",
                "cmd",
                "shell",
                "script",
                "call",
            ] {
                if let Some(part) = task.get(key) {
                    add(tasks, part, lines, done);
                }
            }
        }
        _ => {}
    }
}
