//! `PreCompress`: most hooks are only notified, but hooks of other agents may refuse (PC-1…3).

use std::future::Future;

use hookloop_events::{
    Cancelled, CompressTrigger, PreCompress, PreCompressInput, PreCompressOutcome,
};
use tokio_util::sync::CancellationToken;

use super::SessionHooks;
use crate::call::{Call, Chosen};
use crate::fireable::Fireable;
use crate::firing::Detachment;

impl SessionHooks {
    /// Fires `PreCompress` for the hooks that decide nothing. Spawn the future: compression doesn't
    /// wait for it (PC-2). Returns `None` if no hook is configured for the event.
    ///
    /// `departure` is cancelled when the host is about to exit. The future then ends within one
    /// second, and reports the hooks that continue without the host, like
    /// [`session_end`](Self::session_end).
    pub fn pre_compress(
        &self,
        trigger: CompressTrigger,
        departure: CancellationToken,
    ) -> Option<impl Future<Output = ()> + Send + 'static> {
        if self.inner.is_idle::<PreCompress>() {
            return None;
        }
        let session = self.clone();
        Some(async move {
            let input = PreCompressInput { trigger };
            let call = Call {
                chosen: Chosen::Advising,
                ..session.call(Detachment::Parting(departure))
            };
            PreCompress::fire(&call, input).await;
        })
    }

    /// Fires `PreCompress` for the hooks that may refuse it, which are those of other agents, and
    /// waits for them (PC-3). The history may be compressed only if they allow it.
    ///
    /// # Errors
    /// The hooks were [cancelled](Cancelled): the history must not be compressed (EV-5).
    pub async fn may_compress(
        &self,
        trigger: CompressTrigger,
    ) -> Result<PreCompressOutcome, Cancelled> {
        if self.inner.is_idle::<PreCompress>() {
            return Ok(PreCompressOutcome::Proceed);
        }
        let call = Call {
            chosen: Chosen::Deciding,
            ..self.bound_call()
        };
        match PreCompress::fire(&call, PreCompressInput { trigger }).await {
            Some(fired) => fired.outcome,
            None => Ok(PreCompressOutcome::Proceed),
        }
    }
}
