//! What tells one content of a file from another.

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Returns the digest of a plain file's content; nothing where there is none that could be read.
pub(super) fn digest(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() {
        return None;
    }
    let mut hasher = Sha256::new();
    let mut file = std::fs::File::open(path).ok()?;
    std::io::copy(&mut file, &mut hasher).ok()?;
    Some(hex(&hasher.finalize()))
}

pub(super) fn digest_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
