//! Reading files as text, with a clear answer where that can't be (TO-1).

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::{ErrorKind, ToolError};

/// The largest file that is read, in bytes.
pub(crate) const LARGEST_FILE: u64 = 20 * 1024 * 1024;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What files begin with that people look at rather than read.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

/// A file's text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text {
    /// The text without its byte-order mark, line ends as they are.
    pub(crate) content: String,
    /// The byte-order mark, or nothing; a writer puts it back.
    pub(crate) mark: &'static str,
}

/// Reads a file as text.
pub(crate) fn read(place: &Path) -> Result<Text, ToolError> {
    // The kind is looked at before opening: opening a pipe would wait for ever.
    let metadata = place.metadata().map_err(|error| io_error(place, &error))?;
    if metadata.is_dir() {
        return Err(ToolError::new(
            ErrorKind::TargetIsDirectory,
            format!("{} is a directory, not a file", place.display()),
        ));
    }
    if !metadata.is_file() {
        return Err(ToolError::new(
            ErrorKind::ReadFailed,
            format!("{} is not a regular file", place.display()),
        ));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(too_large(place));
    }
    let mut bytes = Vec::new();
    File::open(place)
        .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| io_error(place, &error))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > LARGEST_FILE) {
        return Err(too_large(place));
    }
    decode(place, bytes)
}

fn decode(place: &Path, bytes: Vec<u8>) -> Result<Text, ToolError> {
    let not_text = |what: &str| {
        ToolError::new(
            ErrorKind::NotText,
            format!("{} is {what} and can't be read as text", place.display()),
        )
    };
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(not_text(what));
    }
    if bytes.contains(&0) {
        return Err(not_text("a binary file"));
    }
    let mut content = String::from_utf8(bytes).map_err(|error| {
        let position = error.utf8_error().valid_up_to();
        not_text(&format!("not UTF-8 (invalid byte at offset {position})"))
    })?;
    if !content.starts_with(BYTE_ORDER_MARK) {
        return Ok(Text { content, mark: "" });
    }
    content.drain(..BYTE_ORDER_MARK.len());
    Ok(Text {
        content,
        mark: BYTE_ORDER_MARK,
    })
}

fn too_large(place: &Path) -> ToolError {
    ToolError::new(
        ErrorKind::FileTooLarge,
        format!(
            "{} is larger than the limit of {} MiB; search it, or cut parts out with a shell command",
            place.display(),
            LARGEST_FILE / 1024 / 1024
        ),
    )
}

/// Makes the error of a failed reading.
pub(crate) fn io_error(place: &Path, error: &io::Error) -> ToolError {
    let place = place.display();
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            ToolError::new(ErrorKind::FileNotFound, format!("File not found: {place}"))
        }
        io::ErrorKind::PermissionDenied => ToolError::new(
            ErrorKind::PermissionDenied,
            format!("no permission to read {place}"),
        ),
        _ => ToolError::new(
            ErrorKind::ReadFailed,
            format!("can't read {place}: {error}"),
        ),
    }
}
