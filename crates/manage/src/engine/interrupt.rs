//! Ends running hooks if the person or the system ends the program (IO-33, IO-34).

use hookloop_session::Signals;
use tokio_util::sync::CancellationToken;

/// Whether work was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// It was completed.
    None,
    /// A signal, or the caller, ended it.
    Interrupted,
}

/// Runs work to its end. A signal or `stop` cancels its token, and the work ends soon after.
pub(super) async fn interruptible<T>(
    stop: &CancellationToken,
    work: impl AsyncFnOnce(CancellationToken) -> T,
) -> (T, Interruption) {
    // Before any hook starts, so that no signal is missed.
    let mut signals = Signals::listen();
    let cancel = CancellationToken::new();
    let work = work(cancel.clone());
    tokio::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return (done, Interruption::None),
        () = signals.next() => cancel.cancel(),
        () = stop.cancelled() => cancel.cancel(),
    }
    (work.await, Interruption::Interrupted)
}
