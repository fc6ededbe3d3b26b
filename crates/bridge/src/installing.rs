//! Edits an agent's settings so that it calls the bridge (BR-1, BR-22). Takes and returns texts.

mod companion_files;
mod forms;
mod further;
mod own_files;
mod remaining;
mod switches;
mod toml;
mod wrapper;

use std::path::{Path, PathBuf};

use crate::agent::Agent;
use crate::moment::Moment;
use crate::placing::{Form, Installing, Mover};

pub use further::FilePattern;
pub use toml::codex_switch;
pub use wrapper::command_for;

/// Which settings are edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// The person's.
    User,
    /// The project's.
    Project,
}

/// A file that makes an agent call the bridge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledFile {
    /// The file, absolute.
    pub path: PathBuf,
    /// Whether we own the whole file.
    pub is_own: bool,
    /// Whether the file is executable.
    pub is_program: bool,
}

/// An edit that is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotInstalled {
    /// What is wrong, as a sentence without its full stop.
    pub message: String,
}

impl NotInstalled {
    pub(crate) fn of(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl Agent {
    /// Returns the name of the agent's program.
    pub const fn program(self) -> &'static str {
        self.installing().program
    }

    /// Returns the events that are registered.
    pub const fn registered_events(self) -> &'static [&'static str] {
        self.installing().registered
    }

    /// Returns the versions that were tested and obey.
    pub const fn observed_versions(self) -> &'static [&'static str] {
        self.installing().observed
    }

    /// Returns whether a version is known to ignore all answers.
    pub fn obeys_nothing(self, version: &str) -> bool {
        self.installing().obeys_nothing.contains(&version)
    }

    /// Returns what the agent can't do, each as a sentence.
    pub const fn cannot(self) -> &'static [&'static str] {
        self.installing().cannot
    }

    /// Returns what stays off until the person does something, each as a sentence.
    pub const fn pending(self) -> &'static [&'static str] {
        self.installing().pending
    }

    /// Returns the environment variable that moves the agent's own folder, or the home folder in
    /// which the agent looks for it.
    pub const fn moved_by(self) -> Option<&'static str> {
        match self.installing().moved_by {
            Some(mover) => Some(mover.variable()),
            None => None,
        }
    }

    /// Returns the files that make the agent call the bridge, or `None` if it reads no files in a
    /// scope.
    pub fn files(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
    ) -> Vec<InstalledFile> {
        let installing = self.installing();
        let relative = match scope {
            InstallScope::User => Some(installing.user),
            InstallScope::Project => installing.project,
        };
        let Some(relative) = relative else {
            return Vec::new();
        };
        let base = self.file_path(scope, folder, moved, relative);
        let file = |path: PathBuf, is_own: bool, is_program: bool| InstalledFile {
            path,
            is_own,
            is_program,
        };
        match installing.form {
            Form::Groups { .. } | Form::Flat | Form::Toml => vec![file(base, false, false)],
            Form::CopilotFile | Form::Module => vec![file(base, true, false)],
            Form::GoosePlugin => vec![
                file(base.join("plugin.json"), true, false),
                file(base.join("hooks/hooks.json"), true, false),
            ],
            Form::Scripts => {
                let events = installing.registered.iter();
                events.map(|it| file(base.join(it), true, true)).collect()
            }
        }
    }

    /// Returns the new content of a file, so that the agent calls the bridge. `before` is its
    /// current content, or `None` if it doesn't exist. The rest of the file stays.
    ///
    /// # Errors
    /// The file isn't in the agent's format, or somebody else's file is instead of ours.
    pub fn install(
        self,
        file: &InstalledFile,
        before: Option<&str>,
        program: &Path,
    ) -> Result<String, NotInstalled> {
        if companion_files::is_one(self, &file.path) {
            return before.map_or_else(
                || Ok(String::new()),
                |it| companion_files::add(self, it, program),
            );
        }
        match self.installing().form {
            Form::Groups { .. } | Form::Flat => forms::add(self, before, program),
            Form::Toml => toml::add(self, before, program),
            Form::CopilotFile | Form::GoosePlugin | Form::Scripts | Form::Module => {
                let text = own_files::text(self, &file.path, program);
                let Some(before) = before.filter(|it| !it.trim().is_empty()) else {
                    return Ok(text);
                };
                if own_files::is_ours(self, &file.path, before) {
                    return Ok(text);
                }
                let command = text.lines().last().filter(|_| file.is_program);
                if command.is_some_and(|it| before.lines().any(|line| line.trim() == it)) {
                    // A script of the user's that calls the bridge as documented.
                    return Ok(before.to_owned());
                }
                let path = file.path.display();
                let instead = command.map_or_else(String::new, |command| {
                    format!(", or let it call `{command}` itself, on a line of its own")
                });
                let why = format!("{path} wasn't written by Hookloop; move it away{instead}");
                Err(NotInstalled::of(why))
            }
        }
    }

    /// Returns whether a file instead of ours is somebody else's and calls the bridge itself.
    pub fn is_called_by_own(self, file: &InstalledFile, text: &str) -> bool {
        file.is_own && self.is_installed_in(text) && !own_files::is_ours(self, &file.path, text)
    }

    /// Returns the content of a file without the bridge, or `None` if nothing is left.
    ///
    /// # Errors
    /// The file isn't in the agent's format.
    pub fn uninstall(
        self,
        file: &InstalledFile,
        before: &str,
    ) -> Result<Option<String>, NotInstalled> {
        if companion_files::is_one(self, &file.path) {
            return companion_files::remove(self, before);
        }
        match self.installing().form {
            Form::Groups { .. } | Form::Flat => forms::remove(before),
            Form::Toml => toml::remove(before),
            _ if file.is_own && own_files::is_ours(self, &file.path, before) => Ok(None),
            _ => Ok(Some(before.to_owned())),
        }
    }

    /// Returns the numbers, from 1, of the lines that call the bridge for this agent, or the
    /// program at `link` for any agent.
    pub fn calling_lines(self, text: &str, link: &Path) -> Vec<usize> {
        remaining::lines(self, text, &link.to_string_lossy())
    }

    /// Returns whether a file calls the bridge for this agent.
    pub fn is_installed_in(self, text: &str) -> bool {
        is_ours(text) && text.contains(self.word())
    }

    /// Returns whether the failure of an event's call is turned into a refusal.
    pub(crate) fn is_wrapped(self, event: &str) -> bool {
        self.installing().wrapped.contains(&event)
            && self.moment(event).is_some_and(Moment::refuses)
    }

    const fn installing(self) -> &'static Installing {
        &self.profile().installing
    }

    /// Returns where a file is, by its name in a home folder or a project; `moved` is where the
    /// agent is told to look.
    fn file_path(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
        relative: &str,
    ) -> PathBuf {
        let moved = moved.filter(|_| scope == InstallScope::User);
        match (self.installing().moved_by, moved) {
            (Some(Mover::Home(_)), Some(home)) => home.join(relative),
            (Some(Mover::Folder(_)), Some(own)) => {
                let rest = relative.split_once('/').map_or("", |(_, rest)| rest);
                own.join(rest)
            }
            _ => folder.join(relative),
        }
    }
}

/// Returns whether a text contains a call of the bridge.
fn is_ours(text: &str) -> bool {
    let calls = text.contains("hooks bridge ") || text.contains("\"hooks\", \"bridge\"");
    // The plugin's description file contains no call.
    calls || text.contains(own_files::DESCRIPTION)
}

#[cfg(test)]
mod tests;
