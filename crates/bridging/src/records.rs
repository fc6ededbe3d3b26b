//! Records what `bridge install` did, so that `uninstall` reverts exactly that: one record for each
//! agent and scope in the private state folder, with the previous content of the files (BR-1,
//! BR-2).

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookloop_bridge::{Agent, InstallScope};
use hookloop_host::{folder_name, make_private_folder};
use hookloop_settings::bounded::read_file;
use serde::{Deserialize, Serialize};

use crate::files;

/// The file that names the folders made for the link.
const LINK_FOLDERS: &str = "link-folders.json";

/// The file whose time is that of the last call since the bridge was installed.
pub(crate) const LAST_CALL_FILE: &str = "called";

/// The file whose time is that of the last call before that.
pub(crate) const CALLED_BEFORE: &str = "called-before";

/// What was done for an agent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The files, in the order in which they were written.
    pub(crate) files: Vec<RecordedFile>,
    /// The folders that were created, the innermost first.
    pub(crate) folders: Vec<PathBuf>,
    /// When, in seconds since 1970.
    pub(crate) at: u64,
}

/// A file, before and after.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RecordedFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its content; `None` if it didn't exist.
    pub(crate) before: Option<String>,
    /// Its content afterwards.
    pub(crate) after: String,
}

impl Record {
    /// Returns the record's place.
    fn record_path(state: &Path, agent: Agent, scope: InstallScope, project: &Path) -> PathBuf {
        let folder = state.join("bridge").join("installed");
        folder.join(file_name(agent, scope, project))
    }

    /// Reads what was done; `None` if nothing was, or it is no longer known.
    pub(crate) fn read(
        state: &Path,
        agent: Agent,
        scope: InstallScope,
        project: &Path,
    ) -> Option<Self> {
        let bytes = read_file(&Self::record_path(state, agent, scope, project)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes what was done.
    pub(crate) fn write(
        &self,
        state: &Path,
        agent: Agent,
        scope: InstallScope,
        project: &Path,
    ) -> io::Result<()> {
        let place = Self::record_path(state, agent, scope, project);
        make_private_folder(place.parent().unwrap_or(state))?;
        files::write(&place, &serde_json::to_string(self)?, false)?;
        calls_are_past(state, agent)
    }

    /// Removes the record, and returns where the bridge still is.
    pub(crate) fn forget(
        state: &Path,
        agent: Agent,
        scope: InstallScope,
        project: &Path,
    ) -> io::Result<Remaining> {
        let place = Self::record_path(state, agent, scope, project);
        match std::fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let folder = state.join("bridge").join("installed");
        let left = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names: Vec<_> = left.map(|it| it.file_name()).collect();
        let begin = format!("{}-", agent.word());
        let is_of_agent = |name: &OsString| name.to_string_lossy().starts_with(&begin);
        Ok(if names.is_empty() {
            Remaining::Nowhere
        } else if names.iter().any(is_of_agent) {
            Remaining::InAgent
        } else {
            Remaining::InOthers
        })
    }

    /// Returns what was recorded about a file.
    pub(crate) fn of(&self, path: &Path) -> Option<&RecordedFile> {
        self.files.iter().find(|it| it.path == path)
    }
}

/// Where the bridge still is after it was removed from an agent's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remaining {
    /// In other settings of this agent.
    InAgent,
    /// Only in other agents.
    InOthers,
    /// In none.
    Nowhere,
}

fn file_name(agent: Agent, scope: InstallScope, project: &Path) -> String {
    let scope = match scope {
        InstallScope::User => "user".to_owned(),
        InstallScope::Project => format!("project-{}", folder_name(project)),
    };
    format!("{}-{scope}.json", agent.word())
}

/// Records whether a person removed the bridge: if nobody did, and a file doesn't contain it,
/// somebody else changed the file (BR-24).
pub(crate) fn note_taken_out(
    state: &Path,
    agent: Agent,
    scope: InstallScope,
    project: &Path,
    is_out: RemovedByPerson,
) -> io::Result<()> {
    let place = removed_path(state, agent, scope, project);
    if is_out == RemovedByPerson::Yes {
        make_private_folder(place.parent().unwrap_or(state))?;
        return files::write(&place, "{}", false);
    }
    match std::fs::remove_file(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a person removed the bridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemovedByPerson {
    /// It was removed.
    Yes,
    /// It is installed.
    No,
}

/// Returns whether a person removed the bridge.
pub(crate) fn is_removed_by_person(
    state: &Path,
    agent: Agent,
    scope: InstallScope,
    project: &Path,
) -> bool {
    removed_path(state, agent, scope, project).is_file()
}

fn removed_path(state: &Path, agent: Agent, scope: InstallScope, project: &Path) -> PathBuf {
    let folder = state.join("bridge").join("taken-out");
    folder.join(file_name(agent, scope, project))
}

/// Removes what is only needed while an agent calls the bridge, once none does. Anyone waiting for
/// the lock notices that it is gone. That a person removed it stays known to running sessions
/// (BR-24).
pub(crate) fn forget_all(state: &Path) {
    let folder = state.join("bridge");
    let _ = std::fs::remove_dir(folder.join("installed"));
    files::remove_lock(state);
    let _ = std::fs::remove_dir(folder);
}

/// Stores a file's text that has to be replaced and is in no record.
pub(crate) fn back_up(state: &Path, path: &Path, text: &str) -> io::Result<PathBuf> {
    let folder = state.join("bridge").join("backups");
    make_private_folder(&folder)?;
    let name = folder_name(path);
    let free = (0_u32..).map(|number| folder.join(format!("{name}.{number}")));
    let mut free = free.filter(|it| it.symlink_metadata().is_err());
    let place = free.next().unwrap_or_else(|| folder.join(name));
    files::write(&place, text, false)?;
    Ok(place)
}

/// Records which folders were created for the link that agents are given.
pub(crate) fn note_link_folders(state: &Path, made: &[PathBuf]) -> io::Result<()> {
    if made.is_empty() {
        return Ok(());
    }
    let folder = state.join("bridge");
    make_private_folder(&folder)?;
    files::write(
        &folder.join(LINK_FOLDERS),
        &serde_json::to_string(made)?,
        false,
    )
}

/// Returns the folders that were created for the link, and removes the record.
pub(crate) fn take_link_folders(state: &Path) -> Vec<PathBuf> {
    let place = state.join("bridge").join(LINK_FOLDERS);
    let bytes = read_file(&place).unwrap_or_default();
    // Only empty folders are lost with it.
    let _ = std::fs::remove_file(&place);
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Returns the seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |it| it.as_secs())
}

/// Returns whether an agent has called since the bridge was installed last.
pub(crate) fn has_called(state: &Path, agent: Agent) -> bool {
    agent_folder(state, agent).join(LAST_CALL_FILE).exists()
}

/// Records that the bridge was installed: the calls recorded so far were before. No clock is
/// precise enough for this.
fn calls_are_past(state: &Path, agent: Agent) -> io::Result<()> {
    let folder = agent_folder(state, agent);
    match std::fs::rename(folder.join(LAST_CALL_FILE), folder.join(CALLED_BEFORE)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the folder for what is remembered about an agent.
pub(crate) fn agent_folder(state: &Path, agent: Agent) -> PathBuf {
    state.join("bridge").join(agent.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-3: a call before the bridge was installed doesn't count as one since, however close they
    /// are.
    #[test]
    fn calls_before_the_installation_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let of_agent = agent_folder(folder.path(), Agent::Codex);
        std::fs::create_dir_all(&of_agent).unwrap();
        calls_are_past(folder.path(), Agent::Codex).unwrap();
        std::fs::write(of_agent.join(LAST_CALL_FILE), "").unwrap();
        assert!(has_called(folder.path(), Agent::Codex));
        calls_are_past(folder.path(), Agent::Codex).unwrap();
        assert!(!has_called(folder.path(), Agent::Codex));
        assert!(of_agent.join(CALLED_BEFORE).exists());
    }
}
