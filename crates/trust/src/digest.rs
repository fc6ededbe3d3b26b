//! What a file holds, in a few bytes.

use std::path::Path;

use hookloop_settings::bounded::read_start;
use sha2::{Digest as _, Sha256};

use crate::text::hexadecimal;

/// What is larger isn't a file of settings.
const MOST_BYTES: u64 = 64 << 20;

/// Returns a digest of what a file holds; nothing if it can't be read or isn't a regular file.
pub fn digest_of(path: &Path) -> Option<String> {
    let bytes = read_start(path, MOST_BYTES).ok()?;
    Some(hexadecimal(&Sha256::digest(&bytes)))
}
