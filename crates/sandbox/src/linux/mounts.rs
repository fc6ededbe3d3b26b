//! A mount namespace in which everything is read-only except for the writable folders. Landlock
//! alone can neither exclude a folder from a writable one, nor protect permissions and times of
//! files.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{AccessFlags, access, getgid, getuid};

use crate::confinement::{Confinement, Way, Ways};

const NOTHING: Option<&str> = None;

/// The beginnings of the names of devices in `/dev` for terminals and their contents.
const TERMINALS: [&str; 4] = ["tty", "vcs", "hvc", "hidraw"];

/// Makes everything read-only for this process, except for the unprotected parts of the writable
/// folders, and covers terminals.
pub(super) fn make_read_only(confinement: &Confinement) -> Result<(), String> {
    leave_shared_view()?;
    let ways = Ways::of(confinement);
    let mut bound = BTreeSet::new();
    for path in &ways.writable {
        bind(path)?;
        bound.insert(path.as_path());
    }
    for path in &ways.protected {
        // Renaming a folder would move the protected paths in it; a mount point can't be renamed.
        let mut above: Vec<_> = path.ancestors().collect();
        above.reverse();
        for folder in above.into_iter().filter(|it| ways.is_in_writable(it)) {
            // A path that was bound before is already a mount point, as are those below it.
            if bound.insert(folder) {
                bind(folder)?;
            }
        }
        // A path that is also listed as writable stays protected.
        if ways.writable.contains(path) {
            bind(path)?;
        }
    }
    cover_terminals()?;
    for MountPoint { path, .. } in mount_points()? {
        let way = ways.way_for(&path);
        if way == Way::Writable {
            continue;
        }
        let must = path == Path::new("/") || ways.protected.contains(&path);
        match remount_read_only(&path) {
            Ok(()) => {}
            // What can't be reached by its path, such as a folder below another mount or another
            // user's file system, can't be written by it either.
            Err(_) if !must && way == Way::ReadOnly => {}
            Err(Errno::EINVAL) if !must => {}
            Err(_) if !must && path.symlink_metadata().is_err() => {}
            Err(error) => return Err(format!("{} stays writable: {error}", path.display())),
        }
    }
    // The current folder is still the one that the new mounts cover.
    let folder = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
    std::env::set_current_dir(&folder)
        .map_err(|error| format!("{} can't be entered: {error}", folder.display()))
}

/// Covers every terminal: a program with the user's rights could read along. A program that opens
/// its controlling terminal is told that there is none.
fn cover_terminals() -> Result<(), String> {
    let failed = |path: &Path, error: Errno| {
        format!("the terminal {} can't be covered: {error}", path.display())
    };
    let empty = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let points = mount_points()?.into_iter();
    let folders = points.filter(|it| it.kind == b"devpts").map(|it| it.path);
    for folder in folders.chain([PathBuf::from("/dev/input")]) {
        match mount(Some("none"), &folder, Some("tmpfs"), empty, NOTHING) {
            // If it is missing or already covered, there is nothing to cover.
            Ok(()) | Err(Errno::ENOENT | Errno::ENOTDIR) => {}
            Err(error) => return Err(failed(&folder, error)),
        }
    }
    let entries = fs::read_dir("/dev").into_iter().flatten().flatten();
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let is_terminal = name == "console" || TERMINALS.iter().any(|it| name.starts_with(it));
        let is_device = entry.file_type().is_ok_and(|it| it.is_char_device());
        // Other users' devices are inaccessible to this process anyway.
        if is_terminal && is_device && access(&path, AccessFlags::R_OK).is_ok() {
            mount(Some("/dev/null"), &path, NOTHING, MsFlags::MS_BIND, NOTHING)
                .map_err(|error| failed(&path, error))?;
        }
    }
    Ok(())
}

/// Enters a separate mount namespace. Without privileges, that needs a user namespace, in which
/// user and group stay the same. The IPC namespace (System V shared memory, queues and semaphores)
/// is separated, too.
fn leave_shared_view() -> Result<(), String> {
    let (user, group) = (getuid(), getgid());
    let own = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    match unshare(own) {
        Ok(()) => {}
        Err(Errno::EPERM) => {
            unshare(CloneFlags::CLONE_NEWUSER | own).map_err(unavailable)?;
            let maps = [
                ("setgroups", "deny".to_owned()),
                ("uid_map", format!("{user} {user} 1")),
                ("gid_map", format!("{group} {group} 1")),
            ];
            for (file, text) in maps {
                fs::write(format!("/proc/self/{file}"), text)
                    .map_err(|error| format!("no user namespace: {error}"))?;
            }
        }
        Err(error) => return Err(unavailable(error)),
    }
    let flags = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(NOTHING, "/", NOTHING, flags, NOTHING).map_err(unavailable)
}

fn unavailable(error: Errno) -> String {
    format!(
        "this system doesn't allow programs to create mount namespaces ({error}); a container or a \
         rule for unprivileged namespaces (kernel.apparmor_restrict_unprivileged_userns) may \
         forbid it"
    )
}

/// Bind-mounts a path on itself.
fn bind(path: &Path) -> Result<(), String> {
    let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
    mount(Some(path), path, NOTHING, flags, NOTHING)
        .map_err(|error| format!("{} can't be mounted: {error}", path.display()))
}

fn remount_read_only(path: &Path) -> Result<(), Errno> {
    // The restrictions of the existing mount have to stay.
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

/// A mount point.
struct MountPoint {
    path: PathBuf,
    /// The type of the file system.
    kind: Vec<u8>,
}

/// Returns the mount points.
fn mount_points() -> Result<Vec<MountPoint>, String> {
    let table = fs::read("/proc/self/mountinfo")
        .map_err(|error| format!("/proc/self/mountinfo can't be read: {error}"))?;
    Ok(table
        .split(|it| *it == b'\n')
        .filter_map(mount_point)
        .collect())
}

/// Reads a line of the table of mounts.
fn mount_point(line: &[u8]) -> Option<MountPoint> {
    let mut fields = line.split(|it| *it == b' ');
    let path = unescaped(fields.nth(4)?);
    // A variable number of fields precedes the dash.
    let mut fields = fields.skip_while(|it| *it != b"-").skip(1);
    let kind = fields.next().unwrap_or_default().to_vec();
    Some(MountPoint { path, kind })
}

/// Decodes a path in which spaces, tabs, line breaks and backslashes are octal escapes.
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
        let line = b"36 35 98:0 /r /a\\040b rw master:1 shared:2 - devpts none rw";
        let point = mount_point(line).expect("a mount");
        assert_eq!(point.path, Path::new("/a b"));
        assert_eq!(point.kind, b"devpts");
        let points = mount_points().expect("mounts");
        assert!(points.iter().any(|it| it.path == Path::new("/")));
    }
}
