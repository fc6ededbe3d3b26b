//! Hooks that the session doesn't wait for (PC-2, SE-2).

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long the end of a session waits for them: the second that they have, and some time to report
/// what happened to them.
const WAIT_AT_END: Duration = Duration::from_millis(1_500);

/// The running hooks that the session doesn't wait for.
#[derive(Debug, Default)]
pub(crate) struct UnawaitedHooks {
    running: Mutex<JoinSet<()>>,
    departure: CancellationToken,
}

impl UnawaitedHooks {
    /// Returns what informs hooks that the session is about to end.
    pub(crate) fn departure(&self) -> CancellationToken {
        self.departure.clone()
    }

    /// Runs hooks beside the session.
    pub(crate) fn spawn(&self, firing: impl Future<Output = ()> + Send + 'static) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        // Frees the entries of hooks that have ended.
        while running.try_join_next().is_some() {}
        running.spawn(firing);
    }

    /// Waits a last moment; what still runs then continues without the session, which is reported.
    pub(crate) async fn wait(&self) {
        self.departure.cancel();
        let mut running = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *running)
        };
        let all = async { while running.join_next().await.is_some() {} };
        drop(tokio::time::timeout(WAIT_AT_END, all).await);
    }
}
