//! What was changed of settings, hooks or trust (CM-2).

use std::path::{Path, PathBuf};

use hookloop_hook::Source;
use hookloop_session::Workspace;
use hookloop_settings::{Changed, EditError, EditFault, Saved, SettingsFile};
use serde::Serialize;

use crate::view::texts;
use crate::warnings;

/// What was changed of settings, hooks or trust.
#[derive(Debug, Default)]
pub struct Change {
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// The hooks that it is about.
    pub labels: Vec<String>,
    /// What keeps hooks disabled all the same; said by `enable` alone.
    pub still_disabled_by: Vec<Source>,
    /// What a person should know besides, each in a sentence.
    pub warnings: Vec<String>,
}

impl Change {
    /// Adds what applies to every hook of the folder as it is now (TR-5).
    pub fn warn_of_folder(&mut self, workspace: &Workspace) {
        self.warnings.extend(warnings::of_folder(workspace));
    }
}

/// Shows what was changed.
#[derive(Debug, Serialize)]
pub struct ChangeView<'a> {
    changed: bool,
    files: Vec<String>,
    labels: &'a [String],
    still_disabled_by: &'a [Source],
}

impl<'a> ChangeView<'a> {
    /// Shows a change.
    pub fn new(change: &'a Change) -> Self {
        Self {
            changed: !change.files.is_empty(),
            files: texts(&change.files),
            labels: &change.labels,
            still_disabled_by: &change.still_disabled_by,
        }
    }
}

/// Edits a settings file under its lock (ST-10), and writes it if something is different then.
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
