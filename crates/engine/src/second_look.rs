//! What hooks let through is exactly what runs: hooks look again at what others rewrote (BT-10).

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;

use hookloop_events::Event;
use hookloop_hook::{HookDeclaration, HookId, Mode as HookMode};

use crate::eligible::eligible;
use crate::firing::{Firing, Look};
use crate::plan::Mode;
use crate::ran::Ran;
use crate::remark::Remark;
use crate::run::{Round, chain, run_beside};
use crate::runs::Runs;

/// The host can't accept what hooks rewrote. It keeps to itself what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unacceptable;

/// Returns what hooks would read of a value that they let through; `None` if nothing is left to
/// read. `W` is the error of a host that has to accept the value.
pub(crate) type LetThrough<'a, E, W> = dyn FnMut(&<E as Event>::Input, &<E as Event>::Outcome) -> Result<Option<<E as Event>::Input>, W>
    + Send
    + 'a;

/// Returns what hooks would read of the value that they left, if one of them rewrote it.
fn rewritten_value<E: Event, W>(
    input: &E::Input,
    runs: &Runs<E>,
    let_through: &mut LetThrough<'_, E, W>,
) -> Result<Option<E::Input>, W> {
    let is_over = runs.ran.iter().any(|ran| ran.record.was_cancelled());
    if is_over || !runs.ran.iter().any(Ran::rewrites) {
        return Ok(None);
    }
    let answers = runs.ran.iter().filter_map(|ran| ran.answer.clone());
    let_through(input, &E::merge(input, answers.collect()).outcome)
}

/// Lets hooks look at what others rewrote, until each of them has let through exactly what is left,
/// and returns what was judged last (BT-10).
///
/// # Errors
/// The host can't accept the rewritten value: no hook looks at it.
pub(crate) async fn settle<E: Event, W>(
    firing: &Firing<'_>,
    round: Round<'_>,
    input: &Arc<E::Input>,
    runs: &mut Runs<E>,
    let_through: &mut LetThrough<'_, E, W>,
) -> Result<Arc<E::Input>, W> {
    let Some(left) = rewritten_value::<E, W>(input, runs, let_through)? else {
        return Ok(Arc::clone(input));
    };
    let mut judged = Arc::new(left);
    let mut spent = HashSet::new();
    loop {
        // The subject can't be rewritten, so the plan for the final value is the same.
        let before = spent.len();
        look_again::<E>(firing, round, &judged, runs, &mut spent).await;
        if spent.len() == before {
            return Ok(judged);
        }
        let mut as_left = |input: &_, outcome: &_| Ok(E::let_through(input, outcome));
        let Ok(left) = rewritten_value::<E, Infallible>(input, runs, &mut as_left);
        match left {
            Some(left) if left != *judged => judged = Arc::new(left),
            _ => return Ok(judged),
        }
    }
}

/// Lets every hook that hasn't read exactly the final value read it. Only refusals, stops and
/// questions count; but a response may be rewritten once more by each hook that is at least as
/// trusted as those whose words it reads. `spent` names those that have done so.
async fn look_again<E: Event>(
    firing: &Firing<'_>,
    round: Round<'_>,
    last: &Arc<E::Input>,
    runs: &mut Runs<E>,
    spent: &mut HashSet<HookId>,
) {
    let rewriters: Vec<_> = runs.ran.iter().filter(|ran| ran.rewrites()).collect();
    let authors: HashSet<_> = rewriters.iter().map(|ran| &ran.record.hook.id).collect();
    let weights = rewriters.iter().map(|ran| ran.record.hook.authority());
    let highest = weights.max();
    let asked = eligible(round.hooks, firing.executor, firing.turn, &|| {
        firing.payload_in_sequence::<E>(last)
    });
    let hooks = asked_again(&asked.hooks, &authors, &|id| {
        let mut reads = runs.ran.iter().filter(|ran| ran.record.hook.id == *id);
        reads.any(|ran| Arc::ptr_eq(&ran.read, last) || *ran.read == **last)
    });
    if hooks.is_empty() {
        return;
    }
    let overlay = firing.second_look_keys();
    let firing = Firing {
        overlay: &overlay,
        look: Look::Second,
        late: None,
        ..firing.clone()
    };
    let round = Round {
        mode: Mode::Parallel,
        hooks: &hooks,
        payload: None,
    };
    let begin = runs.ran.len();
    let mut again = run_beside::<E>(&firing, round, last).await.ran;
    for ran in &mut again {
        ran.message = None;
        let hook = &ran.record.hook;
        let had_its_turn = spent.contains(&hook.id);
        let counts = E::CHAINS_REWRITES && Some(hook.authority()) >= highest && !had_its_turn;
        if counts && ran.rewrites() {
            continue;
        }
        let first = runs
            .ran
            .iter()
            .find(|it| it.record.hook.id == ran.record.hook.id);
        let said = first.and_then(|it| it.answer.as_ref()).map(|it| &it.answer);
        let whole = ran.take_rewrite();
        // If it repeats its first answer, the conflict has been reported already.
        if whole.is_some_and(|answer| said != Some(&answer) && changes::<E>(last, &answer)) {
            let text = "other hooks had changed what it judges, so a further change by it has \
                no effect";
            // A hook that has had its second look repeats this with every chunk, so it is reported
            // once.
            let remark = if had_its_turn {
                Remark::OncePerHook
            } else {
                Remark::Other
            };
            ran.remarks.push(remark(text.to_owned()));
        }
    }
    runs.ran.extend(again);
    if E::CHAINS_REWRITES {
        let counted = runs.ran[begin..].iter().filter(|ran| ran.rewrites());
        spent.extend(counted.map(|ran| ran.record.hook.id.clone()));
        chain::<E>(&firing, &mut runs.ran, last, begin).await;
    }
}

/// Returns the hooks that have to look again at a value.
fn asked_again(
    hooks: &[Arc<HookDeclaration>],
    authors: &HashSet<&HookId>,
    has_read: &dyn Fn(&HookId) -> bool,
) -> Vec<Arc<HookDeclaration>> {
    hooks
        .iter()
        .filter(|hook| hook.recheck && !hook.asynchronous && !hook.once)
        .filter(|hook| hook.mode == HookMode::Active)
        // A hook needn't judge a value that only it has rewritten.
        .filter(|hook| authors.len() > 1 || !authors.contains(&hook.id))
        .filter(|hook| !has_read(&hook.id))
        .cloned()
        .collect()
}

/// Returns whether an answer would change a value.
fn changes<E: Event>(value: &E::Input, answer: &E::Answer) -> bool {
    if !E::rewrites(answer) {
        return false;
    }
    let mut changed = value.clone();
    E::thread(&mut changed, answer);
    changed != *value
}
