//! Reads files while a call is judged: only regular ones, up to a limit.

use std::path::Path;

use hookloop_settings::bounded::read_regular;

/// How many bytes of a patch, a list or a settings file are read.
const MAX_BYTES: u64 = 4 << 20;

/// Reads a regular file up to a maximum length; returns `None` for a longer file, or one that isn't
/// regular.
pub(super) fn bytes_of(path: &Path, longest: u64) -> Option<Vec<u8>> {
    read_regular(path, longest).ok()
}

/// Reads a text file of a sensible size.
pub(super) fn text_of(path: &Path) -> Option<String> {
    let bytes = bytes_of(path, MAX_BYTES)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
