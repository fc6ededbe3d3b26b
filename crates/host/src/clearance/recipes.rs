//! Build files: shell text that a program reads from a file and runs line by line.

use std::path::PathBuf;

use hookloop_shell::{Command, Input, build_files, is_standard_input, recipe_of_line};
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
    match command.program.as_str() {
        "make" | "gmake" => make_recipes(command),
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
