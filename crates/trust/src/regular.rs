//! Opens files that somebody else may have put there (TR-10).

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// What is larger isn't a file of settings.
const MOST_BYTES: u64 = 64 << 20;

/// Returns a digest of what a file holds; nothing if it can't be read or is none.
pub fn digest_of(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = open_regular(path).ok()?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let mut text = String::new();
    for byte in Sha256::digest(&bytes) {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

/// Opens a regular file for reading. What is none (a pipe, a device, a folder) is an error and is
/// never waited for: opening a pipe that nobody writes to would hold the program up for ever.
pub fn open_regular(path: &Path) -> io::Result<File> {
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
