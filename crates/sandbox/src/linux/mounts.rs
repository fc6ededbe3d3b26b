//! A view of the file system in which everything is read-only but the folders that may be written
//! to. Landlock alone neither leaves a folder out of one that is writable, nor keeps the rights and
//! times of files as they are.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{getgid, getuid};

use crate::confinement::Confinement;

const NOTHING: Option<&str> = None;

/// Makes everything read-only for this process but the writable folders without what is protected.
pub(super) fn make_read_only(confinement: &Confinement) -> Result<(), String> {
    leave_shared_view()?;
    let (writable, protected) = (confinement.writable(), confinement.protected());
    for path in &writable {
        bind(path)?;
    }
    let is_writable = |path: &Path| writable.iter().any(|it| path.starts_with(it));
    for path in mount_points()? {
        if is_writable(&path) {
            continue;
        }
        match remount_read_only(&path) {
            Ok(()) => {}
            // What can't be reached by its path, such as a folder that another mount covers or a
            // file system of another user, can't be written to by it either.
            Err(_) if path != Path::new("/") => {}
            Err(error) => return Err(format!("the file system stays writable: {error}")),
        }
    }
    for path in &protected {
        // A folder that could be renamed would take what is protected along; a mount point can't.
        let above: Vec<_> = path.ancestors().skip(1).collect();
        let above = above.into_iter().rev();
        for folder in above.filter(|it| is_writable(it) && writable.iter().all(|w| w != it)) {
            bind(folder)?;
        }
        bind(path)?;
        remount_read_only(path)
            .map_err(|error| format!("{} stays writable: {error}", path.display()))?;
    }
    // The current folder is still the one below the new mounts.
    let folder = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
    std::env::set_current_dir(&folder)
        .map_err(|error| format!("{} can't be entered: {error}", folder.display()))
}

/// Takes a view of the file system of its own, for which users without rights need a namespace of
/// users, in which they are who they were.
fn leave_shared_view() -> Result<(), String> {
    let (user, group) = (getuid(), getgid());
    match unshare(CloneFlags::CLONE_NEWNS) {
        Ok(()) => {}
        Err(Errno::EPERM) => {
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS).map_err(unavailable)?;
            let maps = [
                ("setgroups", "deny".to_owned()),
                ("uid_map", format!("{user} {user} 1")),
                ("gid_map", format!("{group} {group} 1")),
            ];
            for (file, text) in maps {
                fs::write(format!("/proc/self/{file}"), text)
                    .map_err(|error| format!("no namespace of users: {error}"))?;
            }
        }
        Err(error) => return Err(unavailable(error)),
    }
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(NOTHING, "/", NOTHING, flags, NOTHING).map_err(unavailable)
}

fn unavailable(error: Errno) -> String {
    format!(
        "this system gives no mount namespace to programs ({error}); a container or a rule for \
         unprivileged namespaces (kernel.apparmor_restrict_unprivileged_userns) may forbid it"
    )
}

/// Makes a path a mount point of what it is.
fn bind(path: &Path) -> Result<(), String> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(path), path, NOTHING, flags, NOTHING)
        .map_err(|error| format!("{} can't be mounted: {error}", path.display()))
}

fn remount_read_only(path: &Path) -> Result<(), Errno> {
    // What a mount forbids it has to go on forbidding.
    let kept = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ];
    let has = statvfs(path)?.flags();
    let kept = kept.into_iter().filter(|(flag, _)| has.contains(*flag));
    let flags = kept.fold(
        MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY,
        |flags, (_, flag)| flags | flag,
    );
    mount(NOTHING, path, NOTHING, flags, NOTHING)
}

/// Returns where something is mounted.
fn mount_points() -> Result<Vec<PathBuf>, String> {
    let table = fs::read("/proc/self/mountinfo")
        .map_err(|error| format!("/proc/self/mountinfo can't be read: {error}"))?;
    let lines = table.split(|it| *it == b'\n');
    Ok(lines
        .filter_map(|line| line.split(|it| *it == b' ').nth(4))
        .map(unescaped)
        .collect())
}

/// Reads a path in which three octal digits stand for spaces, tabs, line breaks and backslashes.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..3).filter(|_| *first == b'\\');
        let code = code.and_then(|it| std::str::from_utf8(it).ok());
        if let Some(byte) = code.and_then(|it| u8::from_str_radix(it, 8).ok()) {
            bytes.push(byte);
            rest = &after[3..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TO-2: mount points are found whatever their names are.
    #[test]
    fn names_of_mount_points_are_read() {
        assert_eq!(unescaped(b"/a\\040b\\134c"), Path::new("/a b\\c"));
        assert_eq!(unescaped(b"/a\\04"), Path::new("/a\\04"));
        let points = mount_points().expect("mounts");
        assert!(points.contains(&PathBuf::from("/")));
    }
}
