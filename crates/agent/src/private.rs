//! Files that only the user may read.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;
#[cfg(unix)]
use std::{
    fs::TryLockError,
    thread,
    time::{Duration, Instant},
};

use hookloop_settings::bounded::unwaiting_options;

/// Opens a file for reading and appending, and creates it with its folder if it doesn't exist. If
/// the system has permissions, only the user gets any; those of an existing file are restricted.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    let mut options = unwaiting_options();
    options.create(true).read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    restrict(path.parent(), &file)?;
    Ok(file)
}

/// How long a session that is just ending may still have its file.
#[cfg(unix)]
const ENDING: Duration = Duration::from_millis(500);
/// How often to try meanwhile.
#[cfg(unix)]
const INTERVAL: Duration = Duration::from_millis(20);

/// Claims a file for this process, as long as it is open. Where the system or the file system has
/// no such claims, it has no effect; Windows would keep hooks from reading the file.
#[cfg(unix)]
pub(crate) fn claim(file: &File) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < ENDING => thread::sleep(INTERVAL),
            Err(TryLockError::WouldBlock) => {
                let text = "this session is open elsewhere; end it there first, or begin a new one";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, text));
            }
        }
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same as elsewhere")]
pub(crate) const fn claim(_file: &File) -> io::Result<()> {
    Ok(())
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Restricts what others may do with what an earlier version created. A folder of somebody else
/// stays as it is: only the file is ours.
#[cfg(unix)]
fn restrict(folder: Option<&Path>, file: &File) -> io::Result<()> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let is_open = |mode: u32| mode & 0o077 != 0;
    if is_open(file.metadata()?.permissions().mode()) {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    if let Some(folder) = folder
        && is_open(folder.metadata()?.permissions().mode())
    {
        // Fails if the user doesn't own the folder.
        drop(std::fs::set_permissions(
            folder,
            Permissions::from_mode(0o700),
        ));
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// SE-10: what a session said is for the user's eyes, the folder and older files included.
    #[test]
    fn nobody_else_reads_a_transcript() {
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("project/sessions");
        let path = folder.join("a.jsonl");
        drop(super::open(&path).unwrap());
        assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));
        let older = folder.join("b.jsonl");
        fs::write(&older, "{}\n").unwrap();
        fs::set_permissions(&older, fs::Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        drop(super::open(&older).unwrap());
        assert_eq!((mode(&older), mode(&folder)), (0o600, 0o700));
        assert_eq!(fs::read_to_string(&older).unwrap(), "{}\n");
    }
}
