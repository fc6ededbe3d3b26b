//! The extensions in the user's folder, including broken ones.

use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_text;
use hookloop_settings::{SettingsText, manifest_of};

use crate::failure::{Failure, FailureKind};
use crate::source::Source;
use crate::staging::{already_exists, extensions_folder};

/// An extension in the user's folder.
#[derive(Debug)]
pub struct Installed {
    /// The name in its manifest, else that of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Where it came from; `None` if it was put there by hand.
    pub source: Option<Source>,
}

impl Installed {
    /// Lists all extensions, sorted by folder.
    pub fn all(home: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(extensions_folder(home))
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

    /// Finds an extension by its name.
    pub fn find(home: &Path, name: &str) -> Result<Self, Failure> {
        let mut all = Self::all(home);
        if let Some(index) = all.iter().position(|it| it.name == name) {
            return Ok(all.swap_remove(index));
        }
        let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
        Err(unknown_failure(name, &names))
    }

    /// Checks that no extension has a name, whatever its folder is called.
    pub fn check_free(home: &Path, name: &str, place: &Path) -> Result<(), Failure> {
        let all = Self::all(home);
        let existing = all.iter().find(|it| it.name == name);
        match existing.map(|it| it.folder.as_path()) {
            Some(folder) => Err(already_exists(folder)),
            None if place.symlink_metadata().is_ok() => Err(already_exists(place)),
            None => Ok(()),
        }
    }

    /// Returns the folder from which it is used.
    pub fn content(&self) -> &Path {
        match &self.source {
            Some(Source::Link(target)) => target,
            _ => &self.folder,
        }
    }

    fn read(folder: PathBuf) -> Self {
        let source = Source::read_recorded(&folder);
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
    let text = read_text(&manifest_of(folder)).ok()?;
    let text = SettingsText::new(text.trim_start_matches('\u{FEFF}')).ok()?;
    Some(text.to_value().ok()?.get("name")?.as_str()?.to_owned())
}

/// Checks that one of these extensions has this name.
pub fn check_known(name: &str, names: &[&str]) -> Result<(), Failure> {
    if names.contains(&name) {
        Ok(())
    } else {
        Err(unknown_failure(name, names))
    }
}

fn unknown_failure(name: &str, names: &[&str]) -> Failure {
    let message = format!("no extension is named \"{name}\"");
    Failure::new(FailureKind::UnknownExtension, message).with_candidates(name, names)
}
