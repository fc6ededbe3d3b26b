//! The signals that end a session (IO-33, IO-34, SE-1).

/// Waits for Ctrl-C, a termination or a hang-up.
pub struct Signals {
    #[cfg(unix)]
    streams: Vec<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Begins to listen.
    pub fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        // A signal that can't be listened for keeps its usual effect.
        Self {
            streams: kinds
                .into_iter()
                .filter_map(|kind| signal(kind).ok())
                .collect(),
        }
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let arrived = self
                .streams
                .iter_mut()
                .any(|stream| stream.poll_recv(context).is_ready());
            if arrived {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
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
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
