//! The extensions that stand in the user's folder, also broken ones.

use std::path::{Path, PathBuf};

use hookloop_session::{Environment, Workspace};
use hookloop_settings::SettingsText;

use super::source::{MANIFEST, Source};
use super::staging::{already_there, extensions_folder};
use crate::commands::CommandFailure;
use crate::commands::failure::FailureCode;
use crate::near_matches::near_matches;

/// An extension in the user's folder.
#[derive(Debug)]
pub(super) struct Installed {
    /// The name in its manifest, else that of its folder.
    pub(super) name: String,
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Where it came from; nothing if it was put there by hand.
    pub(super) source: Option<Source>,
}

impl Installed {
    /// Lists them by folder.
    pub(super) fn all(environment: &Environment) -> Vec<Self> {
        let entries = std::fs::read_dir(extensions_folder(environment))
            .into_iter()
            .flatten();
        let mut folders: Vec<PathBuf> = entries
            .flatten()
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect();
        folders.sort();
        folders.into_iter().map(Self::read).collect()
    }

    /// Finds one by its name.
    pub(super) fn find(environment: &Environment, name: &str) -> Result<Self, CommandFailure> {
        let mut all = Self::all(environment);
        if let Some(index) = all.iter().position(|it| it.name == name) {
            return Ok(all.swap_remove(index));
        }
        let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
        Err(unknown(name, &names))
    }

    /// Checks that a name is free: no extension has it, whatever its folder is called.
    pub(super) fn check_free(
        environment: &Environment,
        name: &str,
        place: &Path,
    ) -> Result<(), CommandFailure> {
        let all = Self::all(environment);
        let taken = all.iter().find(|it| it.name == name);
        match taken.map(|it| it.folder.as_path()) {
            Some(folder) => Err(already_there(folder)),
            None if place.symlink_metadata().is_ok() => Err(already_there(place)),
            None => Ok(()),
        }
    }

    /// Returns the folder that it is used from.
    pub(super) fn content(&self) -> &Path {
        match &self.source {
            Some(Source::Link(target)) => target,
            _ => &self.folder,
        }
    }

    fn read(folder: PathBuf) -> Self {
        let source = Source::remembered(&folder);
        let content = match &source {
            Some(Source::Link(target)) => target.as_path(),
            _ => &folder,
        };
        let name = name_in_manifest(content).unwrap_or_else(|| {
            let name = folder.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        });
        Self {
            name,
            folder,
            source,
        }
    }
}

fn name_in_manifest(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let text = SettingsText::new(text.trim_start_matches('\u{FEFF}')).ok()?;
    Some(text.to_value().ok()?.get("name")?.as_str()?.to_owned())
}

/// Checks that an extension of the workspace has this name.
pub(super) fn check_known(workspace: &Workspace, name: &str) -> Result<(), CommandFailure> {
    let extensions = workspace.settings.extensions.iter();
    let names: Vec<&str> = extensions.map(|it| &*it.origin.name).collect();
    if names.contains(&name) {
        Ok(())
    } else {
        Err(unknown(name, &names))
    }
}

fn unknown(name: &str, names: &[&str]) -> CommandFailure {
    let message = format!("no extension is named \"{name}\"");
    CommandFailure::new(FailureCode::UnknownExtension, message)
        .with_candidates(near_matches(name, names))
}
