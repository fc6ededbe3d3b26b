//! Scripts and tasks of a project that a command runs: the command does what their files say.

mod interpreted;
mod makefile;
mod packages;
mod python;
mod runners;
mod tasks;

use std::sync::LazyLock;

use hookloop_shell::{
    Command, Input, PathUse, Place, Surroundings, Understood, join, join_path, normalize_path,
    understand, usual_name,
};
use regex::Regex;

use super::{Effect, Places};

/// Longer texts are programs rather than scripts.
const MAX_LENGTH: usize = 32 * 1024;

/// The effects of a script that count: loading files of secrets and ending its own processes is
/// usual in every project.
const COUNTS: &[&str] = &[
    "branch.",
    "git.",
    "delete.root",
    "delete.outside",
    "delete.repository",
    "delete.code",
    "disk",
    "persist",
    "write.system",
    "database",
    "container",
    "cloud",
    "publish",
    "remote.shell",
    "run.downloaded",
    "tool.delete",
];

/// Options with which a custom script only shows what it would do.
const TRIES: &[&str] = &["--dry-run", "--help"];

/// Database clients, and the option that takes a query.
const CLIENTS: &[(&str, &str)] = &[
    ("psql", "-c"),
    ("mysql", "-e"),
    ("mariadb", "-e"),
    ("sqlite3", "-cmd"),
    ("mongosh", "--eval"),
    ("mongo", "--eval"),
    ("redis-cli", "--pipe"),
    ("sqlcmd", "-Q"),
    ("clickhouse-client", "-q"),
];

/// A script or task that a command runs.
pub(super) struct Script {
    pub(super) understood: Understood,
    text: String,
}

impl Script {
    /// Returns what is in its file.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Keeps only those of its effects that count. What can't be read, or has a computed name,
    /// counts if it may change a repository.
    pub(super) fn retain_significant(&self, effects: &mut Vec<Effect>) {
        for effect in effects.iter_mut() {
            let is_blind = effect.name == "unreadable" && changes_branches(&self.text)
                || effect.name == "run.unknown" && changes_branches(&effect.line);
            if is_blind {
                "run.unknown".clone_into(&mut effect.name);
                "git".clone_into(&mut effect.about);
            }
        }
        effects.retain(|it| {
            let counts = COUNTS.iter().any(|name| it.name.starts_with(name));
            counts || it.name == "run.unknown" && it.about == "git"
        });
    }
}

/// Returns whether a text may change branches: it names git, and a word that changes them.
fn changes_branches(text: &str) -> bool {
    static CHANGES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(\bgit\b|\$\{?git\b)[^\n;|&]*\b(push|commit|merge|reset|update-ref)\b")
            .ok()
    });
    CHANGES.as_ref().is_none_or(|it| it.is_match(text))
}

/// Returns the scripts and tasks that a command runs, understood; none if nobody can look. What the
/// text writes to files counts as there.
pub(super) fn run_by(command: &Command, places: &Places, left: &WrittenFiles) -> Vec<Script> {
    let is_known = places.repositories.is_some() || !left.written.is_empty();
    let has_text = matches!(command.input, Input::Text(_));
    if command.place != Place::Here || !is_known && !has_text {
        return Vec::new();
    }
    let folder = command.folders.first().unwrap_or(&places.workspace);
    let project = Project {
        folder: folder.clone(),
        places,
        left,
    };
    let found = project.texts(command);
    let understood = |it: ScriptText| Script {
        understood: it.understand(places),
        text: it.text,
    };
    found.into_iter().map(understood).collect()
}

/// Returns whether a command loads a file into the shell that it runs in.
pub(super) fn loads(command: &Command) -> bool {
    ["source", "."].contains(&command.program.as_str())
}

/// Returns what a command does if it calls a function of a file that was loaded before.
pub(super) fn function_script(
    command: &Command,
    places: &Places,
    loaded: &[String],
) -> Option<Script> {
    let name = command.program.as_str();
    let text = loaded.iter().rev().find(|it| defines(it, name))?;
    let found = ScriptText {
        text: format!("{text}\n{}", command.line()),
        folder: command.folders.first().unwrap_or(&places.workspace).clone(),
    };
    Some(Script {
        understood: found.understand(places),
        text: found.text,
    })
}

/// Returns whether a text defines a function of this name.
fn defines(text: &str, name: &str) -> bool {
    let is_name = |it: char| it.is_alphanumeric() || "_-.:".contains(it);
    !name.is_empty()
        && text.contains(name)
        && name.chars().all(is_name)
        && text.lines().any(|line| {
            let line = line.trim_start();
            let (line, by_word) = match line.strip_prefix("function ") {
                Some(rest) => (rest.trim_start(), true),
                None => (line, false),
            };
            let behind = line.strip_prefix(name).map(str::trim_start);
            behind.is_some_and(|it| it.starts_with("()") || by_word && !it.starts_with(is_name))
        })
}

/// The text of a script, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ScriptText {
    text: String,
    folder: String,
}

impl ScriptText {
    fn understand(&self, places: &Places) -> Understood {
        let absolute = |text: &&str| text.starts_with('/');
        understand(
            &self.text,
            Surroundings {
                folder: Some(self.folder.as_str()).filter(absolute),
                home: Some(places.home.as_str()).filter(absolute),
                repository: Some(places.workspace.as_str()).filter(absolute),
                ..Surroundings::default()
            },
        )
    }
}

/// What a text writes to files.
#[derive(Debug, Default)]
pub(super) struct WrittenFiles {
    /// What was written: absolute paths, and their content.
    pub(super) written: Vec<(String, String)>,
    /// Where files were copied to, and which.
    copied: Vec<(String, String)>,
}

impl WrittenFiles {
    /// Notes a file that a command copies.
    pub(super) fn note(&mut self, command: &Command) {
        let copies = ["cp", "mv", "ln", "install", "cat", "rsync"];
        if !copies.contains(&command.program.as_str()) {
            return;
        }
        let sources = match command.program.as_str() {
            "mv" => &command.deletes,
            _ => &command.reads,
        };
        let paths = |uses: &[PathUse]| -> Vec<String> {
            uses.iter()
                .flat_map(|it| it.paths.iter().map(|it| normalize_path(it)))
                .collect()
        };
        let targets = paths(&command.writes);
        for from in paths(sources) {
            let name = from.rsplit('/').next().unwrap_or("").to_owned();
            for to in &targets {
                self.copied
                    .push((format!("{}/{name}", to.trim_end_matches('/')), from.clone()));
                self.copied.push((to.clone(), from.clone()));
            }
        }
    }
}

/// Where a command runs, and what is there.
#[derive(Clone)]
struct Project<'p> {
    folder: String,
    places: &'p Places,
    left: &'p WrittenFiles,
}

impl Project<'_> {
    fn read(&self, name: &str) -> Option<String> {
        let mut path = normalize_path(&join_path(&self.folder, name));
        if let Some((_, from)) = self.left.copied.iter().rev().find(|(to, _)| *to == path) {
            path.clone_from(from);
        }
        let mut written = self.left.written.iter().rev();
        let text = match written.find(|(it, _)| *it == path) {
            Some((_, text)) => text.clone(),
            None => self.places.repositories.as_ref()?.text(&path)?,
        };
        (text.len() <= MAX_LENGTH && !text.contains('\0')).then_some(text)
    }

    /// Returns what `cat` prints.
    fn cat_output(&self, line: &str) -> Option<String> {
        let names = line.strip_prefix("cat ")?.split_whitespace();
        let texts: Vec<String> = names.filter_map(|it| self.read(it)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// The same below a folder.
    fn in_folder(&self, folder: &str) -> Self {
        Self {
            folder: join_path(&self.folder, folder),
            ..self.clone()
        }
    }

    fn non_empty(&self, text: String) -> Vec<ScriptText> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        vec![ScriptText {
            text,
            folder: self.folder.clone(),
        }]
    }

    fn texts(&self, command: &Command) -> Vec<ScriptText> {
        let words: Vec<&str> = command.texts_after_program().collect();
        let program = command.program.as_str();
        let tries = words.iter().any(|it| TRIES.contains(it));
        if tries || words == ["--version"] {
            return Vec::new();
        }
        let found = match usual_name(program) {
            _ if let Some(runs) = interpreted::interpreter(program) => {
                interpreted::text(self, runs, command, &words)
            }
            _ if let Some((name, option)) = CLIENTS.iter().find(|(name, _)| *name == program) => {
                let text = self.queries(command);
                text.map(|it| join([*name, *option, it.as_str()]))
            }
            "make" => makefile::recipes(self, &words, &command.input),
            "just" => tasks::justfile_text(self, &words),
            "task" | "go-task" => tasks::taskfile(self, &words),
            "mise" | "rtx" => tasks::mise(self, &words),
            "cargo" => tasks::cargo_make(self, &words),
            "poe" | "pdm" | "hatch" | "rye" | "pipenv" | "uv" | "poetry" => {
                python::task(self, program, &words)
            }
            _ if runners::is_runner(program) => runners::task(self, program, &words),
            _ if packages::is_manager(program) => return packages::texts(self, program, &words),
            _ if command.invoked.contains('/') => {
                interpreted::text_of_program(self, &command.invoked, &words)
            }
            _ => None,
        };
        found.map(|it| self.non_empty(it)).unwrap_or_default()
    }

    /// Returns what a client of a database reads from files.
    fn queries(&self, command: &Command) -> Option<String> {
        let endings = [".sql", ".js", ".redis", ".txt"];
        let words = command.texts_after_program();
        let words = words.map(|it| it.strip_prefix("--file=").unwrap_or(it));
        let file = match &command.input {
            Input::File(path) => Some(path.clone()),
            _ => None,
        };
        let named = words.filter(|it| endings.iter().any(|end| it.ends_with(end)));
        let named = named.map(str::to_owned).chain(file);
        let texts: Vec<String> = named.filter_map(|it| self.read(&it)).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

/// Returns the words from the first one that is neither an option nor the value of one.
fn after_options<'a, 'w>(words: &'a [&'w str], valued: &[&str]) -> &'a [&'w str] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if *word == "--" {
            at += 1;
            break;
        }
        if !word.starts_with('-') || *word == "-" {
            break;
        }
        at += if valued.contains(word) { 2 } else { 1 };
    }
    &words[at.min(words.len())..]
}

#[cfg(test)]
mod tests;
