//! The digest of a file, and its text form.

use std::fmt::Write as _;
use std::path::Path;

use hookloop_settings::bounded::read_start;
use sha2::{Digest as _, Sha256};

/// What is larger isn't a file of settings.
const MAX_BYTES: u64 = 64 << 20;

/// Returns a digest of a file's content, or `None` if it can't be read or isn't a regular file.
pub fn digest_of(path: &Path) -> Option<String> {
    let bytes = read_start(path, MAX_BYTES).ok()?;
    Some(hexadecimal(&Sha256::digest(&bytes)))
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            // Writing to a string can't fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
