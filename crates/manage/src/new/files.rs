//! Creates files that don't exist yet: all of them, or none.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use hookloop_settings::bounded::unwaiting_options;

use crate::failure::{CommandFailure, FailureCode};

/// The purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Data.
    Data,
    /// An executable.
    Program,
}

/// The files that were created.
#[derive(Debug, Default)]
pub(crate) struct CreatedFiles(Vec<PathBuf>);

impl CreatedFiles {
    /// Deletes the files again, because the operation failed.
    pub(crate) fn take_back(self) {
        for file in self.0 {
            // If even this fails, nothing more can be done.
            drop(std::fs::remove_file(file));
        }
    }
}

/// Creates files with their folders; an existing one is never overwritten.
pub(crate) fn create_all(
    files: &[(&PathBuf, String, Mode)],
) -> Result<CreatedFiles, CommandFailure> {
    let mut created = CreatedFiles::default();
    for (path, text, mode) in files {
        match create(path, text, *mode) {
            Ok(()) => created.0.push((*path).clone()),
            Err(failure) => {
                created.take_back();
                return Err(failure);
            }
        }
    }
    Ok(created)
}

fn create(path: &Path, text: &str, mode: Mode) -> Result<(), CommandFailure> {
    let failed = |error: &std::io::Error| {
        let shown = path.display();
        match error.kind() {
            ErrorKind::AlreadyExists => CommandFailure::new(
                FailureCode::AlreadyExists,
                format!("{shown} exists, and won't be overwritten"),
            ),
            _ => CommandFailure::new(
                FailureCode::NotWritable,
                format!("{shown} can't be written: {error}"),
            ),
        }
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let mut options = unwaiting_options();
    options.write(true).create_new(true);
    let mut file = options.open(path).map_err(|error| failed(&error))?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| make_startable(&file, mode));
    written.map_err(|error| {
        drop(std::fs::remove_file(path));
        failed(&error)
    })
}

#[cfg(unix)]
fn make_startable(file: &std::fs::File, mode: Mode) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = file.metadata()?.permissions();
    if mode == Mode::Program {
        // Everyone who may read it may also run it.
        let bits = permissions.mode();
        permissions.set_mode(bits | ((bits & 0o444) >> 2));
        file.set_permissions(permissions)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_startable(_: &std::fs::File, _: Mode) -> std::io::Result<()> {
    Ok(())
}
