//! Writes files of other agents completely or not at all (BR-1).

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_bridge::FilePattern;
use hookloop_host::{make_private_folder, private_options};
use hookloop_settings::lock_within;

/// How many links may lead to a file.
const MAX_LINKS: usize = 40;

/// How long to wait for others who install.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Reads a text; `None` if there is no file, nor one that a link leads to.
pub(crate) fn read(path: &Path) -> io::Result<Option<String>> {
    if !path.try_exists()? {
        return Ok(None);
    }
    let Some(bytes) = hookloop_settings::read_bytes(path).map_err(io::Error::other)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes);
    text.map(Some)
        .map_err(|_| io::Error::other("it isn't UTF-8 text"))
}

/// Returns the files of a pattern that exist.
pub(crate) fn matching(pattern: &FilePattern) -> Vec<PathBuf> {
    let mut found = vec![pattern.folder.clone()];
    for name in pattern.names.split('/') {
        let Some((before, after)) = name.split_once('*') else {
            for path in &mut found {
                path.push(name);
            }
            continue;
        };
        let in_folder = |folder: &PathBuf| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let names = entries.filter_map(|it| it.file_name().into_string().ok());
            let fits = |name: &String| {
                let rest = name.strip_prefix(before);
                rest.is_some_and(|rest| rest.ends_with(after))
            };
            let mut names: Vec<String> = names.filter(fits).collect();
            names.sort();
            names
                .into_iter()
                .map(|name| folder.join(name))
                .collect::<Vec<_>>()
        };
        found = found.iter().flat_map(in_folder).collect();
    }
    found.retain(|it| it.is_file());
    found
}

/// Creates the folders above a file, and returns those that didn't exist, the innermost first.
pub(crate) fn make_folders(file: &Path) -> io::Result<Vec<PathBuf>> {
    let above = file.ancestors().skip(1);
    let missing: Vec<PathBuf> = above
        .take_while(|it| !it.as_os_str().is_empty() && !it.exists())
        .map(Path::to_path_buf)
        .collect();
    if let Some(folder) = missing.first() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(missing)
}

/// Follows links to the file that they lead to, which may not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("its links are broken"))
}

/// Removes a file; a link that leads to it stays.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    std::fs::remove_file(target(path)?)
}

/// Returns whether a file is executable; on systems without that property, every file is.
pub(crate) fn is_runnable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        metadata.permissions().mode() & 0o100 != 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

/// Makes a file executable for those who may read it.
pub(crate) fn make_runnable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = path.metadata()?.permissions().mode();
        let runs = (mode & 0o444) >> 2;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode | runs))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Replaces a file, also through links; its permissions stay.
pub(crate) fn write(path: &Path, text: &str, is_program: bool) -> io::Result<()> {
    let target = target(path)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".hookloop-")
        .tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    let rights = target.metadata().ok().map(|it| it.permissions());
    if let Some(rights) = rights.or_else(|| initial_permissions(is_program)) {
        file.as_file().set_permissions(rights)?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "only Unix has these permissions")]
fn initial_permissions(is_program: bool) -> Option<std::fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    let rights = if is_program { 0o755 } else { 0o644 };
    Some(std::fs::Permissions::from_mode(rights))
}

#[cfg(not(unix))]
fn initial_permissions(_is_program: bool) -> Option<std::fs::Permissions> {
    None
}

/// Removes folders that are empty; one that contains something stays, with those above.
pub(crate) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders {
        if std::fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// Waits until nobody else installs, for a limited time, and keeps others waiting until it is
/// dropped.
pub(crate) fn lock(state: &Path) -> io::Result<File> {
    let path = lock_file(state);
    loop {
        make_private_folder(path.parent().unwrap_or(state))?;
        let mut options = private_options();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)?;
        lock_within(&file, &path, MAX_WAIT)?;
        // Uninstalling the last bridge also removes the lock.
        if is_at(&file, &path) {
            return Ok(file);
        }
    }
}

fn lock_file(state: &Path) -> PathBuf {
    state.join("bridge").join("install.lock")
}

/// Removes the lock. Only its holder may do so.
pub(crate) fn remove_lock(state: &Path) {
    // On other systems, a process couldn't notice that its lock file was removed.
    if cfg!(unix) {
        let _ = std::fs::remove_file(lock_file(state));
    }
}

/// Returns whether an open file is the one that is at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), path.metadata()) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// The link to the program that agents are given (BR-1): its path never changes.
pub(crate) fn link(home: &Path) -> PathBuf {
    home.join(".local/share/hookloop/bin/hookloop")
}

/// Makes the link lead to this program; returns which folders were created.
pub(crate) fn keep_link(home: &Path, program: &Path) -> io::Result<Vec<PathBuf>> {
    let link = link(home);
    let made = make_folders(&link)?;
    if std::fs::canonicalize(&link).ok() == std::fs::canonicalize(program).ok() && link.exists() {
        return Ok(made);
    }
    let folder = link.parent().unwrap_or(home);
    let temporary = folder.join(format!(".hookloop-{}", std::process::id()));
    let _ = std::fs::remove_file(&temporary);
    point(&temporary, program)?;
    std::fs::rename(&temporary, &link)?;
    Ok(made)
}

#[cfg(unix)]
fn point(link: &Path, program: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

#[cfg(not(unix))]
fn point(link: &Path, program: &Path) -> io::Result<()> {
    std::fs::copy(program, link).map(drop)
}
