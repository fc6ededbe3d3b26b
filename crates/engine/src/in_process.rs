//! Hooks that are closures of the host that embeds the engine.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Display;
use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt as _;
use hookloop_events::{
    Attributed, Author, Cause, Decision, Event, Reason, Reply, Summary, Verdict,
};
use hookloop_hook::{HookDeclaration, HookId};
use serde_json::Map;

use crate::failure::Failure;
use crate::port::BoxFuture;
use crate::reading::Reading;
use crate::registry::Registry;
use crate::remark::ineffective_fields;
use crate::vocabulary::Vocabulary;

/// What a closure said: in the words of a program, or in the event's own.
enum ClosureReply<A> {
    Reply(Reply),
    Answer(A),
}

type Answering<E> = dyn Fn(
        Arc<<E as Event>::Input>,
    ) -> BoxFuture<'static, Result<ClosureReply<<E as Event>::Answer>, String>>
    + Send
    + Sync;

/// A closure that answers an event. It runs in the task that fires the event.
pub(crate) struct Closure<E: Event>(Box<Answering<E>>);

impl<E: Event> Closure<E> {
    /// Wraps a closure that answers at once, in the words of a program.
    pub(crate) fn replying(reply: impl Fn(&E::Input) -> Reply + Send + Sync + 'static) -> Self {
        Self(Box::new(move |input| {
            // The closure doesn't wait for anything, so it is called right here.
            let answered = ClosureReply::Reply(reply(&input));
            Box::pin(ready(Ok(answered)))
        }))
    }

    /// Wraps a closure that answers in the event's own words, or says that it failed.
    pub(crate) fn answering<F, Answer, Spoken, Error>(answer: F) -> Self
    where
        F: Fn(Arc<E::Input>) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Result<Spoken, Error>> + Send + 'static,
        Spoken: Into<E::Answer>,
        Error: Display,
    {
        Self(Box::new(move |input| {
            let answer = answer(input);
            Box::pin(async move {
                match answer.await {
                    Ok(said) => Ok(ClosureReply::Answer(said.into())),
                    Err(error) => Err(error.to_string()),
                }
            })
        }))
    }

    /// Asks the closure. One that panics has failed like a program that crashed.
    pub(crate) async fn call(
        &self,
        hook: &HookDeclaration,
        input: &Arc<E::Input>,
    ) -> Reading<E::Answer> {
        let asked = catch_unwind(AssertUnwindSafe(|| (self.0)(Arc::clone(input))));
        let said = match asked {
            Ok(answering) => AssertUnwindSafe(answering).catch_unwind().await,
            Err(panicked) => Err(panicked),
        };
        match said {
            Ok(Ok(ClosureReply::Reply(reply))) => read_reply::<E>(hook, reply),
            Ok(Ok(ClosureReply::Answer(answer))) => read_answer::<E>(hook, input, answer),
            Ok(Err(why)) => read_failure::<E>(hook, Failure::Errored(why)),
            Err(panicked) => read_failure::<E>(hook, Failure::Errored(words_of(&*panicked))),
        }
    }
}

/// Returns the message of a panic.
fn words_of(panicked: &(dyn Any + Send)) -> String {
    let text = panicked.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panicked.downcast_ref::<String>().map(String::as_str));
    match text {
        Some(text) => format!("it panicked: {text}"),
        None => "it panicked".to_owned(),
    }
}

/// The closures of a host, with the hooks that they are.
#[derive(Default)]
pub(crate) struct Closures {
    by_hook: HashMap<HookId, Arc<dyn Any + Send + Sync>>,
    hooks: Vec<Arc<HookDeclaration>>,
}

impl Closures {
    pub(crate) fn insert<E: Event>(&mut self, mut hook: HookDeclaration, closure: Closure<E>) {
        // Two closures with one name are two hooks: the second must not replace the first.
        while self.by_hook.contains_key(&hook.id) {
            hook.id = HookId::from_text(&format!("{}+", hook.id));
        }
        self.by_hook.insert(hook.id.clone(), Arc::new(closure));
        self.hooks.push(Arc::new(hook));
    }

    /// Adds the hooks after those of a registry.
    pub(crate) fn register(&self, registry: &mut Registry) {
        for hook in &self.hooks {
            registry.push_in_process(Arc::clone(hook));
        }
    }

    pub(crate) fn get<E: Event>(&self, hook: &HookId) -> Option<Arc<Closure<E>>> {
        Arc::clone(self.by_hook.get(hook)?).downcast().ok()
    }
}

fn read_reply<E: Event>(hook: &HookDeclaration, reply: Reply) -> Reading<E::Answer> {
    let malformed = match E::decode(&reply, hook.label()) {
        Ok(answer) => {
            return Reading {
                answer: Some(answer),
                remarks: ineffective_fields(
                    Vocabulary::of::<E>(),
                    E::NAME.refusing(hook.dialect),
                    &reply,
                ),
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
        // A malformed field doesn't weaken a refusal (IO-22).
        Ok(answer) if refuses && E::NAME.can_refuse() => Reading {
            answer: Some(answer),
            reply: Some(bare),
            failure: Some(Failure::MalformedReply(malformed)),
            ..Reading::silent()
        },
        _ => read_failure::<E>(hook, Failure::MalformedReply(malformed)),
    }
}

/// Uses an answer as it is; records get the reply with which a program would have given it.
fn read_answer<E: Event>(
    hook: &HookDeclaration,
    input: &E::Input,
    answer: E::Answer,
) -> Reading<E::Answer> {
    let author = Author {
        id: hook.id.clone(),
        label: hook.label().to_owned(),
        weight: hook.authority(),
    };
    let alone = Attributed {
        hook: author,
        answer: answer.clone(),
    };
    Reading {
        reply: Some(reply_of(E::merge(input, vec![alone]).summary)),
        answer: Some(answer),
        ..Reading::silent()
    }
}

fn reply_of(summary: Summary) -> Reply {
    const CONTEXT: &str = "additionalContext";
    let mut specific = summary.changes;
    let context = summary.additional_context;
    specific.extend(context.map(|context| (CONTEXT.to_owned(), context.into())));
    Reply {
        goes_on: (summary.verdict == Verdict::Stopped).then_some(false),
        stop_reason: summary.stop_reason,
        decision: summary.decision,
        reason: summary.reason,
        specific,
        ..Reply::default()
    }
}

/// Reads what a failure means (IO-21).
pub(crate) fn read_failure<E: Event>(
    hook: &HookDeclaration,
    failure: Failure,
) -> Reading<E::Answer> {
    let reason = Reason::of_refusal([Some(failure.to_string().as_str())], hook.label());
    let refusal = E::refusal(reason, Cause::Failure);
    Reading {
        answer: refusal.filter(|_| failure.refuses(E::NAME, hook)),
        failure: Some(failure),
        ..Reading::silent()
    }
}
