//! A lock between processes, held from reading a file until it is replaced.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::bounded::unwaiting_options;

/// How long to wait before the next attempt.
const PAUSE: Duration = Duration::from_millis(5);

/// Locks an open file, and waits for at most the given time.
///
/// # Errors
/// Another process held the lock for the whole time (`TimedOut`; the text names the file), or the
/// system doesn't support locks there.
pub fn lock_within(file: &File, path: &Path, longest: Duration) -> io::Result<()> {
    let deadline = Instant::now() + longest;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                let why = format!(
                    "another process holds the lock {}; try again when it has ended",
                    path.display()
                );
                return Err(io::Error::new(ErrorKind::TimedOut, why));
            }
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
        }
    }
}

/// Holds the lock until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    /// The lock ends with this.
    file: File,
    path: PathBuf,
}

/// Why there is no lock.
#[derive(Debug)]
pub(super) enum LockError {
    /// Another process holds it.
    Held,
    Io(io::Error),
}

impl Lock {
    /// Takes the lock of a file, which need not exist; waits for others at most so long.
    pub(super) fn take(target: &Path, longest: Duration) -> Result<Self, LockError> {
        let path = lock_file(target);
        let deadline = Instant::now() + longest;
        loop {
            let file = open(&path).map_err(LockError::Io)?;
            match file.try_lock() {
                // The previous owner may have removed the file that was just locked; then the next
                // process would lock another one.
                Ok(()) if is_current(&file, &path) => return Ok(Self { file, path }),
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
            }
            if Instant::now() >= deadline {
                return Err(LockError::Held);
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while locked, so that nobody else can hold the lock on the removed file. On
        // systems without file identities, it stays.
        if cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = unwaiting_options();
    options.create(true).truncate(false).write(true);
    match (options.open(path), path.parent()) {
        // Another process has created the folder, written nothing, and removed it again.
        (Err(error), Some(folder)) if error.kind() == ErrorKind::NotFound => {
            std::fs::create_dir_all(folder)?;
            options.open(path)
        }
        (opened, _) => opened,
    }
}

fn lock_file(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".lock");
    target.with_file_name(name)
}

#[cfg(unix)]
fn is_current(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(held), Ok(there)) => held.ino() == there.ino() && held.dev() == there.dev(),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_current(_: &File, _: &Path) -> bool {
    true
}
