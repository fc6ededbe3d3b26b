//! Copies an extension's folder: only what is in it, and nothing that links out of it.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use hookloop_settings::KEYRING_FILE;
use hookloop_settings::bounded::read_regular;

use crate::failure::Failure;
use crate::source::METADATA;
use crate::staging::not_writable;

/// The maximum depth of nested folders.
const MAX_DEPTH: usize = 64;

/// The most that all files of an extension may contain. A file with holes can claim any size, and
/// its copy would fill the disk.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// Files in an extension's folder that don't belong to it: settings are the user's, and the
/// installer records the source.
const LEFT_OUT: [&str; 4] = [".env", KEYRING_FILE, ".git", METADATA];

/// Copies a folder. A link to something inside stays a link. A link out of the folder, or anything
/// that is neither file nor folder, is an error.
pub fn copy_tree(from: &Path, to: &Path) -> Result<(), Failure> {
    let root = from
        .canonicalize()
        .map_err(|error| unreadable(from, &error))?;
    let entries = entries(&root)?;
    check_size(&root, &entries)?;
    for entry in entries {
        let target = to.join(&entry.path);
        let made = match &entry.kind {
            Kind::Folder => Ok(()),
            Kind::File => parent(&target)
                .and_then(|()| fs::copy(root.join(&entry.path), &target))
                .and_then(|_| without_special_bits(&target)),
            Kind::Link(leads_to) => {
                parent(&target).and_then(|()| link(leads_to, &root.join(&entry.path), &target))
            }
        };
        made.map_err(|error| not_writable(&target, &error))?;
        if entry.kind == Kind::Folder {
            fs::create_dir_all(&target).map_err(|error| not_writable(&target, &error))?;
        }
    }
    fs::create_dir_all(to).map_err(|error| not_writable(to, &error))
}

/// Returns whether two folders have the same contents, apart from settings and the recorded source.
pub fn is_same_tree(left: &Path, right: &Path) -> Result<bool, Failure> {
    let (ours, theirs) = (entries(left)?, entries(right)?);
    if ours != theirs {
        return Ok(false);
    }
    // Both are read as a whole.
    check_size(left, &ours)?;
    check_size(right, &theirs)?;
    for entry in ours.iter().filter(|entry| entry.kind == Kind::File) {
        let read = |root: &Path| {
            let path = root.join(&entry.path);
            let bytes =
                read_regular(&path, MAX_BYTES).map_err(|error| unreadable(&path, &error.into()))?;
            Ok::<_, Failure>((bytes, is_startable(&path)))
        };
        if read(left)? != read(right)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An entry of a folder.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// Its path, relative to the folder.
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    Link(PathBuf),
}

/// Lists a folder, parents first.
fn entries(root: &Path) -> Result<Vec<Entry>, Failure> {
    let mut found = Vec::new();
    walk(root, Path::new(""), 0, &mut found)?;
    Ok(found)
}

/// Returns an error if the files of a folder are larger than those of an extension may be (EX-4).
fn check_size(root: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let mut total = 0_u64;
    for entry in entries.iter().filter(|entry| entry.kind == Kind::File) {
        let place = root.join(&entry.path);
        let metadata = fs::metadata(&place).map_err(|error| unreadable(&place, &error))?;
        total = total.saturating_add(metadata.len());
        if total > MAX_BYTES {
            let why = "makes the extension larger than 1 GiB";
            return Err(refused(&place, why));
        }
    }
    Ok(())
}

fn walk(root: &Path, inside: &Path, depth: usize, found: &mut Vec<Entry>) -> Result<(), Failure> {
    let folder = root.join(inside);
    if depth > MAX_DEPTH {
        return Err(refused(&folder, "is nested too deeply"));
    }
    let listed = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut listed = listed.map_err(|error| unreadable(&folder, &error))?;
    listed.sort_by_key(fs::DirEntry::file_name);
    for entry in listed {
        let name = entry.file_name();
        if depth == 0 && LEFT_OUT.iter().any(|it| name == *it) {
            continue;
        }
        let (path, place) = (inside.join(&name), entry.path());
        let kind = entry
            .file_type()
            .map_err(|error| unreadable(&place, &error))?;
        if kind.is_symlink() {
            let leads_to = checked_link(root, &path)?;
            found.push(Entry {
                path,
                kind: Kind::Link(leads_to),
            });
        } else if kind.is_dir() {
            found.push(Entry {
                path: path.clone(),
                kind: Kind::Folder,
            });
            walk(root, &path, depth + 1, found)?;
        } else if kind.is_file() {
            found.push(Entry {
                path,
                kind: Kind::File,
            });
        } else {
            return Err(refused(&place, "is neither file nor folder"));
        }
    }
    Ok(())
}

/// Returns the target of a link, if it stays inside the folder after copying.
fn checked_link(root: &Path, path: &Path) -> Result<PathBuf, Failure> {
    let place = root.join(path);
    let leads_to = fs::read_link(&place).map_err(|error| unreadable(&place, &error))?;
    let mut depth = path.components().count() - 1;
    let mut stays_inside = true;
    for component in leads_to.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => stays_inside = false,
        }
    }
    let real_root = root
        .canonicalize()
        .map_err(|error| unreadable(root, &error))?;
    // A link within the path may lead somewhere else than its text suggests.
    let really = place
        .canonicalize()
        .is_ok_and(|real| real.starts_with(&real_root));
    if stays_inside && really {
        Ok(leads_to)
    } else {
        Err(refused(
            &place,
            "is a link that leads out of the extension, or nowhere",
        ))
    }
}

fn parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

#[cfg(unix)]
fn link(leads_to: &Path, _original: &Path, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(leads_to, place)
}

#[cfg(not(unix))]
fn link(_leads_to: &Path, original: &Path, place: &Path) -> io::Result<()> {
    fs::copy(original, place).map(drop)
}

#[cfg(unix)]
fn without_special_bits(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    // Readable and removable for the user, and never set-user-id.
    permissions.set_mode(permissions.mode() & 0o755 | 0o600);
    fs::set_permissions(path, permissions)
}

#[cfg(not(unix))]
fn without_special_bits(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_startable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_startable(_: &Path) -> bool {
    false
}

fn refused(place: &Path, why: &str) -> Failure {
    Failure::bad_input(format!("{} {why}; nothing was installed", place.display()))
}

fn unreadable(place: &Path, error: &io::Error) -> Failure {
    Failure::bad_input(format!("{} can't be read: {error}", place.display()))
}
