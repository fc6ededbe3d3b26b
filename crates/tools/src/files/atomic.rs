//! Writes files atomically (TO-1).

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use hookloop_settings::bounded::sync_folder;

use crate::{ErrorKind, ToolError};

/// Writes `content` to `place`, creating missing parent folders.
///
/// The new file replaces the old one in one step and keeps its permissions.
pub(crate) fn write(place: &Path, content: &[u8]) -> Result<(), ToolError> {
    write_through_neighbour(place, content).map_err(|error| {
        let kind = match error.kind() {
            io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            io::ErrorKind::IsADirectory => ErrorKind::TargetIsDirectory,
            _ => ErrorKind::WriteFailed,
        };
        ToolError::new(kind, format!("can't write {}: {error}", place.display()))
    })
}

fn write_through_neighbour(place: &Path, content: &[u8]) -> io::Result<()> {
    let existing = match place.metadata() {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return Err(io::Error::other("it isn't a regular file"));
        }
        // Replacing a file needs only the folder's permission, but write protection is respected.
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file is write-protected",
            ));
        }
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let folder = place
        .parent()
        .ok_or_else(|| io::Error::other("it has no folder"))?;
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hookloop-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The usual mode of a new file, to which the system applies the umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut neighbour = builder.tempfile_in(folder)?;
    neighbour.write_all(content)?;
    if let Some(permissions) = existing {
        neighbour.as_file().set_permissions(permissions)?;
    }
    neighbour.as_file().sync_all()?;
    neighbour.persist(place).map_err(|error| error.error)?;
    sync_folder(folder);
    Ok(())
}
