//! Build files: shell text that a program reads from a file and runs line by line.

use std::path::PathBuf;

use hookloop_shell::{Command, Input, build_files, is_standard_input, recipe_of_line, usual_name};
use serde_json::Value;

use super::reading;

/// The maximum number of included makefiles.
const MAX_INCLUDED: usize = 512;

/// The folder of packages' programs.
pub(super) const PACKAGE_PROGRAMS: &str = "node_modules/.bin";

/// What a build file would run.
pub(super) enum Recipes {
    /// Lines of shell text, whatever the target.
    Lines(Vec<String>),
    /// Text that isn't in a file; contains the command.
    Unseen(String),
}

/// Returns what a command runs from a build file; `None` if it reads none.
pub(super) fn of(command: &Command) -> Option<Recipes> {
    match usual_name(&command.program) {
        "make" => make_recipes(command),
        "npm" | "pnpm" | "yarn" | "bun" => package_recipes(command),
        _ => None,
    }
}

fn make_recipes(command: &Command) -> Option<Recipes> {
    let option = command.words.iter().enumerate().find_map(|(index, word)| {
        let rest = ["--makefile", "--file", "-f"]
            .iter()
            .find_map(|option| word.text.strip_prefix(option))?;
        match rest.trim_start_matches('=') {
            "" => command.words.get(index + 1).map(|it| it.text.as_str()),
            attached => Some(attached),
        }
    });
    let text = match (option, &command.input) {
        (Some(file), input) if file == "-" || is_standard_input(file) => match input {
            Input::Text(text) => text.clone(),
            _ => return Some(Recipes::Unseen(format!("{} -f -", command.program))),
        },
        (Some(file), _) => in_folders(command, &[file])?,
        (None, _) => in_folders(command, build_files(&command.program))?,
    };
    let Some(text) = with_included(text, command) else {
        return Some(Recipes::Unseen(format!(
            "{} with what it includes",
            command.program
        )));
    };
    let lines = text.lines().filter(|it| !it.starts_with(' '));
    let recipes = lines.filter_map(recipe_of_line);
    Some(Recipes::Lines(recipes.map(to_shell_text).collect()))
}

/// Adds the files that a makefile includes, recursively; returns `None` if there are too many.
fn with_included(mut text: String, command: &Command) -> Option<String> {
    let mut seen: Vec<String> = Vec::new();
    let mut read = 0;
    while read < text.len() {
        if seen.len() > MAX_INCLUDED {
            return None;
        }
        let line = text[read..].lines().next().unwrap_or_default().to_owned();
        read += line.len() + 1;
        let mut words = line.split_whitespace();
        if !matches!(words.next(), Some("include" | "-include" | "sinclude")) {
            continue;
        }
        for name in words {
            if seen.iter().all(|it| it != name) {
                seen.push(name.to_owned());
                let more = in_folders(command, &[name]).unwrap_or_default();
                text.extend(["\n", more.as_str()]);
            }
        }
    }
    Some(text)
}

/// Turns a recipe into shell text: `$$` is the shell's own sign, and `$(HOME)` a variable that the
/// environment gives to both.
fn to_shell_text(recipe: &str) -> String {
    let mut text = String::with_capacity(recipe.len());
    let mut rest = recipe;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('$') {
            rest = behind;
        } else if let Some((name, behind)) = rest
            .strip_prefix('(')
            .and_then(|inner| inner.split_once(')'))
            .filter(|(name, _)| name.chars().all(|it| it.is_alphanumeric() || it == '_'))
        {
            text.extend(["{", name, "}"]);
            rest = behind;
        }
    }
    text.push_str(rest);
    text
}

fn package_recipes(command: &Command) -> Option<Recipes> {
    let text = in_folders(command, &["package.json"])?;
    let package: Value = serde_json::from_str(&text).ok()?;
    let scripts = package.get("scripts")?.as_object()?;
    let lines = scripts.values().filter_map(Value::as_str);
    // Programs of its packages are found first.
    let lines = lines.map(|it| format!("PATH=\"$PWD/{PACKAGE_PROGRAMS}:$PATH\"\n{it}"));
    Some(Recipes::Lines(lines.collect()))
}

fn in_folders(command: &Command, names: &[&str]) -> Option<String> {
    let mut folders = command.folders.iter().map(PathBuf::from);
    folders.find_map(|folder| {
        let mut names = names.iter();
        names.find_map(|name| reading::text_of(&folder.join(name)))
    })
}

/// Returns what a makefile may run, as shell text: the lines of all recipes, with the targets and
/// what they are made of in place of `$@` and `$<`; the commands in `$(shell …)`; and the files
/// that `$(file …)` writes.
pub(super) fn lines_of(makefile: &str) -> Vec<String> {
    let whole = makefile.replace("\\\n", " ");
    let mut lines = Vec::new();
    let mut rule = ("", "");
    for line in whole.lines() {
        let bare = line.trim_start().trim_start_matches(['@', '-', '+', '>']);
        lines.push(bare.to_owned());
        lines.extend(inside_calls(line, "$(shell ").map(str::to_owned));
        let written = inside_calls(line, "$(file ");
        lines.extend(written.filter_map(|it| Some(format!(": {}", it.split(',').next()?))));
        let recipe = match line.split_once(':') {
            Some((target, behind)) if !line.starts_with('\t') => {
                let (needed, recipe) = behind.split_once(';').unwrap_or((behind, ""));
                rule = (target, needed.trim_start_matches(':'));
                recipe
            }
            _ => bare,
        };
        if recipe.contains('$') {
            lines.push(with_names(recipe, rule.0, rule.1));
        }
    }
    lines
}

/// Returns the arguments of each call of a function of make.
fn inside_calls<'l>(line: &'l str, call: &'l str) -> impl Iterator<Item = &'l str> {
    let behind = line.split(call).skip(1);
    behind.map(|it| it.rsplit_once(')').map_or(it, |(inside, _)| inside))
}

/// Puts a target and what it is made of in place of the variables by which a recipe names them.
fn with_names(recipe: &str, target: &str, needed: &str) -> String {
    let needed = needed.replace("$(wildcard ", " ").replace(')', " ");
    let mut text = recipe.to_owned();
    for (sign, value) in [
        ('@', target),
        ('<', &*needed),
        ('^', &*needed),
        ('?', &*needed),
        ('+', &*needed),
    ] {
        for written in [
            format!("$({sign})"),
            format!("${{{sign}}}"),
            format!("${sign}"),
        ] {
            text = text.replace(&written, value.trim());
        }
    }
    text
}
