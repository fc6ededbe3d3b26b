//! Runs a plan: deadlines, cancellation, parallel and sequential. The runner never looks at
//! what an answer means, but for passing changes on (PL-8).

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookloop_events::{Attributed, Event, SessionIdentity, payload};
use hookloop_settings::HookDeclaration;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::in_process::Closures;
use crate::lifecycle::{Lifecycle, Observer};
use crate::plan::{Mode, Plan};
use crate::port::{Completion, Ending, Executor, Invocation, Lifetime};
use crate::ran::{Ran, RunFacts};
use crate::reading::{Ended, read};
use crate::stop::{StopCause, StopSignal};

/// How long an executor may take to end a hook after it was asked to: the grace of IO-31 and
/// the drain of IO-32, with room for a busy machine. Past it the hook is let go.
const STOP_BOUND: Duration = Duration::from_millis(1_400);

/// Everything that is the same for all hooks of one firing.
pub(crate) struct Firing<'a> {
    pub(crate) executor: &'a dyn Executor,
    pub(crate) closures: &'a Closures,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) session: &'a Arc<SessionIdentity>,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) max_output_bytes: usize,
    pub(crate) detachment: Detachment,
}

/// Whether hooks may outlive the host (SE-2, PC-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detachment {
    Bound,
    Detached,
}

/// Runs the hooks of a plan and returns what each did, in the order of the plan.
pub(crate) async fn run<E: Event>(
    firing: &Firing<'_>,
    plan: &Plan,
    input: &E::Input,
) -> Vec<Ran<E::Answer>> {
    match plan.mode {
        Mode::Parallel => {
            let payload = payload::<E>(firing.session, &firing.clock.now(), input);
            let runs = plan.hooks.iter().enumerate().map(|(index, hook)| {
                run_one::<E>(firing, Turn { hook, index, of: plan.hooks.len() }, input, Arc::clone(&payload))
            });
            futures_util::future::join_all(runs).await
        }
        Mode::Sequential => {
            let mut input = input.clone();
            let mut ran = Vec::with_capacity(plan.hooks.len());
            for (index, hook) in plan.hooks.iter().enumerate() {
                let payload = payload::<E>(firing.session, &firing.clock.now(), &input);
                let turn = Turn { hook, index, of: plan.hooks.len() };
                let one = run_one::<E>(firing, turn, &input, payload).await;
                if let Some(Attributed { answer, .. }) = &one.answer {
                    E::thread(&mut input, answer);
                }
                ran.push(one);
            }
            ran
        }
    }
}

/// A hook's place in its plan.
#[derive(Clone, Copy)]
struct Turn<'a> {
    hook: &'a Arc<HookDeclaration>,
    index: usize,
    of: usize,
}

async fn run_one<E: Event>(
    firing: &Firing<'_>,
    turn: Turn<'_>,
    input: &E::Input,
    payload: Arc<str>,
) -> Ran<E::Answer> {
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
    let started_at = firing.clock.now();
    let started = Instant::now();
    let (completion, stop_cause, reading) = match firing.closures.get::<E>(&hook.id) {
        Some(closure) => {
            let reading = closure.call(hook, input);
            let ended = Completion::ended(Ending::Exited(0));
            (Completion { duration: started.elapsed(), ..ended }, None, reading)
        }
        None => {
            let (completion, stop_cause) = execute(firing, hook, &payload).await;
            let reading = read::<E>(&Ended {
                hook,
                completion: &completion,
                stop_cause,
                max_output_bytes: firing.max_output_bytes,
            });
            (completion, stop_cause, reading)
        }
    };
    let facts = RunFacts {
        session_id: firing.session.session_id.clone(),
        hook: Arc::clone(hook),
        started_at,
        payload,
        completion,
        stop_cause,
    };
    let ran = Ran::new::<E>(facts, reading);
    let finished = Lifecycle::Finished {
        event: E::NAME,
        hook: Arc::clone(hook),
        duration: ran.record.duration,
        result: ran.record.result,
    };
    firing.observer.observe(firing.session, &finished);
    ran
}

/// Executes a hook until it ends, its deadline passes or the turn is cancelled (IO-31, IO-33).
async fn execute(
    firing: &Firing<'_>,
    hook: &Arc<HookDeclaration>,
    payload: &Arc<str>,
) -> (Completion, Option<StopCause>) {
    let stop = StopSignal::new();
    let invocation = Invocation {
        hook: Arc::clone(hook),
        event: hook.event,
        session: Arc::clone(firing.session),
        input: Arc::from(Arc::clone(payload)),
        max_output_bytes: firing.max_output_bytes,
        stop: stop.clone(),
        lifetime: match firing.detachment {
            Detachment::Bound => Lifetime::Bound,
            Detachment::Detached => Lifetime::Detached { timeout: hook.timeout },
        },
    };
    let mut execution = firing.executor.execute(invocation);
    let cause = tokio::select! {
        biased;
        completion = &mut execution => return (completion, None),
        () = firing.cancel.cancelled() => StopCause::Cancelled,
        () = tokio::time::sleep(hook.timeout) => StopCause::TimedOut,
    };
    stop.stop(cause);
    // An executor that does not come back is let go: no hook holds the agent (IO-32).
    let completion = tokio::time::timeout(STOP_BOUND, execution)
        .await
        .unwrap_or_else(|_| Completion::ended(Ending::Stopped));
    (Completion { ending: ended_by_stop(completion.ending), ..completion }, Some(cause))
}

/// A hook that ends after it was asked to has not decided anything by its exit code, but for
/// a refusal: that stands.
fn ended_by_stop(ending: Ending) -> Ending {
    match ending {
        Ending::Exited(2) => Ending::Exited(2),
        _ => Ending::Stopped,
    }
}
