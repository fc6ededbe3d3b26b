//! Hooks that are closures of the host which embeds the engine.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hookloop_events::{Cause, Event, Malformed, Reason, Reply};
use hookloop_settings::{HookDeclaration, HookId, OnFailure};

use crate::failure::Failure;
use crate::reading::Reading;

/// A closure that answers an event. It runs on the engine's own thread: a hand-off would cost
/// more than the call, so it should return soon.
pub(crate) struct Closure<E: Event> {
    answer: Box<dyn Fn(&E::Input) -> Reply + Send + Sync>,
}

/// The closures of a host, by hook.
#[derive(Default)]
pub(crate) struct Closures {
    by_hook: HashMap<HookId, Arc<dyn Any + Send + Sync>>,
}

impl Closures {
    pub(crate) fn insert<E: Event>(
        &mut self,
        hook: HookId,
        answer: impl Fn(&E::Input) -> Reply + Send + Sync + 'static,
    ) {
        let closure = Closure::<E> { answer: Box::new(answer) };
        self.by_hook.insert(hook, Arc::new(closure));
    }

    pub(crate) fn get<E: Event>(&self, hook: &HookId) -> Option<Arc<Closure<E>>> {
        Arc::clone(self.by_hook.get(hook)?).downcast().ok()
    }
}

impl<E: Event> Closure<E> {
    /// Asks the closure. One that panics has failed like a program that crashed.
    pub(crate) fn call(&self, hook: &HookDeclaration, input: &E::Input) -> Reading<E::Answer> {
        let label = hook.label();
        let decoded = catch_unwind(AssertUnwindSafe(|| (self.answer)(input)))
            .map_err(|_| Malformed::new("the in-process hook panicked"))
            .and_then(|reply| E::decode(&reply, label).map(|answer| (answer, reply)));
        match decoded {
            Ok((answer, reply)) => Reading {
                answer: Some(answer),
                reply: Some(reply),
                failure: None,
                notices: Vec::new(),
            },
            Err(malformed) => {
                let failure = Failure::MalformedReply(malformed);
                let reason = Reason::of_refusal([Some(failure.to_string().as_str())], label);
                let answer = match hook.on_failure {
                    OnFailure::Deny => E::refusal(reason, Cause::Failure),
                    OnFailure::Warn => None,
                };
                Reading { answer, reply: None, failure: Some(failure), notices: Vec::new() }
            }
        }
    }
}
