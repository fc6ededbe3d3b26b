//! Reads files as text, with a clear error if that isn't possible (TO-1).

use std::io;
use std::path::Path;

use hookloop_settings::bounded::{Unread, read_regular};

use super::encoding::{Encoding, Undecodable};
use crate::{ErrorKind, Media, ToolError};

/// The largest file that is read, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 20 * 1024 * 1024;

/// The beginnings of files that people look at rather than read.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"BM", "a bitmap image"),
];

/// A file's text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text {
    /// The text without its byte-order mark, line ends as they are.
    pub(crate) content: String,
    /// Its encoding; a writer keeps that.
    pub(crate) encoding: Encoding,
}

/// What a model can get of a file.
pub(crate) enum Readable {
    /// Its text.
    Text(Text),
    /// The image or document.
    Media(Media),
}

/// Reads a file as text.
pub(crate) fn read(place: &Path) -> Result<Text, ToolError> {
    decode(place, bytes_of(place)?)
}

/// Reads a file as what it is: an image or a document that models accept, or otherwise text.
pub(crate) fn read_for_model(place: &Path, name: &str) -> Result<Readable, ToolError> {
    let bytes = bytes_of(place)?;
    match Media::of(name, &bytes) {
        Some(media) => Ok(Readable::Media(media)),
        None => decode(place, bytes).map(Readable::Text),
    }
}

fn bytes_of(place: &Path) -> Result<Vec<u8>, ToolError> {
    if place.is_dir() {
        return Err(ToolError::new(
            ErrorKind::TargetIsDirectory,
            format!("{} is a directory, not a file", place.display()),
        ));
    }
    read_regular(place, MAX_FILE_BYTES).map_err(|why| unread_error(place, &why))
}

fn decode(place: &Path, bytes: Vec<u8>) -> Result<Text, ToolError> {
    let not_text = |what: &str| {
        ToolError::new(
            ErrorKind::NotText,
            format!("{} is {what} and can't be read as text", place.display()),
        )
    };
    let encoding = Encoding::of(&bytes);
    let magic = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
    // Letters alone prove nothing: a text may begin with them.
    if let Some((_, what)) = magic.filter(|(magic, _)| *magic != b"BM" || bytes.contains(&0)) {
        return Err(not_text(what));
    }
    let content = encoding.decode(bytes).map_err(|why| match why {
        Undecodable::Binary => not_text("a binary file"),
        Undecodable::Invalid { offset } => not_text(&format!(
            "not {} (invalid byte at offset {offset})",
            encoding.name()
        )),
    })?;
    Ok(Text { content, encoding })
}

fn unread_error(place: &Path, why: &Unread) -> ToolError {
    match why {
        Unread::System(error) => io_error(place, error),
        Unread::TooLarge(_) => too_large(place),
        _ => ToolError::new(
            ErrorKind::ReadFailed,
            format!("{} isn't a regular file", place.display()),
        ),
    }
}

fn too_large(place: &Path) -> ToolError {
    ToolError::new(
        ErrorKind::FileTooLarge,
        format!(
            "{} is larger than the limit of {} MiB; search it, or extract parts with a shell command",
            place.display(),
            MAX_FILE_BYTES / 1024 / 1024
        ),
    )
}

/// Makes the error for a failed read.
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
