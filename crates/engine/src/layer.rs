//! Layers around executors. Whatever a layer doesn't change is forwarded here, and only here.

use hookloop_events::SessionIdentity;
use hookloop_hook::HookDeclaration;
use serde_json::{Map, Value};

use crate::port::{BoxFuture, Completion, ConditionAnswer, Executor, FinalReport, Invocation};
use crate::translation::Translation;

/// Wraps an executor to change how hooks are run or what they read. It is an [`Executor`] itself,
/// and forwards everything else to the one that it wraps.
///
/// ```
/// use hookloop_engine::{BoxFuture, Completion, Executor, ExecutorLayer, Invocation};
///
/// /// Runs no hook whose name begins with an underscore.
/// struct Named<E>(E);
///
/// impl<E: Executor> ExecutorLayer for Named<E> {
///     type Inner = E;
///
///     fn inner(&self) -> &E {
///         &self.0
///     }
///
///     fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
///         if invocation.hook.label().starts_with('_') {
///             return Box::pin(async { Completion::not_started("it is private") });
///         }
///         self.0.execute(invocation)
///     }
/// }
/// ```
pub trait ExecutorLayer: Send + Sync {
    /// The wrapped executor.
    type Inner: Executor;

    /// Returns the wrapped executor.
    fn inner(&self) -> &Self::Inner;

    /// Runs one hook, as [`Executor::execute`] does.
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        self.inner().execute(invocation)
    }

    /// Returns the additional fields for a hook of another dialect, as
    /// [`Executor::additional_fields`] does.
    fn additional_fields(&self, translation: &Translation<'_>) -> Map<String, Value> {
        self.inner().additional_fields(translation)
    }
}

#[deny(clippy::missing_trait_methods)]
impl<L: ExecutorLayer> Executor for L {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        ExecutorLayer::execute(self, invocation)
    }

    fn condition(&self, hook: &HookDeclaration, payload: &Value) -> ConditionAnswer {
        self.inner().condition(hook, payload)
    }

    fn explain(&self, hook: &HookDeclaration, payload: &Value) -> Vec<String> {
        self.inner().explain(hook, payload)
    }

    fn additional_fields(&self, translation: &Translation<'_>) -> Map<String, Value> {
        ExecutorLayer::additional_fields(self, translation)
    }

    fn set_environment(
        &self,
        hook: &HookDeclaration,
        session: &SessionIdentity,
        variables: &[(String, String)],
    ) -> Option<String> {
        self.inner().set_environment(hook, session, variables)
    }

    fn end_session<'e>(&'e self, session: &'e SessionIdentity) -> BoxFuture<'e, Vec<FinalReport>> {
        self.inner().end_session(session)
    }
}
