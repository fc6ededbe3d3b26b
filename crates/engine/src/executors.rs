//! Selects the executor for each type of hook.

use std::collections::HashMap;
use std::sync::Arc;

use hookloop_events::SessionIdentity;
use hookloop_hook::{HookDeclaration, HookType};
use serde_json::{Map, Value};

use crate::port::{BoxFuture, Completion, ConditionAnswer, Executor, FinalReport, Invocation};
use crate::translation::Translation;

/// Executors by hook type, with an optional executor for all other types.
///
/// A hook of a kind without an executor is reported as not started (IO-21).
#[derive(Clone, Default)]
pub struct Executors {
    by_kind: HashMap<HookType, Arc<dyn Executor>>,
    others: Option<Arc<dyn Executor>>,
}

impl Executors {
    /// Sets the executor for hooks of a kind.
    #[must_use]
    pub fn with(mut self, kind: HookType, executor: impl Executor + 'static) -> Self {
        self.by_kind.insert(kind, Arc::new(executor));
        self
    }

    /// Sets the executor for hooks of every kind without an executor of its own.
    #[must_use]
    pub fn with_others(mut self, executor: impl Executor + 'static) -> Self {
        self.others = Some(Arc::new(executor));
        self
    }
}

impl Executors {
    /// Returns the executor that knows a hook's surroundings: the one for all other kinds, even if
    /// this kind has its own.
    fn of(&self, hook: &HookDeclaration) -> Option<&Arc<dyn Executor>> {
        let kind = hook.handler.hook_type();
        let own = kind.and_then(|kind| self.by_kind.get(&kind));
        self.others.as_ref().or(own)
    }
}

#[deny(clippy::missing_trait_methods)]
impl Executor for Executors {
    fn execute(&self, invocation: Invocation) -> BoxFuture<'_, Completion> {
        let kind = invocation.hook.handler.hook_type();
        let own = kind.and_then(|kind| self.by_kind.get(&kind));
        if let Some(executor) = own.or(self.others.as_ref()) {
            return executor.execute(invocation);
        }
        let kind = invocation.hook.handler.type_name();
        let why = format!("the host has no executor for hooks of type \"{kind}\"");
        Box::pin(async { Completion::not_started(why) })
    }

    fn condition(&self, hook: &HookDeclaration, payload: &Value) -> ConditionAnswer {
        match self.of(hook) {
            Some(executor) => executor.condition(hook, payload),
            None => ConditionAnswer::Unknown("the host evaluates no conditions".to_owned()),
        }
    }

    fn explain(&self, hook: &HookDeclaration, payload: &Value) -> Vec<String> {
        match self.of(hook) {
            Some(executor) => executor.explain(hook, payload),
            None => Vec::new(),
        }
    }

    fn additional_fields(&self, translation: &Translation<'_>) -> Map<String, Value> {
        match self.of(translation.hook) {
            Some(executor) => executor.additional_fields(translation),
            None => Map::new(),
        }
    }

    fn set_environment(
        &self,
        hook: &HookDeclaration,
        session: &SessionIdentity,
        variables: &[(String, String)],
    ) -> Option<String> {
        match self.of(hook) {
            Some(executor) => executor.set_environment(hook, session, variables),
            None => Some("the host has no executor for the environment that it sets".to_owned()),
        }
    }

    fn end_session<'e>(&'e self, session: &'e SessionIdentity) -> BoxFuture<'e, Vec<FinalReport>> {
        Box::pin(async move {
            let mut notices = Vec::new();
            for executor in self.by_kind.values().chain(&self.others) {
                notices.extend(executor.end_session(session).await);
            }
            notices
        })
    }
}
