//! What a rewind replaces, kept where it can be found again.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::checkpoints::Checkpoints;

/// A folder for the files that a rewind overwrites or removes; it is created with the first of
/// them.
pub(crate) struct Replaced {
    checkpoints: Checkpoints,
    folder: Option<PathBuf>,
}

impl Replaced {
    pub(super) const fn new(checkpoints: Checkpoints) -> Self {
        Self {
            checkpoints,
            folder: None,
        }
    }

    /// Returns the folder, if anything is in it.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Keeps a copy of a file below its own path, if there is one.
    ///
    /// # Errors
    /// No copy can be made, so the file has to stay.
    pub(super) fn keep(&mut self, path: &Path) -> io::Result<()> {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(io::Error::other("it is now something other than a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => self.checkpoints.state().log.folder_for_replaced()?,
        };
        let names = path.components().filter_map(|it| match it {
            Component::Normal(name) => Some(name),
            _ => None,
        });
        let copy = folder.join(names.collect::<PathBuf>());
        if let Some(above) = copy.parent() {
            std::fs::create_dir_all(above)?;
        }
        std::fs::copy(path, &copy)?;
        self.folder = Some(folder);
        Ok(())
    }
}
