//! Finds custom commands, and decides which of several with the same name counts (TU-5).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookloop_hook::{Enablement, ExtensionScope};
use toml::de::{DeTable, DeValue};

use crate::custom_commands::listing::{self, Links, Listing, MAX_COMMANDS, list};
use crate::custom_commands::template::Template;
use crate::custom_commands::{CustomCommand, Origin};
use crate::environment::Environment;
use crate::workspace::Workspace;

/// The names of the session's own commands: nothing replaces them.
pub(super) const RESERVED: [&str; 17] = [
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
    "restore",
    "editor",
    "last",
    "quit",
    "exit",
];

/// How many problems of one folder are reported one by one.
const MAX_REPORTED: usize = 20;

/// A folder of commands.
struct Folder {
    path: PathBuf,
    origin: Origin,
    links: Links,
}

/// Finds the commands; what is wrong with any of them is reported.
pub(super) fn find(
    environment: &Environment,
    workspace: &Workspace,
    tell: &mut dyn FnMut(String),
) -> BTreeMap<String, CustomCommand> {
    let mut found: BTreeMap<String, CustomCommand> = BTreeMap::new();
    for folder in folders(environment, workspace, tell) {
        let Listing { files, left_out } = list(&folder.path, &folder.links);
        let mut problems = left_out;
        for file in files {
            let command = name(&folder.path, &file).and_then(|name| {
                let (description, template) = read(&file, &folder.links)?;
                Ok(CustomCommand {
                    name,
                    description,
                    origin: folder.origin.clone(),
                    file: file.clone(),
                    template,
                })
            });
            match command {
                Ok(command) => problems.extend(add(&mut found, command)),
                Err(problem) => problems.push(format!("{problem}; this command is left out")),
            }
        }
        tell_problems(&folder.path, problems, tell);
    }
    found
}

/// Reports what is wrong in a folder: one by one, as long as there are few enough to read.
fn tell_problems(folder: &Path, mut problems: Vec<String>, tell: &mut dyn FnMut(String)) {
    let more = problems.len().saturating_sub(MAX_REPORTED);
    problems.truncate(MAX_REPORTED);
    problems.into_iter().for_each(&mut *tell);
    if more > 0 {
        tell(format!(
            "{}: {more} more problems of this kind",
            folder.display()
        ));
    }
}

/// Returns the folders that count, the least important first. A project's is reported if it
/// doesn't.
fn folders(
    environment: &Environment,
    workspace: &Workspace,
    tell: &mut dyn FnMut(String),
) -> Vec<Folder> {
    let own = environment.home.join(".gemini").join("commands");
    let of_project = workspace.project_root.join(".gemini").join("commands");
    let is_trusted = workspace.settings.workspace.is_trusted();
    let in_project = Links::Inside(workspace.project_root.clone());
    let mut folders = vec![Folder {
        path: own.clone(),
        origin: Origin::User,
        links: Links::Anywhere,
    }];
    if of_project != own && is_trusted {
        folders.push(Folder {
            path: of_project,
            origin: Origin::Project,
            links: in_project,
        });
    } else if of_project != own {
        let count = list(&of_project, &in_project).files.len();
        if count > 0 {
            let what = match count {
                1 => "1 command".to_owned(),
                MAX_COMMANDS => format!("{MAX_COMMANDS} commands or more"),
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
        links: Links::Inside(it.origin.path.clone()),
        origin: Origin::Extension(it.origin.name.to_string()),
    }));
    folders
}

/// Adds a command; returns which one it replaces, why it has another name, or why it isn't there.
fn add(found: &mut BTreeMap<String, CustomCommand>, mut command: CustomCommand) -> Option<String> {
    let file = command.file.display().to_string();
    let is_reserved = RESERVED.contains(&command.name.as_str());
    let is_taken = is_reserved || found.contains_key(&command.name);
    if let (Origin::Extension(extension), true) = (&command.origin, is_taken) {
        let name = format!("{extension}.{}", command.name);
        // An extension's command never replaces another one, whatever its name.
        if let Some(earlier) = found.get(&name) {
            return Some(format!(
                "{file}: there is already a command /{}, and /{name} is that of {}; this command \
                 is left out",
                command.name,
                earlier.file.display()
            ));
        }
        let text = format!(
            "{file}: there is already a command /{}; this one is /{name}",
            command.name
        );
        command.name.clone_from(&name);
        found.insert(name, command);
        return Some(text);
    }
    if is_reserved {
        return Some(format!(
            "{file}: /{} is a built-in command, which can't be replaced; rename the file",
            command.name
        ));
    }
    let name = command.name.clone();
    let earlier = found.insert(name.clone(), command)?;
    Some(format!(
        "{file}: /{name} replaces that of {}",
        earlier.file.display()
    ))
}

/// Returns the name of the command in a file: `git/commit.toml` is `git:commit`.
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
            "{}: the name of a command can't contain {odd:?}; rename the file",
            file.display()
        )),
    }
}

/// Reads a file: what the command does, and its prompt.
fn read(file: &Path, links: &Links) -> Result<(Option<String>, Template), String> {
    let text = listing::read(file, links)
        .map_err(|why| format!("{}: it can't be read: {why}", file.display()))?;
    let at = |offset: usize, what: &str| {
        let (line, column) = line_and_column(&text, offset);
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
                // After an escape, a byte's position in the file isn't known, so the start of the
                // prompt is used.
                let inside = text.get(offset..).and_then(|it| it.find(&**prompt));
                let start = offset + inside.unwrap_or_default();
                let parsed =
                    Template::parse(prompt).map_err(|it| at(start + it.offset, &it.what))?;
                template = Some(parsed);
            }
            ("description", DeValue::String(text)) => description = Some(text.to_string()),
            ("prompt" | "description", _) => {
                let what = format!("`{}` must be a string", key.get_ref());
                return Err(at(offset, &what));
            }
            (other, _) => {
                let what = format!(
                    "commands have no field `{other}`; their fields are prompt and description"
                );
                return Err(at(key.span().start, &what));
            }
        }
    }
    let template = template.ok_or_else(|| at(0, "`prompt` is missing"))?;
    Ok((description, template))
}

/// Returns line and column of a byte, from 1.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-5: a project's command takes the place of the user's; an extension's replaces nobody's,
    /// whatever its name, nor that of another extension. Each is reported.
    #[test]
    fn an_extension_takes_nobodys_name() {
        let command = |name: &str, origin: Origin, file: &str| CustomCommand {
            name: name.to_owned(),
            description: None,
            origin,
            file: PathBuf::from(file),
            template: Template::parse("x").expect("a prompt"),
        };
        let kit = || Origin::Extension("kit".to_owned());
        let mut found = BTreeMap::new();
        let mut adds = |command: CustomCommand| add(&mut found, command).unwrap_or_default();
        assert_eq!(adds(command("hi", Origin::User, "own")), "");
        assert_eq!(adds(command("kit.hi", Origin::User, "mine")), "");
        assert_eq!(adds(command("kit.help", Origin::User, "mine")), "");
        assert_eq!(adds(command("kit.new", kit(), "k")), "");
        for name in ["hi", "help", "kit.hi", "kit.new"] {
            let report = adds(command(name, kit(), "theirs"));
            assert!(report.contains("theirs"), "{name}: {report}");
        }
        assert!(adds(command("hi", Origin::Project, "project")).contains("replaces that"));
        let file = |name: &str| found[name].file.to_string_lossy().into_owned();
        assert_eq!(file("hi"), "project");
        assert_eq!(file("kit.hi"), "mine");
        assert_eq!(file("kit.help"), "mine");
        assert_eq!(file("kit.new"), "k");
        assert_eq!(file("kit.kit.new"), "theirs");
    }
}
