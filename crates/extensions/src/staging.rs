//! A folder in which an extension is assembled before it is installed atomically.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::failure::{Failure, FailureKind};

/// Returns the folder of the user's extensions (EX-1).
pub fn extensions_folder(home: &Path) -> PathBuf {
    home.join(".gemini").join("extensions")
}

/// A hidden folder beside the extensions, laid out like a home folder with one extension, so that a
/// staged extension is read like any other. Dropping the value deletes the folder.
#[derive(Debug)]
pub struct Staging {
    folder: TempDir,
    extensions: PathBuf,
}

impl Staging {
    /// Creates the folder for a new extension.
    pub fn create(home: &Path) -> Result<Self, Failure> {
        let extensions = extensions_folder(home);
        let make = || {
            std::fs::create_dir_all(&extensions)?;
            // On the same file system, so that a rename is enough in the end.
            let folder = tempfile::Builder::new()
                .prefix(".staging-")
                .tempdir_in(&extensions)?;
            std::fs::create_dir_all(folder.path().join(".gemini").join("extensions"))?;
            Ok(folder)
        };
        let folder = make().map_err(|error| not_writable(&extensions, &error))?;
        Ok(Self { folder, extensions })
    }

    /// Returns the folder that is read like a home folder.
    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder of the extension.
    pub fn extension(&self) -> PathBuf {
        self.home().join(".gemini").join("extensions").join("new")
    }

    /// Returns the folder for fetched files.
    pub fn fetch_folder(&self) -> PathBuf {
        self.home().join("fetched")
    }

    /// Returns the final folder of an extension.
    pub fn place_of(&self, name: &str) -> PathBuf {
        self.extensions.join(name)
    }

    /// Moves the extension to its final folder, which must not exist.
    pub fn install(&self, name: &str) -> Result<PathBuf, Failure> {
        let place = self.place_of(name);
        if place.symlink_metadata().is_ok() {
            return Err(already_exists(&place));
        }
        std::fs::rename(self.extension(), &place).map_err(|error| not_writable(&place, &error))?;
        Ok(place)
    }

    /// Replaces another extension, completely or not at all.
    pub fn replace(&self, place: &Path) -> Result<(), Failure> {
        let old = self.home().join("old");
        let failed = |error: io::Error| not_writable(place, &error);
        std::fs::rename(place, &old).map_err(failed)?;
        std::fs::rename(self.extension(), place).map_err(|error| {
            // If restoring the old one fails, nothing more can be done.
            drop(std::fs::rename(&old, place));
            failed(error)
        })
    }
}

/// Creates the failure for a folder that already exists.
pub fn already_exists(place: &Path) -> Failure {
    let message = format!("{} exists, and won't be overwritten", place.display());
    Failure::new(FailureKind::AlreadyExists, message)
}

/// Creates the failure for a folder that can't be written.
pub fn not_writable(place: &Path, error: &io::Error) -> Failure {
    let message = format!("{} can't be written: {error}", place.display());
    Failure::new(FailureKind::NotWritable, message)
}
