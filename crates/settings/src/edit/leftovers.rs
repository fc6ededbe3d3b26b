//! Temporary files of a process that was killed while saving (ST-10). The next process that saves
//! there removes them.

use std::fs::{self, DirEntry, File};
use std::path::Path;
use std::time::Duration;

use crate::bounded::open_regular;

/// The beginnings and endings of names of files that are written beside the one that they are to
/// replace.
pub(super) const PREFIX: &str = ".settings.";
pub(super) const SUFFIX: &str = ".tmp";

/// How old one has to be to count as a leftover: a save takes less than a second.
const OLD: Duration = Duration::from_mins(10);

/// Most files of a folder that are looked at.
const MAX_FILES: usize = 4096;

/// Keeps a file from being mistaken for a leftover, as long as it is open.
pub(super) fn claim(file: &File) {
    // On systems without locks, the file's age protects it.
    let _ = file.try_lock();
}

/// Removes leftovers in a folder: our files that are old and not locked.
pub(super) fn remove(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.take(MAX_FILES).flatten().filter(is_left) {
        let path = entry.path();
        let is_free = open_regular(&path).is_ok_and(|(it, _)| it.try_lock().is_ok());
        if is_free {
            // A leftover file does no harm.
            let _ = fs::remove_file(&path);
        }
    }
}

/// Returns whether a file has a name as we give it, and is old.
fn is_left(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let middle = name
        .to_str()
        .and_then(|it| it.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    let is_ours =
        middle.is_some_and(|it| it.len() == 6 && it.bytes().all(|it| it.is_ascii_alphanumeric()));
    // Doesn't follow links.
    let is_old = |entry: &DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        metadata.modified().ok()?.elapsed().ok()
    };
    is_ours && is_old(entry).is_some_and(|it| it >= OLD)
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::SettingsFile;
    use super::*;

    fn left(folder: &Path, name: &str, age: Duration) -> std::path::PathBuf {
        let path = folder.join(name);
        fs::write(&path, "{").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
        path
    }

    /// ST-10: the leftovers of a killed process are removed by the next one that saves; what may
    /// still be written, or has another name, stays.
    #[test]
    fn what_was_left_is_removed_by_the_next_save() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let stale = left(folder, ".settings.Ab3dE9.tmp", OLD * 2);
        let fresh = left(folder, ".settings.Zb3dE9.tmp", Duration::ZERO);
        let claimed_file = left(folder, ".settings.Hb3dE9.tmp", OLD * 2);
        let other = left(folder, ".settings.json.tmp", OLD * 2);
        let claimed = File::open(&claimed_file).unwrap();
        claim(&claimed);
        #[cfg(unix)]
        std::os::unix::fs::symlink("nowhere", folder.join(".settings.Lb3dE9.tmp")).unwrap();
        let mut file = SettingsFile::open_for_edit(&folder.join("settings.json")).unwrap();
        let _ = file.disable(["guard"]).unwrap();
        file.save().unwrap();
        let stays = [&stale, &fresh, &claimed_file, &other].map(|it| it.exists());
        assert_eq!(stays, [false, true, true, true]);
        #[cfg(unix)]
        assert!(folder.join(".settings.Lb3dE9.tmp").is_symlink());
    }
}
