//! What a component logs and prints.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hookloop_engine::Captured;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

/// How many bytes of it are kept for each event; the rest is only counted.
const MAX_BYTES: usize = 64 * 1024;

/// Collects log lines and output. Clones share the same buffer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Captured>>);

impl Log {
    /// Adds a line.
    pub(crate) fn line(&self, level: &str, text: &str) {
        let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for part in [level, ": ", text, "\n"] {
            add(&mut captured, part.as_bytes());
        }
    }

    /// Takes what has been collected so far.
    pub(crate) fn take(&self) -> Captured {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn add(captured: &mut Captured, bytes: &[u8]) {
    let room = MAX_BYTES.saturating_sub(captured.bytes.len());
    captured.bytes.extend(&bytes[..bytes.len().min(room)]);
    captured.total += bytes.len() as u64;
}

impl AsyncWrite for Log {
    fn poll_write(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let mut captured = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut captured, bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl IsTerminal for Log {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Log {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}
