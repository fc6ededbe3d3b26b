//! The signals that end a session (IO-33, IO-34, SE-1).

use std::sync::OnceLock;
use std::time::Instant;

static FIRST_RECEIVED: OnceLock<Instant> = OnceLock::new();

/// Returns when this process received its first signal, if somebody listened to it.
pub(crate) fn first_received() -> Option<Instant> {
    FIRST_RECEIVED.get().copied()
}

/// Which signal arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Received {
    /// Ctrl+C.
    Interrupt,
    /// One that ends the session.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no others here"))]
    End,
}

/// Waits for Ctrl+C, Ctrl-\\, a termination or a hang-up.
pub struct Signals {
    #[cfg(unix)]
    streams: Vec<(Received, tokio::signal::unix::Signal)>,
}

#[cfg(unix)]
impl Signals {
    /// Begins to listen.
    pub fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [
            (Received::Interrupt, SignalKind::interrupt()),
            (Received::End, SignalKind::terminate()),
            (Received::End, SignalKind::hangup()),
            (Received::End, SignalKind::quit()),
        ];
        // A signal that can't be handled keeps its default effect.
        Self {
            streams: kinds
                .into_iter()
                .filter_map(|(heard, kind)| Some((heard, signal(kind).ok()?)))
                .collect(),
        }
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        self.recv().await;
    }

    /// Waits for the next one, and returns which it is.
    pub(crate) async fn recv(&mut self) -> Received {
        std::future::poll_fn(|context| {
            for (heard, stream) in &mut self.streams {
                if stream.poll_recv(context).is_ready() {
                    FIRST_RECEIVED.get_or_init(Instant::now);
                    return std::task::Poll::Ready(*heard);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Begins to listen.
    pub fn listen() -> Self {
        Self {}
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        self.recv().await;
    }

    /// Waits for the next one, and returns which it is.
    pub(crate) async fn recv(&mut self) -> Received {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        FIRST_RECEIVED.get_or_init(Instant::now);
        Received::Interrupt
    }
}
