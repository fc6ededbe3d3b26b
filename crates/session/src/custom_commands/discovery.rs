//! Where commands come from, and which of those of one name counts (TU-5).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookloop_hook::{Enablement, ExtensionScope};
use toml::de::{DeTable, DeValue};

use crate::custom_commands::template::Template;
use crate::custom_commands::{CustomCommand, Origin};
use crate::environment::Environment;
use crate::workspace::Workspace;

/// The names of the session's own commands: nobody else's takes their place.
pub(super) const RESERVED: [&str; 16] = [
    "help",
    "clear",
    "compress",
    "hooks",
    "tools",
    "stats",
    "model",
    "mcp",
    "extensions",
    "memory",
    "resume",
    "rewind",
    "editor",
    "last",
    "quit",
    "exit",
];

/// How deep folders of commands are gone into.
const DEEPEST: usize = 6;
/// How many files of a folder are read.
const MOST: usize = 500;

/// A folder of commands.
struct Folder {
    path: PathBuf,
    origin: Origin,
}

/// Finds the commands; what is wrong with any of them is told.
pub(super) fn find(
    environment: &Environment,
    workspace: &Workspace,
    tell: &mut dyn FnMut(String),
) -> BTreeMap<String, CustomCommand> {
    let mut found: BTreeMap<String, CustomCommand> = BTreeMap::new();
    for folder in folders(environment, workspace, tell) {
        for file in files(&folder.path, tell) {
            let command = name(&folder.path, &file).and_then(|name| {
                let (description, template) = read(&file)?;
                Ok(CustomCommand {
                    name,
                    description,
                    origin: folder.origin.clone(),
                    file: file.clone(),
                    template,
                })
            });
            match command {
                Ok(command) => add(&mut found, command, tell),
                Err(problem) => tell(format!("{problem}; this command is left out")),
            }
        }
    }
    found
}

/// Returns the folders that count, the least important first. A project's is told where it doesn't.
fn folders(
    environment: &Environment,
    workspace: &Workspace,
    tell: &mut dyn FnMut(String),
) -> Vec<Folder> {
    let own = environment.home.join(".gemini").join("commands");
    let of_project = workspace.project_root.join(".gemini").join("commands");
    let is_trusted = workspace.settings.workspace.is_trusted();
    let mut folders = vec![Folder {
        path: own.clone(),
        origin: Origin::User,
    }];
    if of_project != own && is_trusted {
        folders.push(Folder {
            path: of_project,
            origin: Origin::Project,
        });
    } else if of_project != own {
        let count = files(&of_project, &mut |_| {}).len();
        if count > 0 {
            let what = match count {
                1 => "1 command".to_owned(),
                count => format!("{count} commands"),
            };
            tell(format!(
                "{}: {what} of the project left out, because the folder isn't trusted: mark it \
                 TRUST_FOLDER in ~/.gemini/trustedFolders.json, or start with --skip-trust",
                of_project.display()
            ));
        }
    }
    let extensions = workspace.settings.extensions.iter().filter(|it| {
        let origin = &it.origin;
        let counts = origin.scope == ExtensionScope::User || is_trusted;
        origin.enablement == Enablement::Enabled && counts
    });
    folders.extend(extensions.map(|it| Folder {
        path: it.origin.path.join("commands"),
        origin: Origin::Extension(it.origin.name.to_string()),
    }));
    folders
}

/// Adds a command; whose place it takes, or why it is called otherwise, is told.
fn add(
    found: &mut BTreeMap<String, CustomCommand>,
    mut command: CustomCommand,
    tell: &mut dyn FnMut(String),
) {
    let file = command.file.display().to_string();
    let is_reserved = RESERVED.contains(&command.name.as_str());
    let is_taken = is_reserved || found.contains_key(&command.name);
    if let (Origin::Extension(extension), true) = (&command.origin, is_taken) {
        let name = format!("{extension}.{}", command.name);
        tell(format!(
            "{file}: there is a command /{} already; this one is /{name}",
            command.name
        ));
        command.name = name;
    } else if is_reserved {
        tell(format!(
            "{file}: /{} is a command of the session, and nothing takes its place; rename the file",
            command.name
        ));
        return;
    }
    if let Some(earlier) = found.get(&command.name) {
        tell(format!(
            "{file}: /{} takes the place of that of {}",
            command.name,
            earlier.file.display()
        ));
    }
    found.insert(command.name.clone(), command);
}

/// Lists the files of a folder and those below it, in the order of their names.
fn files(folder: &Path, tell: &mut dyn FnMut(String)) -> Vec<PathBuf> {
    let mut found = Vec::new();
    list(folder, DEEPEST, &mut found, tell);
    if found.len() > MOST {
        tell(format!(
            "{}: there are {} commands, and the first {MOST} count",
            folder.display(),
            found.len()
        ));
        found.truncate(MOST);
    }
    found
}

fn list(folder: &Path, depth: usize, found: &mut Vec<PathBuf>, tell: &mut dyn FnMut(String)) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => {
            tell(format!(
                "{}: its commands can't be read: {error}",
                folder.display()
            ));
            return;
        }
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|it| it.path()).collect();
    paths.sort();
    for path in paths {
        let is_toml = path.extension().is_some_and(|it| it == "toml");
        if path.is_dir() && depth > 0 {
            list(&path, depth - 1, found, tell);
        } else if path.is_dir() {
            tell(format!(
                "{}: commands are looked for {DEEPEST} folders deep, and not here",
                path.display()
            ));
        } else if is_toml {
            found.push(path);
        }
    }
}

/// Returns the name of the command that a file holds: `git/commit.toml` is `git:commit`.
fn name(folder: &Path, file: &Path) -> Result<String, String> {
    let inside = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let parts: Vec<String> = inside
        .iter()
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    let name = parts.join(":");
    let is_plain = |it: char| it.is_alphanumeric() || "-_:.".contains(it);
    match name.chars().find(|it| !is_plain(*it)) {
        None => Ok(name),
        Some(odd) => Err(format!(
            "{}: the name of a command can't hold {odd:?}; rename the file",
            file.display()
        )),
    }
}

/// Reads a file: what the command does, and its prompt.
fn read(file: &Path) -> Result<(Option<String>, Template), String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("{}: it can't be read: {error}", file.display()))?;
    let at = |offset: usize, what: &str| {
        let (line, column) = place(&text, offset);
        format!("{}:{line}:{column}: {what}", file.display())
    };
    let table = DeTable::parse(&text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        at(offset, &format!("it isn't TOML: {}", error.message()))
    })?;
    let mut description = None;
    let mut template = None;
    for (key, value) in table.get_ref() {
        let offset = value.span().start;
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("prompt", DeValue::String(prompt)) => {
                // Where in the text a byte of the prompt stands isn't known behind escapes.
                let parsed =
                    Template::parse(prompt).map_err(|it| at(offset + it.offset, &it.what))?;
                template = Some(parsed);
            }
            ("description", DeValue::String(text)) => description = Some(text.to_string()),
            ("prompt" | "description", _) => {
                let what = format!("`{}` must be a string", key.get_ref());
                return Err(at(offset, &what));
            }
            (other, _) => {
                let what = format!(
                    "there is no field `{other}` of commands; there are prompt and description"
                );
                return Err(at(key.span().start, &what));
            }
        }
    }
    let template = template.ok_or_else(|| at(0, "`prompt` is missing"))?;
    Ok((description, template))
}

/// Returns line and column of a byte, from 1.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
