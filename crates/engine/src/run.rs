//! Runs a plan, in parallel or in sequence, with deadlines and cancellation. The runner never
//! interprets an answer, except to pass changes on to the next hook (PL-8), and to leave out hooks
//! of events that never come after a refusal (FD-11).

use std::sync::Arc;
use std::time::Duration;

use hookloop_dialects::{follows_others, may_announce_async};
use hookloop_events::{Event, Payload};
use hookloop_hook::{Authority, HookDeclaration};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::firing::{Detachment, Firing, Look};
use crate::one_run::{Turn, run_to_end};
use crate::plan::Mode;
use crate::port::BoxFuture;
use crate::ran::Ran;
use crate::released::run_until_released;
use crate::runs::{Progress, Runs};

/// How long a host that leaves still waits for hooks that may outlive it (SE-2).
pub(crate) const PARTING_WAIT: Duration = Duration::from_secs(1);

/// How many hooks of one event run at once; the others wait for their turn, in the order of the
/// plan (PL-8). Each process takes descriptors, and one that can't be started refuses.
pub(crate) const MAX_CONCURRENT: usize = 64;

/// The hooks that are to run, and how they follow each other.
#[derive(Clone, Copy)]
pub(crate) struct Round<'a> {
    pub(crate) mode: Mode,
    pub(crate) hooks: &'a [Arc<HookDeclaration>],
    /// What hooks in the first look read, if it is written already.
    pub(crate) payload: Option<&'a Payload>,
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

/// Runs the hooks of a plan; those that still run when the host is gone are left behind.
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

/// Runs hooks in parallel, each reading the same.
pub(crate) async fn run_beside<E: Event>(
    firing: &Firing<'_>,
    round: Round<'_>,
    input: &Arc<E::Input>,
) -> Runs<E> {
    run_parallel::<E>(firing, round, input, None).await
}

/// Applies what several hooks rewrote one after another, the less trusted first, each to what those
/// before left: so a redactor reads what will be shown, whoever else decorates it (AG-6). Only the
/// runs from `begin` on are considered.
pub(crate) async fn chain<E: Event>(
    firing: &Firing<'_>,
    ran: &mut Vec<Ran<E>>,
    input: &Arc<E::Input>,
    begin: usize,
) {
    let rewriting = (begin..ran.len()).filter(|at| ran[*at].rewrites());
    let mut rewriters: Vec<(Authority, usize)> = rewriting
        .map(|at| (ran[at].record.hook.authority(), at))
        .collect();
    if rewriters.len() < 2 {
        return;
    }
    rewriters.sort_unstable();
    let again = firing.second_look_keys();
    let firing = Firing {
        overlay: &again,
        late: None,
        ..firing.clone()
    };
    let of = rewriters.len();
    let mut left = Arc::clone(input);
    for (index, (_, at)) in rewriters.into_iter().enumerate() {
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
            is_alone: true,
            weight,
        };
        let payload = firing.payload_in_sequence::<E>(&left);
        let next = run_one::<E>(&firing, turn, &left, payload).await;
        if next.record.failure.is_some() && next.answer.is_none() {
            // It failed on the input as changed by others. Its rewrite of the original replaces
            // theirs, so that nothing that it removed comes back.
            left = Arc::clone(input);
            thread::<E>(&mut left, &ran[at]);
        } else {
            // It has answered a second time, so of its first answer only the ruling still counts.
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

async fn run_parallel<E: Event>(
    firing: &Firing<'_>,
    plan: Round<'_>,
    input: &Arc<E::Input>,
    gone: Option<&CancellationToken>,
) -> Runs<E> {
    let payload = match firing.look {
        Look::First => match plan.payload {
            Some(payload) => payload.clone(),
            None => firing.payload::<E>(input),
        },
        Look::Second => firing.payload_in_sequence::<E>(input),
    };
    // What may outlive the host is started at once: nobody will be there to start it later.
    let is_bounded = plan.hooks.len() > MAX_CONCURRENT && gone.is_none();
    let places = is_bounded.then(|| Semaphore::new(MAX_CONCURRENT));
    let start = |turn| {
        let payload = payload.clone();
        let places = places.as_ref();
        let run = async move {
            // It is never closed. A deadline begins when the hook does, which is after this.
            let _place = match places {
                Some(places) => places.acquire().await.ok(),
                None => None,
            };
            run_one::<E>(firing, turn, input, payload).await
        };
        run_unless_gone(gone, run)
    };
    let (first, following): (Vec<Turn<'_>>, Vec<Turn<'_>>) =
        turns(plan).partition(|turn| !follows(turn.hook));
    // By their places in the plan; nothing for a hook that wasn't started.
    let mut ended: Vec<Option<Option<Ran<E>>>> = plan.hooks.iter().map(|_| None).collect();
    for wave in [first, following] {
        if E::REFUSAL_ENDS && ended.iter().flatten().flatten().any(Ran::refuses) {
            break;
        }
        let mut places = Vec::with_capacity(wave.len());
        let mut waiting = wave.into_iter().peekable();
        for (index, ended) in ended.iter_mut().enumerate() {
            if let Some(turn) = waiting.next_if(|turn| turn.index == index) {
                let run = start(turn);
                let run: BoxFuture<'_, ()> = Box::pin(async move { *ended = Some(run.await) });
                places.push(run);
            }
        }
        // Behind pointers, so that waiting for several is compiled once and not for each event.
        futures_util::future::join_all(places).await;
    }
    let mut runs_of_plan = Runs::with_capacity(plan.hooks.len());
    for (hook, ran) in plan.hooks.iter().zip(ended) {
        if let Some(ran) = ran {
            runs_of_plan.take(hook, ran);
        }
    }
    runs_of_plan
}

/// Returns whether the event of a hook's dialect comes after the others of this event, and only if
/// those refuse nothing.
fn follows(hook: &HookDeclaration) -> bool {
    let event = hook.dialect_event.as_deref();
    event.is_some_and(|event| follows_others(hook.dialect, event))
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
        let ran = run_unless_gone(gone, run_one::<E>(firing, turn, &input, payload)).await;
        if let Some(answer) = ran.as_ref().and_then(|it| it.answer.as_ref()) {
            E::thread(Arc::make_mut(&mut input), &answer.answer);
        }
        runs.take(turn.hook, ran);
    }
    runs
}

/// Waits for a hook, until the host is gone; an abandoned hook may outlive the host.
async fn run_unless_gone<T>(
    gone: Option<&CancellationToken>,
    run: impl Future<Output = T>,
) -> Option<T> {
    match gone {
        Some(gone) => gone.run_until_cancelled(run).await,
        None => Some(run.await),
    }
}

fn turns(plan: Round<'_>) -> impl Iterator<Item = Turn<'_>> {
    let of = plan.hooks.len();
    let weight = move |hook: &HookDeclaration| match plan.mode {
        Mode::Parallel => hook.authority(),
        // A later hook has read the values set by earlier ones, and replaces them knowingly (PL-8).
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
            is_alone: of == 1 || plan.mode == Mode::Sequential,
        })
}

/// Runs a hook until it has ended, or has said that nobody needs to wait for it (FD-22).
async fn run_one<E: Event>(
    firing: &Firing<'_>,
    turn: Turn<'_>,
    input: &Arc<E::Input>,
    payload: Payload,
) -> Ran<E> {
    match firing.late {
        Some(lasting) if may_announce_async(turn.hook.dialect, E::NAME) => {
            Box::pin(run_until_released::<E>(
                firing, lasting, turn, input, payload,
            ))
            .await
        }
        _ => run_to_end::<E>(firing, turn, input, payload).await,
    }
}
