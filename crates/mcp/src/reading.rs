//! A server's output, of which no message may be larger than a bound.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// The largest message that a server may send, in bytes.
pub(crate) const LARGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// Says that a server's message was too large.
pub(crate) fn flood() -> String {
    format!("it sent a message of more than {LARGEST_MESSAGE} bytes")
}

/// Reads lines, and ends with an error at one that is too long.
///
/// Without it the line would be thrown away and the call that waits for it would wait for ever.
pub(crate) struct BoundedLines<R> {
    inner: R,
    length: usize,
    on_excess: Box<dyn Fn() + Send + Sync>,
}

impl<R> BoundedLines<R> {
    /// Reads from `inner`, and calls `on_excess` before it ends with an error.
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
        if self.length > LARGEST_MESSAGE {
            (self.on_excess)();
            return Poll::Ready(Err(io::Error::other("the message is too large")));
        }
        Poll::Ready(Ok(()))
    }
}
