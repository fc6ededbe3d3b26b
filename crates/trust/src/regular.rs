//! Opens files that somebody else may have put there (TR-10).

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a regular file for reading. What is none (a pipe, a device, a folder) is an error and is
/// never waited for: opening a pipe that nobody writes to would hold the program up for ever.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let message = "it isn't a regular file";
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
