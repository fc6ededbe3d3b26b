//! Runs a plan: deadlines, cancellation, parallel and sequential. The runner never looks at
//! what an answer means, but for passing changes on (PL-8).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{Event, Payload, SessionIdentity, payload};
use hookloop_hook::{Authority, HookDeclaration, HookId};
use serde_json::{Map, Value};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::agent_turn::AgentTurn;
use crate::border::{Understood, outgoing, spoken, understood};
use crate::clock::Clock;
use crate::failure::Failure;
use crate::in_process::{Closures, failed};
use crate::lifecycle::{Lifecycle, Observer};
use crate::plan::Mode;
use crate::port::{Completion, Ending, Executor, Invocation, Lifetime};
use crate::ran::{Ran, RunFacts};
use crate::reading::{Ended, Reading, read};
use crate::span::{OpenSpan, Span};
use crate::stop::{StopCause, StopSignal};

/// How long an executor may take to end a hook after it was asked to: the grace of IO-31 and
/// the drain of IO-32, with room for a busy machine. Past it the hook is let go.
const STOP_BOUND: Duration = Duration::from_millis(1_400);

/// Whether hooks read a value as it came, or as other hooks left it (BT-10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    First,
    Second,
}

/// Everything that is the same for all hooks of one firing.
#[derive(Clone)]
pub(crate) struct Firing<'a> {
    pub(crate) executor: &'a dyn Executor,
    pub(crate) closures: &'a Closures,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) session: &'a Arc<SessionIdentity>,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) max_output_bytes: usize,
    pub(crate) detachment: Detachment,
    /// The span that the event belongs to, if there is tracing.
    pub(crate) span: Option<&'a Arc<dyn Span>>,
    /// Keys that every hook reads as they are given here (CM-5).
    pub(crate) overlay: &'a Map<String, Value>,
    /// What hooks of other agents read of the turn (FD-10).
    pub(crate) turn: &'a AgentTurn,
    pub(crate) look: Look,
    /// The other names of the tool that hooks read it under (PL-11).
    pub(crate) asked_for: &'a HashMap<HookId, String>,
}

impl Firing<'_> {
    /// Writes what hooks read that run beside each other.
    pub(crate) fn payload<E: Event>(&self, input: &E::Input) -> Payload {
        let payload = payload::<E>(self.session, &self.clock.now(), input);
        overlaid(payload, self.overlay, |_| true)
    }

    /// Writes what a hook in a sequence reads: what those before changed is not overlaid.
    pub(crate) fn payload_in_sequence<E: Event>(&self, input: &E::Input) -> Payload {
        let payload = payload::<E>(self.session, &self.clock.now(), input);
        overlaid(payload, self.overlay, |key| {
            !E::RETYPED_FIELDS.contains(&key)
        })
    }
}

/// Lays keys over a payload.
fn overlaid(
    payload: Payload,
    overlay: &Map<String, Value>,
    is_laid: impl Fn(&str) -> bool,
) -> Payload {
    if overlay.is_empty() {
        return payload;
    }
    match serde_json::from_str::<Map<String, Value>>(&payload.text()) {
        Ok(mut fields) => {
            let laid = overlay.iter().filter(|(key, _)| is_laid(key));
            fields.extend(laid.map(|(key, value)| (key.clone(), value.clone())));
            Value::Object(fields).to_string().into()
        }
        // A payload is an object by its type.
        Err(_) => payload,
    }
}

/// How long a host that leaves still waits for hooks that may outlive it (SE-2).
pub(crate) const PARTING_WAIT: Duration = Duration::from_secs(1);

/// Whether hooks may outlive the host (SE-2, PC-2).
#[derive(Debug, Clone)]
pub(crate) enum Detachment {
    /// They end with it.
    Bound,
    /// They may. The host leaves a second after the token says that it is about to.
    Parting(CancellationToken),
}

/// What the hooks of a plan did, in its order; what ran again comes behind.
pub(crate) struct Runs<E: Event> {
    pub(crate) ran: Vec<Ran<E>>,
    /// Those that the host did not wait for.
    pub(crate) left: Vec<Left>,
}

/// A hook that the host left behind (SE-2).
pub(crate) struct Left {
    pub(crate) hook: Arc<HookDeclaration>,
    pub(crate) progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It goes on by itself.
    Running,
    /// Its turn in a sequence did not come.
    NotStarted,
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
        weight: hook.authority(),
    };
    let payload = firing.payload::<E>(input);
    run_one::<E>(firing, turn, input, payload).await
}

/// The hooks that are to run, and how they follow each other.
#[derive(Clone, Copy)]
pub(crate) struct Round<'a> {
    pub(crate) mode: Mode,
    pub(crate) hooks: &'a [Arc<HookDeclaration>],
}

/// Runs hooks.
pub(crate) async fn run<E: Event>(
    firing: &Firing<'_>,
    plan: Round<'_>,
    input: &Arc<E::Input>,
) -> Runs<E> {
    let Detachment::Parting(departure) = &firing.detachment else {
        return run_until::<E>(firing, plan, input, None).await;
    };
    let gone = CancellationToken::new();
    let leaving = async {
        departure.cancelled().await;
        tokio::time::sleep(PARTING_WAIT).await;
        gone.cancel();
        std::future::pending().await
    };
    tokio::select! {
        biased;
        runs = run_until::<E>(firing, plan, input, Some(&gone)) => runs,
        never = leaving => never,
    }
}

/// Runs the hooks of a plan; those that run when the host is gone are left behind.
async fn run_until<E: Event>(
    firing: &Firing<'_>,
    plan: Round<'_>,
    input: &Arc<E::Input>,
    gone: Option<&CancellationToken>,
) -> Runs<E> {
    match plan.mode {
        Mode::Parallel => {
            let mut runs = run_parallel::<E>(firing, plan, input, gone).await;
            if E::CHAINS_REWRITES {
                chain::<E>(firing, &mut runs.ran, input, 0).await;
            }
            runs
        }
        Mode::Sequential => run_sequence::<E>(firing, plan, Arc::clone(input), gone).await,
    }
}

/// Runs hooks beside each other, each reading the same.
pub(crate) async fn run_beside<E: Event>(
    firing: &Firing<'_>,
    round: Round<'_>,
    input: &Arc<E::Input>,
) -> Runs<E> {
    run_parallel::<E>(firing, round, input, None).await
}

/// Carries out what several hooks rewrote one after another, the less trusted first, each on what
/// those before left: so a redactor reads what will be shown, whoever else decorates it (AG-6).
/// Looked at are the runs from `begin` on.
pub(crate) async fn chain<E: Event>(
    firing: &Firing<'_>,
    ran: &mut Vec<Ran<E>>,
    input: &Arc<E::Input>,
    begin: usize,
) {
    let mut rewriters: Vec<usize> = (begin..ran.len())
        .filter(|at| ran[*at].rewrites())
        .collect();
    if rewriters.len() < 2 {
        return;
    }
    rewriters.sort_by_key(|at| ran[*at].record.hook.authority());
    let again = firing.again();
    let firing = Firing {
        overlay: &again,
        ..firing.clone()
    };
    let of = rewriters.len();
    let mut left = Arc::clone(input);
    for (index, at) in rewriters.into_iter().enumerate() {
        if index == 0 {
            thread::<E>(&mut left, &ran[at]);
            continue;
        }
        let hook = Arc::clone(&ran[at].record.hook);
        let weight = hook.authority();
        let turn = Turn {
            hook: &hook,
            index,
            of,
            weight,
        };
        let payload = firing.payload_in_sequence::<E>(&left);
        let next = run_one::<E>(&firing, turn, &left, payload).await;
        if next.record.failure.is_some() && next.answer.is_none() {
            // It failed on what others left; what it made of the original stands in the place of
            // theirs, so that nothing which it took out comes back.
            left = Arc::clone(input);
            thread::<E>(&mut left, &ran[at]);
        } else {
            // It has spoken anew; of what it said before only the ruling counts.
            drop(ran[at].take_rewrite());
            thread::<E>(&mut left, &next);
        }
        ran.push(next);
    }
}

/// Lets the next hook read what this one left.
fn thread<E: Event>(input: &mut Arc<E::Input>, ran: &Ran<E>) {
    if let Some(attributed) = ran.answer.as_ref().filter(|it| E::rewrites(&it.answer)) {
        E::thread(Arc::make_mut(input), &attributed.answer);
    }
}

/// The key that tells a hook that it reads what other hooks made (BT-10).
const REWRITTEN: &str = "rewritten";

impl Firing<'_> {
    /// Returns the keys that hooks read as they are given when they read a rewritten value.
    pub(crate) fn again(&self) -> Map<String, Value> {
        let mut overlay = self.overlay.clone();
        overlay.insert(REWRITTEN.to_owned(), Value::Bool(true));
        overlay
    }
}

async fn run_parallel<E: Event>(
    firing: &Firing<'_>,
    plan: Round<'_>,
    input: &Arc<E::Input>,
    gone: Option<&CancellationToken>,
) -> Runs<E> {
    let payload = match firing.look {
        Look::First => firing.payload::<E>(input),
        Look::Second => firing.payload_in_sequence::<E>(input),
    };
    let runs = turns(plan).map(|turn| {
        let run = run_one::<E>(firing, turn, input, payload.clone());
        within(gone, run)
    });
    let mut runs_of_plan = Runs::with_capacity(plan.hooks.len());
    for (turn, ran) in turns(plan).zip(futures_util::future::join_all(runs).await) {
        runs_of_plan.take(turn.hook, ran);
    }
    runs_of_plan
}

async fn run_sequence<E: Event>(
    firing: &Firing<'_>,
    plan: Round<'_>,
    mut input: Arc<E::Input>,
    gone: Option<&CancellationToken>,
) -> Runs<E> {
    let mut runs = Runs::with_capacity(plan.hooks.len());
    for turn in turns(plan) {
        if !runs.left.is_empty() {
            runs.leave(turn.hook, Progress::NotStarted);
            continue;
        }
        let payload = firing.payload_in_sequence::<E>(&input);
        let ran = within(gone, run_one::<E>(firing, turn, &input, payload)).await;
        if let Some(answer) = ran.as_ref().and_then(|it| it.answer.as_ref()) {
            E::thread(Arc::make_mut(&mut input), &answer.answer);
        }
        runs.take(turn.hook, ran);
    }
    runs
}

/// Waits for a hook, until the host is gone; what is let go may outlive the host.
async fn within<T>(gone: Option<&CancellationToken>, run: impl Future<Output = T>) -> Option<T> {
    match gone {
        Some(gone) => gone.run_until_cancelled(run).await,
        None => Some(run.await),
    }
}

impl<E: Event> Runs<E> {
    fn with_capacity(hooks: usize) -> Self {
        Self {
            ran: Vec::with_capacity(hooks),
            left: Vec::new(),
        }
    }

    fn take(&mut self, hook: &Arc<HookDeclaration>, ran: Option<Ran<E>>) {
        match ran {
            Some(ran) => self.ran.push(ran),
            None => self.leave(hook, Progress::Running),
        }
    }

    fn leave(&mut self, hook: &Arc<HookDeclaration>, progress: Progress) {
        self.left.push(Left {
            hook: Arc::clone(hook),
            progress,
        });
    }
}

fn turns(plan: Round<'_>) -> impl Iterator<Item = Turn<'_>> {
    let of = plan.hooks.len();
    let weight = move |hook: &HookDeclaration| match plan.mode {
        Mode::Parallel => hook.authority(),
        // Who comes later has read what those before set, and replaces it knowingly (PL-8).
        Mode::Sequential => Authority::Host,
    };
    plan.hooks
        .iter()
        .enumerate()
        .map(move |(index, hook)| Turn {
            weight: weight(hook),
            hook,
            index,
            of,
        })
}

/// A hook's place in its plan.
#[derive(Clone, Copy)]
struct Turn<'a> {
    hook: &'a Arc<HookDeclaration>,
    index: usize,
    of: usize,
    weight: Authority,
}

async fn run_one<E: Event>(
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
    let span = OpenSpan::of_run(firing.span, firing.session, E::NAME, hook);
    let started_at = firing.clock.now();
    let started = Instant::now();
    let (completion, stop_cause, reading) =
        if let Some(closure) = firing.closures.get::<E>(&hook.id) {
            // Boxed, so that events without such hooks don't carry its size.
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
            };
            Box::pin(carry_out::<E>(firing, hook, &payload, run)).await
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

/// Lets the executor run a hook, in the words of the hook's dialect, and reads its answer.
async fn carry_out<E: Event>(
    firing: &Firing<'_>,
    hook: &Arc<HookDeclaration>,
    payload: &Payload,
    run: Run,
) -> (Completion, Option<StopCause>, Reading<E::Answer>) {
    let foreign = spoken(hook, payload, |ours| {
        firing.turn.put(ours);
        ours.extend(firing.executor.beside(hook, firing.session, ours));
    });
    let read_by_hook = foreign.as_ref().unwrap_or(payload);
    let (completion, stop_cause) = execute(firing, hook, read_by_hook, run).await;
    let mut meant = match foreign {
        Some(_) => understood(hook, E::NAME, payload, &completion),
        None => None,
    };
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
    if let Some(meant) = meant.filter(|it| !it.removed.is_empty()) {
        let answer = reading.answer.take();
        reading.answer = answer.map(|it| E::leaving_out(it, meant.removed));
    }
    (completion, stop_cause, reading)
}

/// Hands over what a hook of another dialect sets for later commands, and says what is to be told of
/// it (FD-14).
fn set_environment(
    firing: &Firing<'_>,
    hook: &HookDeclaration,
    meant: &Understood,
) -> Option<String> {
    // What a hook in shadow says has no effect (HT-2).
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
    (Some(cause), failed::<E>(hook, failure))
}

/// What tells a run from others.
struct Run {
    id: String,
    trace_parent: Option<String>,
}

/// Executes a hook until it ends, its deadline passes or the turn is cancelled (IO-31, IO-33).
async fn execute(
    firing: &Firing<'_>,
    hook: &Arc<HookDeclaration>,
    payload: &Payload,
    run: Run,
) -> (Completion, Option<StopCause>) {
    if firing.cancel.is_cancelled() {
        // Nothing is started whose answer nobody waits for.
        return (
            Completion::ended(Ending::Stopped),
            Some(StopCause::Cancelled),
        );
    }
    if let Some(broken) = &hook.broken {
        // Whoever wrote it meant it to run: it stands in its place and could not start (IO-21).
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
        run_id: run.id,
        trace_parent: run.trace_parent,
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
    // An executor that does not come back is let go: no hook holds the agent (IO-32).
    let mut completion = tokio::time::timeout(STOP_BOUND, execution)
        .await
        .unwrap_or_else(|_| Completion {
            duration: started.elapsed(),
            ..Completion::ended(Ending::Stopped)
        });
    // A hook that ends after it was asked to has not decided anything by its exit code, but for a
    // refusal: that stands. So does a service's word that it looked at nothing (IO-21).
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
