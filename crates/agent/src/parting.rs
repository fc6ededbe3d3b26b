//! Hooks that nobody waits for while the session goes on (PC-2, SE-2).

use std::future::Future;
use std::time::Duration;

use tokio::task::JoinSet;

/// How long the end of a session waits for them.
const PARTING_WAIT: Duration = Duration::from_secs(1);

/// The running hooks that the session does not wait for.
#[derive(Debug, Default)]
pub(crate) struct PartingHooks(JoinSet<()>);

impl PartingHooks {
    /// Lets hooks run beside the session.
    pub(crate) fn spawn(&mut self, firing: impl Future<Output = ()> + Send + 'static) {
        // Those that ended need no room any more.
        while self.0.try_join_next().is_some() {}
        self.0.spawn(firing);
    }

    /// Waits a last moment; what still runs then goes on without the session.
    pub(crate) async fn wait(mut self) {
        let all = async { while self.0.join_next().await.is_some() {} };
        drop(tokio::time::timeout(PARTING_WAIT, all).await);
    }
}
