//! Reads texts in the folder of an extension, whatever is there instead of them (TR-10).

use std::io;
use std::path::Path;

use hookloop_settings::bounded::read_regular;

/// The maximum size of such a text, in bytes: that of settings.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a regular file as text; a pipe is never waited for.
pub(crate) fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = read_regular(path.as_ref(), MAX_BYTES).map_err(io::Error::from)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
