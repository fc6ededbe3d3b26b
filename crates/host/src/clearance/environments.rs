//! Python environments that a command creates where hooks' programs would be found (TR-8).

use std::path::{Path, PathBuf};

use hookloop_shell::Command;

use super::commands::Place;

/// Programs and modules that create an environment in the given folders.
const MAKERS: [&str; 3] = ["venv", "virtualenv", "pyvenv"];

/// The default folder.
const USUAL: &str = ".venv";

/// The folder of its programs.
const PROGRAMS: [&str; 2] = ["bin", "Scripts"];

impl Place {
    /// Returns a program of a hook, or a place where one would be found first, that a new
    /// environment would fill.
    pub(super) fn environment_made(&self, command: &Command) -> Option<PathBuf> {
        let words: Vec<&str> = command.texts_after_program().collect();
        let program = command.program.as_str();
        let given = if MAKERS.contains(&program) {
            &words[..]
        } else if program.starts_with("python") || ["uv", "py", "pypy3"].contains(&program) {
            let at = words.iter().position(|it| MAKERS.contains(it))?;
            &words[at + 1..]
        } else {
            return None;
        };
        let named: Vec<&str> = given
            .iter()
            .copied()
            .filter(|it| !it.starts_with('-'))
            .collect();
        let named = if named.is_empty() { vec![USUAL] } else { named };
        let mut folders = command.folders.iter().map(Path::new).flat_map(|folder| {
            let made = named.iter().map(move |it| folder.join(it));
            made.flat_map(|it| PROGRAMS.map(|programs| it.join(programs)))
        });
        folders.find_map(|folder| {
            let below = self.protected.below(&folder);
            let is_of_python = |it: &&PathBuf| {
                let name = it
                    .file_name()
                    .and_then(|it| it.to_str())
                    .unwrap_or_default();
                name.starts_with("python") || name.starts_with("pip")
            };
            below.iter().find(is_of_python).cloned()
        })
    }
}
