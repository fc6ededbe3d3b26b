//! Ends running hooks when the person, or the system, wants the program to end (IO-33, IO-34).

use tokio_util::sync::CancellationToken;

/// Says whether work was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// It came to its end.
    None,
    /// A signal asked it to end.
    Interrupted,
}

/// Does work to its end. A signal cancels its token, and the work ends soon after.
pub(super) async fn interruptible<T>(
    work: impl AsyncFnOnce(CancellationToken) -> T,
) -> (T, Interruption) {
    let cancel = CancellationToken::new();
    let work = work(cancel.clone());
    tokio::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return (done, Interruption::None),
        () = signalled() => cancel.cancel(),
    }
    (work.await, Interruption::Interrupted)
}

/// Waits for a signal that ends the program; for ever where signals can't be watched.
#[cfg(unix)]
async fn signalled() {
    use tokio::signal::unix::{SignalKind, signal};
    let watch = |kind| async move {
        match signal(kind) {
            Ok(mut signals) => {
                signals.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = watch(SignalKind::interrupt()) => {}
        () = watch(SignalKind::terminate()) => {}
        () = watch(SignalKind::hangup()) => {}
    }
}

#[cfg(not(unix))]
async fn signalled() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
