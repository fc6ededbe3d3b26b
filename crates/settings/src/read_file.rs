//! Reads files that somebody else may have written.

use std::path::Path;
use std::sync::Arc;

use crate::absence::is_absent;
use crate::bounded::read_regular;
use crate::file_text::{Documents, FileText};
use hookloop_hook::Source;

/// Largest settings file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The result of reading a file.
pub(crate) enum FileContent {
    Text(Arc<FileText>),
    Missing,
    /// It exists and can't be read, for this reason.
    Unreadable(String),
    /// It isn't UTF-8; the text is a lossy copy, and the byte is the first that can't be read.
    NotUnicode(Arc<FileText>, usize),
}

/// Reads a file, and keeps its text for snippets.
pub(crate) fn read_file(documents: &mut Documents, origin: &Source) -> FileContent {
    let bytes = match read_bytes(&origin.file) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return FileContent::Missing,
        Err(reason) => return FileContent::Unreadable(reason),
    };
    let (mut text, wrong) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            (
                String::from_utf8_lossy(error.as_bytes()).into_owned(),
                Some(offset),
            )
        }
    };
    let mark = if text.starts_with('\u{FEFF}') {
        '\u{FEFF}'.len_utf8()
    } else {
        0
    };
    text.drain(..mark);
    let text = Arc::new(FileText::new(origin.clone(), text));
    documents.insert(Arc::clone(&text));
    match wrong {
        None => FileContent::Text(text),
        Some(offset) => FileContent::NotUnicode(text, offset.saturating_sub(mark)),
    }
}

/// Reads a regular file of at most 16 MiB; returns `None` if it doesn't exist (TR-10).
///
/// # Errors
/// It can't be read. The text gives the reason without the path: a pipe, a device, a dangling link,
/// or too large.
pub fn read_bytes(file: &Path) -> Result<Option<Vec<u8>>, String> {
    if is_absent(file).map_err(|error| error.to_string())? {
        return Ok(None);
    }
    let bytes = read_regular(file, MAX_BYTES).map_err(|why| why.to_string())?;
    Ok(Some(bytes))
}
