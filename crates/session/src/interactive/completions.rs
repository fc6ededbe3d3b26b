//! Completions for the input line (TU-1).

use std::collections::VecDeque;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use hookloop_tui::{Completions, CustomCommand, fuzzy_rank};

use crate::custom_commands::{CustomCommands, is_reserved};
use crate::environment::Environment;
use crate::mcp::Mcp;
use crate::workspace::Workspace;

/// How many files are offered at most.
const MAX_OFFERED: usize = 50;

/// How many files and folders are looked at while somebody types.
const MAX_EXAMINED: usize = 3000;

/// Folders that programs fill: files in them aren't meant.
const FILLED: [&str; 4] = ["node_modules", "target", "__pycache__", "vendor"];

/// Knows the names of hooks, and the files below the current folder.
pub(crate) struct SessionCompletions {
    folder: PathBuf,
    hook_names: Mutex<Vec<String>>,
    commands: Mutex<Vec<CustomCommand>>,
    servers: OnceLock<Mcp>,
}

impl SessionCompletions {
    pub(crate) fn new(environment: &Environment, workspace: &Workspace) -> Self {
        let completions = Self {
            folder: environment.current_dir.clone(),
            hook_names: Mutex::default(),
            commands: Mutex::default(),
            servers: OnceLock::new(),
        };
        completions.update(workspace);
        completions
    }

    /// Takes over the names of other hooks.
    pub(crate) fn update(&self, workspace: &Workspace) {
        let hooks = workspace.vouched.iter();
        let names = hooks.map(|it| it.hook.label().to_owned()).collect();
        *self.names() = names;
    }

    /// Takes over the commands that user, project and extensions wrote (TU-5).
    pub(crate) fn take_commands(&self, custom: &CustomCommands) {
        let commands = custom.all().map(|it| CustomCommand {
            name: it.name.clone(),
            note: it.note(),
            arguments: Vec::new(),
        });
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = commands.collect();
    }

    /// Takes over the servers whose prompts are commands (TO-3).
    pub(crate) fn take_servers(&self, servers: &Mcp) {
        // Set only once: a session has one set of servers.
        drop(self.servers.set(servers.clone()));
    }

    fn names(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        // A list is replaced as a whole, so a poisoned lock guards nothing broken.
        self.hook_names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Completions for SessionCompletions {
    fn hook_names(&self) -> Vec<String> {
        self.names().clone()
    }

    fn commands(&self) -> Vec<CustomCommand> {
        let commands = self.commands.lock();
        let mut commands = commands.unwrap_or_else(PoisonError::into_inner).clone();
        let is_taken = |name: &str| is_reserved(name) || commands.iter().any(|it| it.name == name);
        let prompts = self.servers.get().map(|it| it.commands(&is_taken));
        commands.extend(prompts.unwrap_or_default());
        commands
    }

    fn files(&self, beginning: &str) -> Vec<String> {
        files_like(&self.folder, beginning)
    }
}

/// Lists what the beginning of a path may mean: what is in its folder, then what is further below.
/// Only the nearest part of a large tree is looked at, since somebody is typing.
fn files_like(root: &Path, beginning: &str) -> Vec<String> {
    let (folder, name) = beginning
        .rsplit_once('/')
        .map_or(("", beginning), |(folder, name)| (folder, name));
    // Keeps an absolute path absolute.
    let prefix = &beginning[..beginning.len() - name.len()];
    let inside = if prefix == "/" { "/" } else { folder };
    let mut found = Vec::new();
    let (mut folders, mut looked_at) = (VecDeque::from([(root.join(inside), String::new())]), 0);
    while let Some((place, above)) = folders.pop_front() {
        let Ok(entries) = std::fs::read_dir(place) else {
            continue;
        };
        for entry in entries.flatten().take(MAX_EXAMINED - looked_at) {
            looked_at += 1;
            let Some(file) = shown_name(&entry, name) else {
                continue;
            };
            // A link counts as a file, because it may lead to a folder above.
            let goes_on = entry.file_type().is_ok_and(|it| it.is_dir());
            let path = format!("{above}{file}");
            if let Some(rank) = fuzzy_rank(&file, name) {
                let end = if entry.path().is_dir() { "/" } else { "" };
                found.push((!above.is_empty(), rank, format!("{prefix}{path}{end}")));
            }
            if goes_on && !name.is_empty() && !FILLED.contains(&file.as_str()) {
                folders.push_back((entry.path(), format!("{path}/")));
            }
        }
        if looked_at >= MAX_EXAMINED {
            break;
        }
    }
    found.sort_unstable();
    found.truncate(MAX_OFFERED);
    found.into_iter().map(|(_, _, file)| file).collect()
}

/// Returns the name of an entry that may be offered. Hidden ones are offered only after a dot.
fn shown_name(entry: &DirEntry, name: &str) -> Option<String> {
    let file = entry.file_name().into_string().ok()?;
    let is_hidden = file.starts_with('.') != name.starts_with('.');
    // A name that contains a line end or a tab can't be typed in a prompt.
    let is_odd = file.contains(|it: char| it.is_whitespace() && it != ' ');
    (!is_hidden && !is_odd).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-1: files of a folder are offered, hidden ones only after a dot.
    #[test]
    fn files_of_a_folder_are_offered() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        for file in ["README.md", ".hidden", "src/main.rs", "src/a b"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let files = |beginning| files_like(folder.path(), beginning);
        assert_eq!(files(""), ["README.md", "src/"]);
        assert_eq!(files("."), [".hidden"]);
        assert_eq!(files("src/"), ["src/a b", "src/main.rs"]);
        assert_eq!(files("src/mrs"), ["src/main.rs"]);
        assert_eq!(files("main"), ["src/main.rs"]);
        std::fs::create_dir(folder.path().join("target")).unwrap();
        std::fs::write(folder.path().join("target/main.o"), "").unwrap();
        assert_eq!(files("main"), ["src/main.rs"]);
        assert!(files("nowhere/x").is_empty());
    }
}
