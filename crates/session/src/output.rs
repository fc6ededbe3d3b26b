//! Standard output, which streaming must not wait for.

use std::io::{self, ErrorKind, Write, stdout};

/// Writes to standard output at once: what streams must not wait for the end of a line.
///
/// A reader that has gone, such as `head`, wants no more, and that isn't an error; a disk that is
/// full is one.
pub fn write_result(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Says that an answer did not arrive on standard output.
pub fn unwritten(error: &io::Error) -> String {
    format!("the answer is incomplete, because standard output can't be written: {error}")
}
