//! Opens and reads files that somebody else may have put there, whatever they really are (TR-10):
//! the only place for settings, tools and hooks.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

/// The size limit for a file of settings, agreements or records, in bytes.
pub const MAX_FILE: u64 = 64 << 20;

/// The size limit for one line of a record that is read line by line, in bytes.
pub const MAX_LINE: u64 = 256 << 20;

/// Why a file of a project isn't read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// A pipe, device, socket or folder.
    #[error("it isn't a regular file")]
    NotRegular,
    /// It exceeds the size limit for such files.
    #[error("it is larger than {}", size(*.0))]
    TooLarge(u64),
    /// It is a link that leads out of the project.
    #[error("it links out of the project, to {}", .0.display())]
    LeadsOut(PathBuf),
    /// The system reports an error.
    #[error("{0}")]
    System(#[from] io::Error),
}

impl From<Unread> for io::Error {
    fn from(why: Unread) -> Self {
        match why {
            Unread::System(error) => error,
            why => Self::other(why.to_string()),
        }
    }
}

/// Formats a number of bytes.
fn size(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    if bytes >= MIB && bytes.is_multiple_of(MIB) {
        return format!("{} MiB", bytes / MIB);
    }
    format!("{} KiB", bytes / 1024)
}

/// Opens a regular file. It never waits for anything else, even if that replaced the file at the
/// last moment: a pipe without a writer would block the reader forever.
///
/// # Errors
/// It isn't a regular file, or the system reports an error.
pub fn open_regular(place: &Path) -> Result<(File, Metadata), Unread> {
    if !place.metadata()?.is_file() {
        return Err(Unread::NotRegular);
    }
    let file = unwaiting_options().read(true).open(place)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(Unread::NotRegular)
    }
}

/// Opens a file that a person named in the command, whatever it is: a pipe of the shell (`<(…)`) is
/// waited for.
///
/// # Errors
/// The system reports an error.
pub fn open_named(place: &Path) -> io::Result<File> {
    File::open(place)
}

/// Opens the program's own terminal for reading and writing. A person is waited for.
///
/// # Errors
/// The program has none, or the system reports an error.
#[cfg(unix)]
pub fn open_terminal() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}

/// Returns options that open a file without waiting: a pipe whose other end nobody has opened would
/// block the program forever, and is an error. Every file that isn't [`open_regular`]'s is opened
/// with these.
#[must_use]
pub fn unwaiting_options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has these flags"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    options
}

/// Makes new names in a folder survive a power failure, where the system can: the files are
/// complete either way.
pub fn sync_folder(folder: &Path) {
    if cfg!(unix)
        && let Ok(folder) = unwaiting_options().read(true).open(folder)
    {
        let _ = folder.sync_all();
    }
}

/// Opens a regular file for appending. A missing file is created for its owner alone, and a file
/// that others can read is made private, since its content may be private (TR-9). It never waits
/// for anything else: a pipe without a reader would block the writer forever.
///
/// # Errors
/// It isn't a regular file, or the system reports an error.
pub fn append_regular(place: &Path) -> Result<File, Unread> {
    match place.metadata() {
        Ok(metadata) if !metadata.is_file() => return Err(Unread::NotRegular),
        Ok(_) => {}
        Err(error) if is_absence(&error) => {}
        Err(error) => return Err(error.into()),
    }
    let mut options = unwaiting_options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(place)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Unread::NotRegular);
    }
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt as _;
        // Read access for a group is left, because it may be intended, for example for a collector.
        let mode = metadata.permissions().mode() & 0o7777;
        if mode & 0o007 != 0 {
            file.set_permissions(Permissions::from_mode(mode & !0o007))?;
        }
    }
    Ok(file)
}

/// Checks whether a file could be opened by [`append_regular`] after its folder was created, and
/// changes nothing.
///
/// # Errors
/// It isn't a regular file, or the system wouldn't let it be written or created.
pub fn try_appending(place: &Path) -> io::Result<()> {
    match place.metadata() {
        Ok(metadata) if !metadata.is_file() => return Err(Unread::NotRegular.into()),
        Ok(_) => return unwaiting_options().append(true).open(place).map(drop),
        Err(error) if !is_absence(&error) => return Err(error),
        Err(_) => {}
    }
    let mut above = place.ancestors().skip(1);
    let folder = above.find_map(|it| {
        let it = if it.as_os_str().is_empty() {
            Path::new(".")
        } else {
            it
        };
        Some((it, it.metadata().ok()?))
    });
    match folder {
        Some((folder, metadata)) if metadata.is_dir() => may_create_in(folder),
        _ => Err(io::ErrorKind::NotADirectory.into()),
    }
}

#[cfg(unix)]
fn may_create_in(folder: &Path) -> io::Result<()> {
    use rustix::fs::Access;
    Ok(rustix::fs::access(
        folder,
        Access::WRITE_OK | Access::EXEC_OK,
    )?)
}

#[cfg(not(unix))]
const fn may_create_in(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Reads a regular file of at most `most` bytes, whose real path is in a folder. Returns `None` if
/// the file doesn't exist. The path of the folder must be resolved.
///
/// # Errors
/// It isn't such a file; the error gives the reason.
pub fn read_inside(place: &Path, folder: &Path, most: u64) -> Result<Option<Vec<u8>>, Unread> {
    let real = match place.canonicalize() {
        Ok(real) => real,
        Err(error) if is_absence(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !real.starts_with(folder) {
        return Err(Unread::LeadsOut(real));
    }
    read_regular(&real, most).map(Some)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// It isn't such a file; the error gives the reason.
pub fn read_regular(place: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let (file, metadata) = open_regular(place)?;
    if metadata.len() > most {
        return Err(Unread::TooLarge(most));
    }
    read_input(file, most)
}

/// Reads a regular file of at most [`MAX_FILE`] bytes.
///
/// # Errors
/// It isn't such a file, or the system reports an error; a missing file is
/// [`io::ErrorKind::NotFound`].
pub fn read_file(place: &Path) -> io::Result<Vec<u8>> {
    Ok(read_regular(place, MAX_FILE)?)
}

/// Reads a regular file of at most [`MAX_FILE`] bytes as text.
///
/// # Errors
/// As [`read_file`], or it isn't UTF-8.
pub fn read_text(place: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_file(place)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it isn't UTF-8"))
}

/// Reads the lines of a regular file, one after another, each of at most [`MAX_LINE`] bytes and
/// without its end.
///
/// # Errors
/// It isn't such a file, or the system reports an error.
pub fn read_lines(place: &Path) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>> + use<>> {
    let (file, _) = open_regular(place)?;
    let mut reader = BufReader::new(file);
    Ok(std::iter::from_fn(move || {
        let mut line = Vec::new();
        match (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) => return Some(Err(error)),
        }
        if line.pop_if(|it| *it == b'\n').is_none() && line.len() as u64 == MAX_LINE {
            return Some(Err(Unread::TooLarge(MAX_LINE).into()));
        }
        Some(Ok(line))
    }))
}

/// Reads an open file or standard input to its end, with a limit of `most` bytes. Of a longer
/// input, at most one more byte is consumed.
///
/// ```
/// use hookloop_settings::bounded::{Unread, read_input};
///
/// assert_eq!(read_input(&b"four"[..], 4)?, b"four");
/// assert!(matches!(read_input(&b"fives"[..], 4), Err(Unread::TooLarge(4))));
/// # Ok::<(), Unread>(())
/// ```
///
/// # Errors
/// It has more bytes, or the system reports an error.
pub fn read_input(input: impl Read, most: u64) -> Result<Vec<u8>, Unread> {
    let bytes = read(input, most.saturating_add(1))?;
    if bytes.len() as u64 > most {
        return Err(Unread::TooLarge(most));
    }
    Ok(bytes)
}

/// Reads the first `most` bytes of a regular file.
///
/// # Errors
/// It isn't such a file; the error gives the reason.
pub fn read_start(place: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let (file, _) = open_regular(place)?;
    Ok(read(file, most)?)
}

fn read(input: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// TR-10: at most so many bytes of a regular file are read, and a pipe isn't waited for.
    #[test]
    fn only_so_much_of_a_regular_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, vec![b'x'; 2048]).unwrap();
        assert_eq!(read_regular(&file, 2048).unwrap().len(), 2048);
        let error = read_regular(&file, 1024).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 1 KiB");
        assert_eq!(size(16 << 20), "16 MiB");
        assert_eq!(read_start(&file, 10).unwrap(), b"xxxxxxxxxx");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for place in [pipe.as_path(), folder.path(), Path::new("/dev/zero")] {
            assert!(matches!(read_start(place, 1), Err(Unread::NotRegular)));
            assert!(matches!(read_regular(place, 1), Err(Unread::NotRegular)));
        }
        let missing = io::Error::from(read_start(&folder.path().join("none"), 1).unwrap_err());
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    /// TR-10: whole files, texts and lines are read only from regular files; a pipe is an error,
    /// not a wait, whether it is read or written.
    #[test]
    fn whole_files_and_lines_are_never_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("lines"), "one\ntwo\n\ncut").unwrap();
        let lines = read_lines(&path("lines")).unwrap();
        let lines: Vec<Vec<u8>> = lines.collect::<io::Result<_>>().unwrap();
        assert_eq!(lines, [&b"one"[..], b"two", b"", b"cut"]);
        assert_eq!(read_text(&path("lines")).unwrap(), "one\ntwo\n\ncut");
        let huge = std::fs::File::create(path("huge")).unwrap();
        huge.set_len(10 << 30).unwrap();
        assert!(read_file(&path("huge")).is_err() && read_text(&path("huge")).is_err());
        let made = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(made.unwrap().success());
        assert!(read_file(&path("pipe")).is_err() && read_lines(&path("pipe")).is_err());
        assert!(unwaiting_options().write(true).open(path("pipe")).is_err());
        let missing = [
            read_file(&path("none")).unwrap_err(),
            read_text(&path("none")).unwrap_err(),
            read_lines(&path("none")).err().unwrap(),
        ];
        assert!(
            missing
                .iter()
                .all(|it| it.kind() == io::ErrorKind::NotFound)
        );
    }

    /// TE-1, TR-7: whether a file could be appended to is found out without making or changing
    /// anything.
    #[test]
    fn appending_is_tried_out_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "x").unwrap();
        let rights = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(path("file"), rights).unwrap();
        for name in ["file", "new", "a/b/new"] {
            try_appending(&path(name)).unwrap();
        }
        for name in ["file/new", ".", "file/a/new"] {
            assert!(try_appending(&path(name)).is_err(), "{name}");
        }
        assert!(try_appending(Path::new("/dev/null")).is_err());
        let mode = path("file").metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode, path("a").exists(), path("new").exists()),
            (0o644, false, false)
        );
        assert_eq!(std::fs::read(path("file")).unwrap(), b"x");
    }

    /// TR-9, TR-10: what is appended to is a regular file that others can't read; a pipe, a folder
    /// or a device is refused and not waited for.
    #[test]
    fn only_regular_files_are_appended_to_and_nobody_else_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mode = |name: &str| path(name).metadata().unwrap().permissions().mode() & 0o777;
        append_regular(&path("new")).unwrap();
        assert_eq!(mode("new"), 0o600);
        for (name, before, after) in [("open", 0o644, 0o640), ("group", 0o660, 0o660)] {
            std::fs::write(path(name), "").unwrap();
            let rights = std::fs::Permissions::from_mode(before);
            std::fs::set_permissions(path(name), rights).unwrap();
            append_regular(&path(name)).unwrap();
            assert_eq!(mode(name), after);
        }
        let piped = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(piped.unwrap().success());
        for place in [
            path("pipe"),
            folder.path().to_path_buf(),
            "/dev/null".into(),
        ] {
            let refused = append_regular(&place);
            assert!(
                matches!(refused, Err(Unread::NotRegular)),
                "{}",
                place.display()
            );
        }
    }
}
