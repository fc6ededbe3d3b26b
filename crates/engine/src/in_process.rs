//! Hooks that are closures of the host which embeds the engine.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hookloop_events::{Cause, Decision, Event, Malformed, Reason, Reply};
use hookloop_hook::{HookDeclaration, HookId, OnFailure};
use serde_json::Map;

use crate::failure::Failure;
use crate::reading::{Reading, ineffective_fields};
use crate::registry::Registry;

type Answer<E> = dyn Fn(&<E as Event>::Input) -> Reply + Send + Sync;

/// A closure that answers an event. It runs on the engine's own thread: a hand-off would cost
/// more than the call, so it should return soon.
pub(crate) struct Closure<E: Event> {
    answer: Box<Answer<E>>,
}

/// The closures of a host, with the hooks that they are.
#[derive(Default)]
pub(crate) struct Closures {
    by_hook: HashMap<HookId, Arc<dyn Any + Send + Sync>>,
    hooks: Vec<Arc<HookDeclaration>>,
}

impl Closures {
    pub(crate) fn insert<E: Event>(
        &mut self,
        name: &str,
        answer: impl Fn(&E::Input) -> Reply + Send + Sync + 'static,
    ) {
        let mut hook = HookDeclaration::in_process(E::NAME, name);
        // Two closures of one name are two hooks: the second must not put the first one out.
        while self.by_hook.contains_key(&hook.id) {
            hook.id = HookId::from_text(&format!("{}+", hook.id));
        }
        let closure = Closure::<E> {
            answer: Box::new(answer),
        };
        self.by_hook.insert(hook.id.clone(), Arc::new(closure));
        self.hooks.push(Arc::new(hook));
    }

    /// Adds the hooks behind those of a registry.
    pub(crate) fn register(&self, registry: &mut Registry) {
        for hook in &self.hooks {
            registry.push_in_process(Arc::clone(hook));
        }
    }

    pub(crate) fn get<E: Event>(&self, hook: &HookId) -> Option<Arc<Closure<E>>> {
        Arc::clone(self.by_hook.get(hook)?).downcast().ok()
    }
}

impl<E: Event> Closure<E> {
    /// Asks the closure. One that panics has failed like a program that crashed.
    pub(crate) fn call(&self, hook: &HookDeclaration, input: &E::Input) -> Reading<E::Answer> {
        match catch_unwind(AssertUnwindSafe(|| (self.answer)(input))) {
            Ok(reply) => read_closure::<E>(hook, reply),
            Err(_) => fail::<E>(hook, Malformed::new("the in-process hook panicked")),
        }
    }
}

fn read_closure<E: Event>(hook: &HookDeclaration, reply: Reply) -> Reading<E::Answer> {
    let malformed = match E::decode(&reply, hook.label()) {
        Ok(answer) => {
            return Reading {
                answer: Some(answer),
                notices: ineffective_fields(E::NAME, &reply),
                reply: Some(reply),
                ..Reading::silent()
            };
        }
        Err(malformed) => malformed,
    };
    let refuses = reply.stops() || reply.decision >= Some(Decision::Ask);
    let bare = Reply {
        specific: Map::new(),
        system_message: None,
        ..reply
    };
    match E::decode(&bare, hook.label()) {
        // A broken field takes nothing away from a refusal (IO-22).
        Ok(answer) if refuses && E::NAME.can_refuse() => Reading {
            answer: Some(answer),
            reply: Some(bare),
            failure: Some(Failure::MalformedReply(malformed)),
            ..Reading::silent()
        },
        _ => fail::<E>(hook, malformed),
    }
}

fn fail<E: Event>(hook: &HookDeclaration, malformed: Malformed) -> Reading<E::Answer> {
    let failure = Failure::MalformedReply(malformed);
    let reason = Reason::of_refusal([Some(failure.to_string().as_str())], hook.label());
    Reading {
        answer: match hook.on_failure {
            OnFailure::Deny => E::refusal(reason, Cause::Failure),
            OnFailure::Warn | OnFailure::Default => None,
        },
        failure: Some(failure),
        ..Reading::silent()
    }
}
