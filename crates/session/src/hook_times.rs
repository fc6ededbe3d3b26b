//! The periods in which a session's hooks run: if a file changes then, a hook changed it, not a
//! tool call (TR-8).

use std::sync::{Arc, Mutex, PoisonError, Weak};

use hookloop_engine::{BoxFuture, Completion, Executor, ExecutorLayer, Invocation};

/// Who wants to know when hooks run that are waited for.
pub(crate) trait HookWatch: Send + Sync {
    /// One is going to run.
    fn hook_begins(&self);

    /// One doesn't run any more.
    fn hook_ended(&self);
}

/// Records when hooks run; clones share the record.
#[derive(Clone, Default)]
pub(crate) struct HookTimes(Arc<Mutex<Option<Weak<dyn HookWatch>>>>);

impl HookTimes {
    /// Adds a listener.
    pub(crate) fn tell(&self, watch: Weak<dyn HookWatch>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(watch);
    }

    fn begin(&self) -> Running {
        let watch = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let watch = watch.as_ref().and_then(Weak::upgrade);
        if let Some(watch) = &watch {
            watch.hook_begins();
        }
        Running(watch)
    }
}

/// A hook that runs, even if nobody waits for its end any more.
struct Running(Option<Arc<dyn HookWatch>>);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(watch) = &self.0 {
            watch.hook_ended();
        }
    }
}

/// Runs hooks, and reports when.
pub(crate) struct Timed<E> {
    executor: E,
    times: HookTimes,
}

impl<E> Timed<E> {
    /// Wraps an executor.
    pub(crate) const fn new(executor: E, times: HookTimes) -> Self {
        Self { executor, times }
    }
}

impl<E: Executor> ExecutorLayer for Timed<E> {
    type Inner = E;

    fn inner(&self) -> &E {
        &self.executor
    }

    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move {
            // A hook that nobody waits for may run during many calls, which would then go
            // unwatched.
            let is_awaited = !invocation.hook.asynchronous;
            let _running = is_awaited.then(|| self.times.begin());
            self.executor.execute(invocation).await
        })
    }
}
