//! Droid's files of hooks beside its settings: what they have for an event replaces what the
//! settings have, and Droid itself copies the settings' hooks there, including ours (BR-1, BR-2).

use std::path::{Path, PathBuf};

use hookloop_settings::SettingsText;

use super::{InstallScope, InstalledFile, NotInstalled, forms};
use crate::agent::Agent;

/// The files that Droid reads; the second one only if the first doesn't exist.
const READ: [&str; 2] = [".factory/hooks.json", ".factory/hooks/hooks.json"];

/// The name that Droid gives to the second one when it begins to use the first, and doesn't read
/// any more.
const ARCHIVED: &str = ".factory/hooks/hooks.migrated.json";

/// What turns such a file, which has the events at its top, into settings.
const AROUND: [&str; 2] = ["{\"hooks\":", "\n}"];

impl Agent {
    /// Returns the files beside the agent's settings; the first that exists replaces them, event by
    /// event. The arguments are the same as for [`Agent::files`].
    pub fn files_beside(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
    ) -> Vec<InstalledFile> {
        self.companion_files(scope, folder, moved, &READ)
    }

    /// Returns the files in which the agent itself may have put copies of our entries, whether it
    /// reads them or not. The arguments are the same as for [`Agent::files`].
    pub fn files_with_copies(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
    ) -> Vec<InstalledFile> {
        let mut files = self.files_beside(scope, folder, moved);
        files.extend(self.companion_files(scope, folder, moved, &[ARCHIVED]));
        files
    }

    fn companion_files(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
        names: &[&str],
    ) -> Vec<InstalledFile> {
        if self != Self::Droid {
            return Vec::new();
        }
        let path = |name: &&str| self.file_path(scope, folder, moved, name);
        let file = |path: PathBuf| InstalledFile {
            path,
            is_own: false,
            is_program: false,
        };
        names.iter().map(path).map(file).collect()
    }
}

/// Returns whether a file is one of those.
pub(super) fn is_one(agent: Agent, path: &Path) -> bool {
    let is_named = |name: &&str| path.file_name() == Path::new(name).file_name();
    agent == Agent::Droid && READ.iter().chain([&ARCHIVED]).any(is_named)
}

/// Adds our entries to each event that a file has.
pub(super) fn add(agent: Agent, before: &str, program: &Path) -> Result<String, NotInstalled> {
    let Some(mut text) = settings(before)? else {
        return Ok(before.to_owned());
    };
    let value = forms::fault(text.to_value())?;
    let mut wanted = forms::entries(agent, program);
    wanted.retain(|(event, _)| value["hooks"].get(event).is_some());
    forms::set_entries(agent, &mut text, wanted)?;
    Ok(inner(&text))
}

/// Removes our entries; nothing is left if there are no others.
pub(super) fn remove(agent: Agent, before: &str) -> Result<Option<String>, NotInstalled> {
    if !agent.is_installed_in(before) {
        return Ok(Some(before.to_owned()));
    }
    let Some(mut text) = settings(before)? else {
        return Ok(Some(before.to_owned()));
    };
    forms::drop_ours(&mut text)?;
    let left = forms::fault(text.to_value())?;
    let is_empty = left["hooks"]
        .as_object()
        .is_none_or(serde_json::Map::is_empty);
    Ok((!is_empty).then(|| inner(&text)))
}

/// Reads a file as settings; `None` if it is empty.
fn settings(text: &str) -> Result<Option<SettingsText>, NotInstalled> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let [before, after] = AROUND;
    // The position of an error in the file.
    let _: SettingsText = forms::read(text)?;
    forms::read(&format!("{before}{text}{after}")).map(Some)
}

/// Returns a file's own text.
fn inner(text: &SettingsText) -> String {
    let [before, after] = AROUND;
    let own = text.as_str().strip_prefix(before);
    let own = own.and_then(|it| it.strip_suffix(after));
    own.unwrap_or("{}\n").to_owned()
}
