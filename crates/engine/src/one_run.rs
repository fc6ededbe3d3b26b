//! Runs one hook until it ends: its deadline, its input, and how its output is read.

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{Event, Payload};
use hookloop_hook::{Authority, Dialect, HookDeclaration};
use tokio::time::Instant;

use crate::dialect_boundary::{Spoken, Understood, outgoing, translate_payload, translate_reply};
use crate::failure::Failure;
use crate::firing::{Detachment, Firing};
use crate::in_process::read_failure;
use crate::lifecycle::Lifecycle;
use crate::port::{Completion, Ending, Invocation, Lifetime};
use crate::ran::{Ran, RunFacts};
use crate::reading::{Ended, Reading, read};
use crate::remark::Remark;
use crate::span::OpenSpan;
use crate::stop::{StopCause, StopSignal};
use crate::translation::Translation;

/// How long an executor may take to end a hook after it was asked to: the grace of IO-31 and the
/// drain of IO-32, with room for a busy machine. After that, the hook is abandoned.
const STOP_BOUND: Duration = Duration::from_millis(1_400);

/// A hook's place in its plan.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) hook: &'a Arc<HookDeclaration>,
    pub(crate) index: usize,
    pub(crate) of: usize,
    /// Whether no other hook of the event runs at the same time.
    pub(crate) is_alone: bool,
    pub(crate) weight: Authority,
}

/// Runs one hook by itself.
pub(crate) async fn run_alone<E: Event>(
    firing: &Firing<'_>,
    hook: &Arc<HookDeclaration>,
    input: &Arc<E::Input>,
) -> Ran<E> {
    let turn = Turn {
        hook,
        index: 0,
        of: 1,
        is_alone: true,
        weight: hook.authority(),
    };
    let payload = firing.payload::<E>(input);
    run_to_end::<E>(firing, turn, input, payload).await
}

/// Runs a hook until it has ended.
pub(crate) async fn run_to_end<E: Event>(
    firing: &Firing<'_>,
    turn: Turn<'_>,
    input: &Arc<E::Input>,
    mut payload: Payload,
) -> Ran<E> {
    let hook = turn.hook;
    firing.observer.observe(
        firing.session,
        &Lifecycle::Started {
            event: E::NAME,
            hook: Arc::clone(hook),
            number: turn.index + 1,
            of: turn.of,
        },
    );
    let run_id = uuid::Uuid::new_v4().to_string();
    let span = OpenSpan::for_run(firing.span, firing.session, E::NAME, hook);
    let started_at = firing.clock.now();
    let started = Instant::now();
    let mut consents = false;
    let (completion, stop_cause, reading) =
        if let Some(closure) = firing.closures.get::<E>(&hook.id) {
            // Boxed, so that the future isn't larger for events without closures.
            let asked = Box::pin(ask::<E>(firing, hook, closure.call(hook, input)));
            let (stop_cause, reading) = asked.await;
            let ending = stop_cause.map_or(Ending::Exited(0), |_| Ending::Stopped);
            let completion = Completion {
                duration: started.elapsed(),
                ..Completion::ended(ending)
            };
            (completion, stop_cause, reading)
        } else {
            payload = outgoing(hook, firing.asked_for.get(&hook.id), payload);
            let run = Run {
                id: run_id.clone(),
                trace_parent: span.trace_parent(),
                is_alone: turn.is_alone,
            };
            let carried_out = Box::pin(carry_out::<E>(firing, hook, input, &payload, run)).await;
            consents = carried_out.consents;
            (
                carried_out.completion,
                carried_out.stop_cause,
                carried_out.reading,
            )
        };
    let facts = RunFacts {
        read: Arc::clone(input),
        weight: turn.weight,
        session_id: firing.session.session_id.clone(),
        run_id,
        hook: Arc::clone(hook),
        started_at,
        payload,
        completion,
        stop_cause,
        consents,
    };
    let ran = Ran::<E>::new(facts, reading);
    span.end_run(&ran.record);
    let finished = Lifecycle::Finished {
        event: E::NAME,
        hook: Arc::clone(hook),
        duration: ran.record.duration,
        result: ran.record.result,
    };
    firing.observer.observe(firing.session, &finished);
    ran
}

/// The result of a hook that the executor ran.
struct CarriedOut<A> {
    completion: Completion,
    stop_cause: Option<StopCause>,
    reading: Reading<A>,
    /// Whether it consents in words that make a confirmation unnecessary in its dialect (FD-21).
    consents: bool,
}

/// Lets the executor run a hook, in the words of the hook's dialect, and reads its answer.
async fn carry_out<E: Event>(
    firing: &Firing<'_>,
    hook: &Arc<HookDeclaration>,
    input: &Arc<E::Input>,
    payload: &Payload,
    run: Run,
) -> CarriedOut<E::Answer> {
    let foreign = (hook.dialect != Dialect::Hookloop).then(|| {
        let translation = Translation::of::<E>(hook, firing.session, input, payload);
        let beside = firing.executor.additional_fields(&translation);
        translate_payload::<E>(hook, input, payload, firing.turn, beside)
    });
    let read_by_hook = foreign.as_ref().map_or(payload, |it| &it.theirs);
    let (completion, stop_cause) = match foreign.as_ref().and_then(Spoken::untranslatable) {
        Some(why) => (Completion::not_started(why), None),
        None => execute(firing, hook, read_by_hook, run).await,
    };
    let mut meant = match &foreign {
        Some(asked) => translate_reply(hook, E::NAME, asked, &completion),
        None => None,
    };
    let consents = meant.as_ref().is_some_and(|it| it.consents);
    if let Some(meant) = &mut meant
        && let Some(remark) = set_environment(firing, hook, meant)
    {
        meant.completion.remarks.push(remark);
    }
    let mut reading = read::<E>(&Ended {
        hook,
        completion: meant.as_ref().map_or(&completion, |it| &it.completion),
        stop_cause,
        max_output_bytes: firing.max_output_bytes,
    });
    let of_dialect = meant.as_mut().map(|it| std::mem::take(&mut it.remarks));
    let of_dialect = of_dialect.into_iter().flatten().map(Remark::OncePerHook);
    reading.remarks.extend(of_dialect);
    if let Some(meant) = meant.filter(|it| !it.removed.is_empty()) {
        let answer = reading.answer.take();
        reading.answer = answer.map(|it| E::leaving_out(it, meant.removed));
    }
    CarriedOut {
        completion,
        stop_cause,
        reading,
        consents,
    }
}

/// Passes on what a hook of another dialect sets for later commands, and returns what has to be
/// reported about it (FD-14).
fn set_environment(
    firing: &Firing<'_>,
    hook: &HookDeclaration,
    meant: &Understood,
) -> Option<String> {
    // The reply of a hook in shadow mode has no effect (HT-2).
    if meant.environment.is_empty() || hook.mode == hookloop_hook::Mode::Shadow {
        return None;
    }
    firing
        .executor
        .set_environment(hook, firing.session, &meant.environment)
}

/// Waits for a hook of the host itself until it has answered, its deadline passes or the turn is
/// cancelled (IO-31, IO-33). One that answers at once has answered.
async fn ask<E: Event>(
    firing: &Firing<'_>,
    hook: &HookDeclaration,
    answering: impl Future<Output = Reading<E::Answer>>,
) -> (Option<StopCause>, Reading<E::Answer>) {
    let (cause, failure) = tokio::select! {
        biased;
        reading = answering => return (None, reading),
        () = firing.cancel.cancelled() => (StopCause::Cancelled, Failure::Cancelled),
        () = tokio::time::sleep(hook.timeout) => {
            (StopCause::TimedOut, Failure::TimedOut(hook.timeout))
        }
    };
    (Some(cause), read_failure::<E>(hook, failure))
}

/// What distinguishes a run from others.
struct Run {
    id: String,
    trace_parent: Option<String>,
    is_alone: bool,
}

/// Executes a hook until it ends, its deadline passes or the turn is cancelled (IO-31, IO-33).
async fn execute(
    firing: &Firing<'_>,
    hook: &Arc<HookDeclaration>,
    payload: &Payload,
    run: Run,
) -> (Completion, Option<StopCause>) {
    if firing.cancel.is_cancelled() {
        // Nobody is waiting for an answer any more, so nothing is started.
        return (
            Completion::ended(Ending::Stopped),
            Some(StopCause::Cancelled),
        );
    }
    if let Some(broken) = &hook.broken {
        // Its author meant it to run, so it keeps its place in the plan and counts as not started
        // (IO-21).
        let why = format!("{} ({}); {}", broken.cause, broken.source, broken.help);
        return (Completion::not_started(why), None);
    }
    let stop = StopSignal::new();
    let invocation = Invocation {
        hook: Arc::clone(hook),
        event: hook.event,
        session: Arc::clone(firing.session),
        input: payload.clone(),
        max_output_bytes: firing.max_output_bytes,
        stop: stop.clone(),
        lifetime: match firing.detachment {
            Detachment::Bound => Lifetime::Bound,
            Detachment::Parting(_) => Lifetime::Detached {
                timeout: hook.timeout,
            },
        },
        first_line: firing.first_line.cloned(),
        is_alone: run.is_alone,
        run_id: run.id,
        trace_parent: run.trace_parent,
        agreed: None,
    };
    let started = Instant::now();
    let mut execution = firing.executor.execute(invocation);
    let cause = tokio::select! {
        biased;
        completion = &mut execution => return (completion, None),
        () = firing.cancel.cancelled() => StopCause::Cancelled,
        () = tokio::time::sleep(hook.timeout) => StopCause::TimedOut,
    };
    stop.stop(cause);
    // An executor that doesn't return is abandoned: no hook may block the agent (IO-32).
    let mut completion = tokio::time::timeout(STOP_BOUND, execution)
        .await
        .unwrap_or_else(|_| Completion {
            duration: started.elapsed(),
            ..Completion::ended(Ending::Stopped)
        });
    // The exit code of a hook that was asked to end decides nothing, except for a refusal, which
    // still counts. So does a service's statement that it looked at nothing (IO-21).
    let stands = match completion.ending {
        Ending::Exited(2) => true,
        Ending::NotStarted(_) => cause == StopCause::TimedOut,
        _ => false,
    };
    if !stands {
        completion.ending = Ending::Stopped;
    }
    (completion, Some(cause))
}
