//! Standard output, which streaming must not wait for.

use std::io::{self, ErrorKind, Write, stdout};

/// Writes to standard output at once: streamed text must not wait for the end of a line.
///
/// A closed reader, such as `head`, isn't an error; a full disk is.
pub fn write_result(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Returns the text that an answer didn't arrive on standard output.
pub fn unwritten(error: &io::Error) -> String {
    format!("the answer is incomplete, because standard output can't be written: {error}")
}
