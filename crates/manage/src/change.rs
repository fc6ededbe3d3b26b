//! Changes of settings, hooks or trust (CM-2).

use std::path::{Path, PathBuf};

use hookloop_hook::Source;
use hookloop_session::Workspace;
use hookloop_settings::{Changed, EditError, EditFault, Saved, SettingsFile};
use serde::Serialize;

use crate::view::texts;
use crate::warnings;

/// A change of settings, hooks or trust.
#[derive(Debug, Default)]
pub struct Change {
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// The affected hooks.
    pub labels: Vec<String>,
    /// What keeps hooks disabled anyway; only set by `enable`.
    pub still_disabled_by: Vec<Source>,
    /// Warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

impl Change {
    /// Adds warnings that apply to every hook of the folder (TR-5).
    pub fn warn_of_folder(&mut self, workspace: &Workspace) {
        self.warnings.extend(warnings::folder_warning(workspace));
    }
}

/// A change, as JSON.
#[derive(Debug, Serialize)]
pub struct ChangeView<'a> {
    changed: bool,
    files: Vec<String>,
    labels: &'a [String],
    still_disabled_by: &'a [Source],
}

impl<'a> ChangeView<'a> {
    /// Creates the view of a change.
    pub fn new(change: &'a Change) -> Self {
        Self {
            changed: !change.files.is_empty(),
            files: texts(&change.files),
            labels: &change.labels,
            still_disabled_by: &change.still_disabled_by,
        }
    }
}

/// Edits a settings file under its lock (ST-10), and writes it if it has changed.
pub(crate) fn edit(
    file: &Path,
    change: impl FnOnce(&mut SettingsFile) -> Result<Changed, EditFault>,
) -> Result<Saved, EditError> {
    let mut settings = SettingsFile::open_for_edit(file)?;
    let changed = change(&mut settings).map_err(|fault| settings.error(fault))?;
    if changed.is_yes() {
        settings.save()
    } else {
        Ok(Saved::Unchanged)
    }
}
