//! A server's output, with a limit for the size of a message.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// The maximum size of a server's message, in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// Returns the error text for a message that is too large.
pub(crate) fn flood() -> String {
    format!("it sent a message of more than {MAX_MESSAGE_BYTES} bytes")
}

/// Reads lines, and fails at one that is too long.
///
/// Otherwise, the line would be discarded, and the call that waits for it would wait forever.
pub(crate) struct BoundedLines<R> {
    inner: R,
    length: usize,
    on_excess: Box<dyn Fn() + Send + Sync>,
}

impl<R> BoundedLines<R> {
    /// Reads from `inner`, and calls `on_excess` before it fails.
    pub(crate) fn new(inner: R, on_excess: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            inner,
            length: 0,
            on_excess: Box::new(on_excess),
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let piece = &buffer.filled()[before..];
        self.length = match piece.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => piece.len() - end - 1,
            None => self.length + piece.len(),
        };
        if self.length > MAX_MESSAGE_BYTES {
            (self.on_excess)();
            return Poll::Ready(Err(io::Error::other("the message is too large")));
        }
        Poll::Ready(Ok(()))
    }
}
