//! A settings file that is open for editing: locked, and replaced as a whole (ST-10).

use std::fs::{File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{EditError, EditFault};
use super::leftovers;
use super::lock::{Lock, LockError};
use super::text::SettingsText;
use crate::bounded::{sync_folder, unwaiting_options};
use crate::read_file::read_bytes;
use hookloop_hook::Position;
use tempfile::NamedTempFile;

/// How long to wait for another process that edits the same file.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Most links that lead from one to the next.
const MAX_LINKS: usize = 40;

const MARK: &str = "\u{FEFF}";

/// The result of saving a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// It was replaced.
    Written,
    /// It already had the requested content, and wasn't written.
    Unchanged,
}

/// A settings file, locked from reading it to saving it (ST-10). It is edited like
/// [`SettingsText`]; nothing is written before [`SettingsFile::save`].
#[derive(Debug)]
pub struct SettingsFile {
    /// The file as it was named.
    path: PathBuf,
    /// The file itself, with all links followed.
    target: PathBuf,
    text: SettingsText,
    /// What was read; nothing if there was no file.
    before: Option<Vec<u8>>,
    mark: &'static str,
    // Fields are dropped in this order: the folder must be removed after the lock file in it.
    _lock: Lock,
    _made: MadeFolders,
}

impl SettingsFile {
    /// Opens a settings file, which need not exist. Waits while another process edits it, and locks
    /// it until this value is dropped or saved. Links are followed.
    ///
    /// # Errors
    /// The folder or file can't be written or read, the file isn't JSON, or the lock couldn't be
    /// acquired in time.
    pub fn open_for_edit(path: &Path) -> Result<Self, EditError> {
        Self::open_within(path, MAX_WAIT)
    }

    /// Opens a file in the same way, and waits for at most the given time.
    ///
    /// # Errors
    /// The same as for [`SettingsFile::open_for_edit`].
    pub fn open_within(path: &Path, longest: Duration) -> Result<Self, EditError> {
        let not_writable = |error: &io::Error| EditError::NotWritable {
            file: path.to_path_buf(),
            reason: error.to_string(),
        };
        let target = follow_links(path).map_err(|error| not_writable(&error))?;
        let made = MadeFolders::make(target.parent()).map_err(|error| not_writable(&error))?;
        let lock = Lock::take(&target, longest).map_err(|error| match error {
            LockError::Held => EditError::Locked {
                file: path.to_path_buf(),
            },
            LockError::Io(error) => not_writable(&error),
        })?;
        let before = read_bytes(&target).map_err(|reason| EditError::Unreadable {
            file: path.to_path_buf(),
            reason,
        })?;
        if before.is_some() {
            check_writable(&target).map_err(|error| not_writable(&error))?;
        }
        let invalid = |fault| EditError::InvalidSettings {
            file: path.to_path_buf(),
            fault,
        };
        let text = decode(before.as_deref().unwrap_or_default()).map_err(invalid)?;
        let (mark, text) = match text.strip_prefix(MARK) {
            Some(rest) => (MARK, rest),
            None => ("", text),
        };
        let text = SettingsText::new(text).map_err(invalid)?;
        Ok(Self {
            path: path.to_path_buf(),
            target,
            text,
            before,
            mark,
            _lock: lock,
            _made: made,
        })
    }

    /// Returns the path, as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Converts a fault of an edit to an error about this file.
    pub fn error(&self, fault: EditFault) -> EditError {
        EditError::InvalidSettings {
            file: self.path.clone(),
            fault,
        }
    }

    /// Replaces the file if an edit changed it, atomically even if the machine stops.
    ///
    /// # Errors
    /// The folder can't be written, or a program that ignores the lock has changed the file in the
    /// meantime. The file is left as it is.
    pub fn save(self) -> Result<Saved, EditError> {
        let content = format!("{}{}", self.mark, self.text.as_str());
        let changed = match &self.before {
            Some(before) => content.as_bytes() != before,
            // The edit would create the file.
            None => !is_untouched(&self.text),
        };
        if !changed {
            return Ok(Saved::Unchanged);
        }
        let not_writable = |error: io::Error| EditError::NotWritable {
            file: self.path.clone(),
            reason: error.to_string(),
        };
        let written = write_beside(&self.target, content.as_bytes()).map_err(not_writable)?;
        // Another program that ignores the lock, such as an editor, may have written the file, and
        // its changes would be lost. Checked last, because it may write until everything is on
        // disk.
        if !matches!(read_bytes(&self.target), Ok(now) if now == self.before) {
            return Err(EditError::Locked {
                file: self.path.clone(),
            });
        }
        put_in_place(written, &self.target).map_err(not_writable)?;
        Ok(Saved::Written)
    }
}

impl Deref for SettingsFile {
    type Target = SettingsText;

    fn deref(&self) -> &SettingsText {
        &self.text
    }
}

impl DerefMut for SettingsFile {
    fn deref_mut(&mut self) -> &mut SettingsText {
        &mut self.text
    }
}

fn is_untouched(text: &SettingsText) -> bool {
    SettingsText::new("").is_ok_and(|blank| blank == *text)
}

fn decode(bytes: &[u8]) -> Result<&str, EditFault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let read = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
        let nowhere = hookloop_hook::Source::of_file(Path::new(""));
        let position: Position =
            crate::file_text::FileText::new(nowhere, read).position(error.valid_up_to());
        EditFault::NotJson {
            position,
            message: "it isn't UTF-8 text".to_owned(),
        }
    })
}

/// Returns the file with all links followed, whether it exists or not.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                let next = std::fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(next);
            }
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Refuses a file that its owner made read-only, though the folder would let it be replaced.
fn check_writable(file: &Path) -> io::Result<()> {
    if file.metadata()?.permissions().readonly() {
        return Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "it is read-only",
        ));
    }
    unwaiting_options().write(true).open(file).map(drop)
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes a file's new content into one beside it, so that all of it is on disk.
fn write_beside(target: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let before = target.metadata().ok();
    leftovers::remove(folder_of(target));
    let mut builder = tempfile::Builder::new();
    builder.prefix(leftovers::PREFIX).suffix(leftovers::SUFFIX);
    if let Some(fresh) = fresh_permissions() {
        builder.permissions(fresh);
    }
    let mut temporary = builder.tempfile_in(folder_of(target))?;
    leftovers::claim(temporary.as_file());
    temporary.write_all(content)?;
    if let Some(before) = before {
        keep_owner(temporary.as_file(), &before);
        temporary.as_file().set_permissions(before.permissions())?;
    }
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

fn put_in_place(written: NamedTempFile, target: &Path) -> io::Result<()> {
    written.persist(target).map_err(|error| error.error)?;
    sync_folder(folder_of(target));
    Ok(())
}

/// Returns the permissions of a new file; the process's umask applies to them.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "only Unix has these permissions")]
fn fresh_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn fresh_permissions() -> Option<Permissions> {
    None
}

/// Keeps the file's owner, as far as this process is allowed to.
#[cfg(unix)]
fn keep_owner(file: &File, before: &std::fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let owned = file
        .metadata()
        .is_ok_and(|now| (now.uid(), now.gid()) == (before.uid(), before.gid()));
    if !owned {
        let _ = fchown(file, Some(before.uid()), Some(before.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &std::fs::Metadata) {}

/// The folders that were created for a file; those that are still empty are removed again.
#[derive(Debug)]
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    fn make(folder: Option<&Path>) -> io::Result<Self> {
        let Some(folder) = folder.filter(|it| !it.as_os_str().is_empty()) else {
            return Ok(Self(Vec::new()));
        };
        let missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|it| !it.as_os_str().is_empty() && !it.exists())
            .map(Path::to_path_buf)
            .collect();
        std::fs::create_dir_all(folder)?;
        Ok(Self(missing))
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // Fails if the folder isn't empty by now, which is intended.
            let _ = std::fs::remove_dir(folder);
        }
    }
}
