//! Fires an event: from the plan to the outcome, with a second look at rewritten values (BT-10).

use std::borrow::Cow;
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_events::{Cancelled, Event, EventName, SessionIdentity};
use hookloop_hook::{HookDeclaration, HookId, Refusing};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::agent_turn::TurnView;
use crate::conclude::conclude;
use crate::conclusion::{Consents, Fired};
use crate::eligible::eligible;
use crate::firing::{Detachment, Firing, Look};
use crate::inner::{Inner, Snapshot};
use crate::late::{AsyncHooks, Lasting, Late, ReleasedRun, WithheldContent};
use crate::lifecycle::{Lifecycle, Notice};
use crate::mask::withhold;
use crate::plan::{Mode, Novelty, Plan, Planned};
use crate::released::{Launch, hand_over, has_announced_async, too_late, words_for_host};
use crate::remark::Remark;
use crate::run::{Round, run};
use crate::runs::Runs;
use crate::second_look::{LetThrough, settle};
use crate::span::Span;

/// Who fires, and until when.
pub(crate) struct Call<'a> {
    pub(crate) inner: &'a Arc<Inner>,
    pub(crate) session: &'a Arc<SessionIdentity>,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) detachment: Detachment,
    /// The span that this firing belongs to.
    pub(crate) span: Option<&'a Arc<dyn Span>>,
    /// Keys that hooks read as they are given (CM-5).
    pub(crate) overlay: Map<String, Value>,
    /// The hooks that run once a session and have run (FD-22).
    pub(crate) once: &'a Mutex<HashSet<HookId>>,
    /// What hooks of other agents read about the turn (FD-10).
    pub(crate) turn: TurnView,
    /// What happens to the hooks that nobody waits for. They decide nothing (FD-22).
    pub(crate) unawaited: Unawaited<'a>,
    pub(crate) chosen: Chosen,
}

/// Which of an event's hooks are asked (PC-2, PC-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// All of them.
    All,
    /// Those that can keep the event's action from happening.
    Deciding,
    /// Those that can't.
    Advising,
}

impl Chosen {
    fn takes(self, hook: &HookDeclaration) -> bool {
        let decides = hook.refusing() == Refusing::Always && !hook.asynchronous;
        match self {
            Self::All => true,
            Self::Deciding => decides,
            Self::Advising => !decides,
        }
    }

    /// Leaves out the hooks that aren't asked.
    fn of(self, hooks: Cow<'_, [Arc<HookDeclaration>]>) -> Cow<'_, [Arc<HookDeclaration>]> {
        if hooks.iter().all(|hook| self.takes(hook)) {
            return hooks;
        }
        let accepted = hooks.iter().filter(|hook| self.takes(hook));
        Cow::Owned(accepted.cloned().collect())
    }
}

/// What takes care of the hooks that nobody waits for (FD-22).
#[derive(Clone, Copy)]
pub(crate) enum Unawaited<'a> {
    /// The session, which passes on what they say with its next turn.
    BySession(&'a Arc<Late>),
    /// The host that fires the event, which later gets what those say that it stops waiting for.
    HeardLater(&'a Arc<Late>),
    /// The host that fires the event.
    ByHost(AsyncHooks),
}

/// An event whose rewritten value the host can't accept.
pub(crate) struct Unaccepted<E: Event, W> {
    /// What is wrong with the value.
    pub(crate) wrong: W,
    /// What the hooks said. The outcome doesn't count.
    pub(crate) fired: Fired<E>,
}

impl Call<'_> {
    /// Fires an event; returns `None` if no hook runs (EV-2). Hooks look again at what others
    /// rewrote (BT-10).
    pub(crate) async fn fire<E: Event>(&self, input: E::Input) -> Option<Fired<E>> {
        let mut as_left = |input: &_, outcome: &_| Ok(E::let_through(input, outcome));
        let fired = self
            .fire_settled::<E, Infallible>(input, &mut as_left)
            .await;
        fired.unwrap_or_else(|unaccepted| match unaccepted.wrong {})
    }

    /// Fires an event whose rewritten value the host accepts before hooks look at it again.
    ///
    /// # Errors
    /// The host can't accept the rewritten value.
    pub(crate) async fn fire_settled<E: Event, W>(
        &self,
        input: E::Input,
        let_through: &mut LetThrough<'_, E, W>,
    ) -> Result<Option<Fired<E>>, Box<Unaccepted<E, W>>> {
        let inner = self.inner;
        let snapshot = inner.snapshot();
        let plan = self.plan::<E>(&snapshot, &input);
        let firing = self.firing(&plan);
        let input = Arc::new(input);
        let chosen = self.chosen.of(Cow::Borrowed(&plan.hooks));
        let asked = eligible(&chosen, firing.executor, firing.turn, &|| {
            firing.payload::<E>(&input)
        });
        let (undone, mut begun) = self.not_done(&asked.hooks);
        let mut notices = unevaluated_notices(&asked.unknown, &undone);
        let (hooks, mut late) = self.split_unawaited(undone);
        if hooks.is_empty() {
            notices.extend(self.launch::<E>(&late, &input, &[]).await);
            late.clear();
            if notices.is_empty() {
                return Ok(None);
            }
        }
        self.tell(&Lifecycle::Planned {
            event: E::NAME,
            hooks: hooks.to_vec(),
        });
        let round = Round {
            mode: self.mode(&plan),
            hooks: &hooks,
            payload: asked.payload.as_ref(),
        };
        let mut runs = run::<E>(&firing, round, &input).await;
        begun.take_back(&runs);
        let released = take_released(&mut runs);
        let said = self.drop_late_effects(&mut runs);
        let planned = Round {
            hooks: &plan.hooks,
            payload: None,
            ..round
        };
        let settled = settle::<E, W>(&firing, planned, &input, &mut runs, let_through).await;
        let (judged, wrong) = match settled {
            Ok(judged) => (judged, None),
            Err(wrong) => (Arc::clone(&input), Some(wrong)),
        };
        let consents = consents(&runs, &judged);
        let mut fired = conclude::<E>(plan.mode, Arc::clone(&input), runs, &inner.reported);
        fired.consents = consents;
        let end = fired.outcome.as_ref().map_err(|cancelled| *cancelled);
        let hidden = E::withheld_fields(end);
        for it in released {
            it.continue_alone(hidden);
        }
        if hidden.is_empty() {
            fired.concluded.late = said;
        } else {
            notices.extend(said.into_iter().map(not_handed_over));
        }
        notices.extend(self.launch::<E>(&late, &input, hidden).await);
        fired.concluded.notices.extend(notices);
        self.tell(&Lifecycle::Concluded(fired.concluded.clone()));
        match wrong {
            Some(wrong) => Err(Box::new(Unaccepted { wrong, fired })),
            None => Ok(Some(fired)),
        }
    }

    /// Plans an event, and reports the hooks that it skips the first time.
    fn plan<E: Event>(&self, snapshot: &Snapshot, input: &E::Input) -> Arc<Plan> {
        let subject = E::subject(input).unwrap_or_default();
        if let Some(name) = E::own_name(input) {
            snapshot.plans.learn(subject, &name);
        }
        let Planned { plan, novelty } = snapshot.plans.get(&snapshot.registry, E::NAME, subject);
        if novelty == Novelty::First {
            self.tell_skipped(E::NAME, &plan);
        }
        plan
    }

    fn firing<'f>(&'f self, plan: &'f Plan) -> Firing<'f> {
        let inner = self.inner;
        Firing {
            executor: &*inner.executor,
            closures: &inner.closures,
            observer: &*inner.observer,
            clock: &*inner.clock,
            session: self.session,
            cancel: self.cancel,
            max_output_bytes: inner.max_output_bytes,
            detachment: self.detachment.clone(),
            span: self.span,
            overlay: &self.overlay,
            turn: &self.turn,
            look: Look::First,
            late: match self.detachment {
                Detachment::Bound => self.unawaited_context(),
                Detachment::Parting(_) => None,
            },
            first_line: None,
            asked_for: &plan.asked_for,
        }
    }

    fn unawaited_context(&self) -> Option<Lasting<'_>> {
        match self.unawaited {
            Unawaited::BySession(late) | Unawaited::HeardLater(late) => Some(Lasting {
                inner: self.inner,
                turn: &self.turn,
                late,
            }),
            Unawaited::ByHost(_) => None,
        }
    }

    /// Leaves out hooks that run once a session and have done so, or are about to (FD-22).
    fn not_done<'p>(
        &self,
        hooks: &'p [Arc<HookDeclaration>],
    ) -> (Cow<'p, [Arc<HookDeclaration>]>, OnceBegun<'_>) {
        let mut firings = OnceBegun {
            done: self.once,
            unanswered: Vec::new(),
        };
        if !hooks.iter().any(|hook| hook.once) {
            return (Cow::Borrowed(hooks), firings);
        }
        let mut done = firings.lock_done();
        let eligible: Vec<_> = hooks
            .iter()
            .filter(|hook| !hook.once || done.insert(hook.id.clone()))
            .cloned()
            .collect();
        drop(done);
        let awaited = eligible
            .iter()
            .filter(|hook| hook.once && !hook.asynchronous);
        firings.unanswered = awaited.map(|hook| hook.id.clone()).collect();
        (Cow::Owned(eligible), firings)
    }

    /// Separates the hooks that nobody waits for from the others. At the end of a session, the host
    /// waits for all of them as long as it can.
    fn split_unawaited<'p>(
        &self,
        hooks: Cow<'p, [Arc<HookDeclaration>]>,
    ) -> (Cow<'p, [Arc<HookDeclaration>]>, Vec<Arc<HookDeclaration>>) {
        let all = match (self.unawaited, &self.detachment) {
            (Unawaited::ByHost(AsyncHooks::WaitedFor), _)
            | (Unawaited::BySession(_), Detachment::Parting(_)) => true,
            (Unawaited::ByHost(AsyncHooks::Alone(_)), _) => false,
            _ => !hooks.iter().any(|hook| hook.asynchronous),
        };
        if all {
            return (hooks, Vec::new());
        }
        let (late, others): (Vec<_>, Vec<_>) =
            hooks.iter().cloned().partition(|hook| hook.asynchronous);
        match self.unawaited {
            Unawaited::BySession(_) => (Cow::Owned(others), late),
            Unawaited::ByHost(AsyncHooks::Alone(_)) => (Cow::Owned(late), Vec::new()),
            Unawaited::ByHost(_) | Unawaited::HeardLater(_) => (Cow::Owned(others), Vec::new()),
        }
    }

    /// Removes the effect of what hooks said that nobody needs to wait for, though they were waited
    /// for; passes it on if a session continues, and returns what the host has to pass on (FD-22).
    fn drop_late_effects<E: Event>(&self, runs: &mut Runs<E>) -> Vec<Notice> {
        let mut said = Vec::new();
        let is_told_all = matches!(self.unawaited, Unawaited::ByHost(AsyncHooks::WaitedFor));
        for ran in &mut runs.ran {
            let hook = Arc::clone(&ran.record.hook);
            let is_late = hook.asynchronous || is_told_all && has_announced_async(&ran.record);
            if !is_late {
                continue;
            }
            let words = too_late(ran);
            match self.unawaited {
                Unawaited::BySession(late) | Unawaited::HeardLater(late) => {
                    hand_over(late, &words, &ran.record, &mut ran.remarks);
                }
                Unawaited::ByHost(AsyncHooks::Alone(WithheldContent::Content)) => {
                    let hidden = E::withheld_fields(Err(Cancelled));
                    drop(withhold(
                        std::slice::from_mut(&mut ran.record),
                        hidden,
                        None,
                    ));
                    ran.message = None;
                    if !words.trim().is_empty() {
                        ran.remarks.push(Remark::Other(NOT_HANDED_OVER.to_owned()));
                    }
                }
                Unawaited::ByHost(_) => {
                    let words = words_for_host(words, &ran.record, &mut ran.remarks);
                    said.extend(words.map(|it| Notice::of(&hook, it)));
                }
            }
        }
        said
    }

    /// Starts hooks that nobody waits for, and returns what has to be reported about that (FD-22).
    async fn launch<E: Event>(
        &self,
        hooks: &[Arc<HookDeclaration>],
        input: &Arc<E::Input>,
        hidden: &'static [&'static str],
    ) -> Vec<Notice> {
        let (Some(lasting), false) = (self.unawaited_context(), hooks.is_empty()) else {
            return Vec::new();
        };
        let launch = Launch {
            lasting,
            session: self.session,
            span: self.span,
            overlay: &self.overlay,
            hidden,
        };
        let started = hooks.iter().filter_map(|hook| {
            let text = launch.start::<E>(hook, input).err()?;
            Some(Notice::of(hook, text))
        });
        let notices = started.collect();
        // Yields once, so that the hooks start even if the host exits right away.
        tokio::task::yield_now().await;
        notices
    }

    /// Returns how hooks follow each other: those that nobody waits for don't wait for each other,
    /// either.
    const fn mode(&self, plan: &Plan) -> Mode {
        match self.unawaited {
            Unawaited::ByHost(AsyncHooks::Alone(_)) => Mode::Parallel,
            _ => plan.mode,
        }
    }

    fn tell_skipped(&self, event: EventName, plan: &Plan) {
        if let Unawaited::ByHost(AsyncHooks::Alone(_)) = self.unawaited {
            // The call that ran the other hooks has reported these already.
            return;
        }
        for (hook, causes) in &plan.skipped {
            let (hook, causes) = (Arc::clone(hook), causes.clone());
            self.tell(&Lifecycle::Skipped {
                event,
                hook,
                causes,
            });
        }
    }

    fn tell(&self, lifecycle: &Lifecycle) {
        self.inner.observer.observe(self.session, lifecycle);
    }
}

/// Why nothing reads what a hook that nobody waited for said.
const NOT_HANDED_OVER: &str = "what it says isn't passed on: other hooks withheld what it read, \
    and it may repeat that";

fn not_handed_over(said: Notice) -> Notice {
    Notice {
        text: NOT_HANDED_OVER.to_owned(),
        ..said
    }
}

/// Returns the notices about the hooks that run although their condition couldn't be evaluated
/// (HT-1), whether anybody waits for them or not.
fn unevaluated_notices(
    unknown: &[(Arc<HookDeclaration>, String)],
    due: &[Arc<HookDeclaration>],
) -> Vec<Notice> {
    let runs = |hook: &HookDeclaration| due.iter().any(|it| it.id == hook.id);
    let running = unknown.iter().filter(|(hook, _)| runs(hook));
    let notices = running.map(|(hook, why)| {
        let text = format!("its `if` can't be evaluated, so it ran: {why}");
        Notice::of(hook, text)
    });
    notices.collect()
}

/// Hooks that run once per session and were started: those without an answer, for whatever reason,
/// haven't run, and are asked again (FD-22).
struct OnceBegun<'a> {
    done: &'a Mutex<HashSet<HookId>>,
    unanswered: Vec<HookId>,
}

impl OnceBegun<'_> {
    /// Withdraws everything that ended without a failure.
    fn take_back<E: Event>(&mut self, runs: &Runs<E>) {
        self.unanswered.retain(|id| {
            let mut of_hook = runs.ran.iter().filter(|ran| ran.record.hook.id == *id);
            !of_hook.any(|ran| ran.released.is_some() || ran.has_answered())
        });
    }

    fn lock_done(&self) -> MutexGuard<'_, HashSet<HookId>> {
        // Insertion can't be half done, so a poisoned lock guards nothing broken.
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OnceBegun<'_> {
    fn drop(&mut self) {
        if self.unanswered.is_empty() {
            return;
        }
        let mut done = self.lock_done();
        for id in &self.unanswered {
            done.remove(id);
        }
    }
}

/// Takes out the hooks that said that nobody needs to wait for them (FD-22).
fn take_released<E: Event>(runs: &mut Runs<E>) -> Vec<ReleasedRun> {
    let mut released = Vec::new();
    for mut ran in std::mem::take(&mut runs.ran) {
        match ran.released.take() {
            Some(it) => released.push(it),
            None => runs.ran.push(ran),
        }
    }
    released
}

/// Returns what hooks in whose dialect a consent makes a confirmation unnecessary say about exactly
/// the final value (FD-21, BT-10): a hook that consented to another one, and hasn't read this one,
/// hasn't consented. A hook has read what it made itself.
fn consents<E: Event>(runs: &Runs<E>, judged: &Arc<E::Input>) -> Consents {
    let mut words = Vec::with_capacity(runs.ran.len());
    for ran in &runs.ran {
        let reads = || Arc::ptr_eq(&ran.read, judged) || *ran.read == **judged;
        words.push(Word {
            hook: &ran.record.hook,
            rewrites: ran.rewrites(),
            consents: ran.consents,
            has_read: ran.consents && reads(),
        });
    }
    consents_in(&words)
}

/// What a hook said about a value.
struct Word<'r> {
    hook: &'r HookDeclaration,
    rewrites: bool,
    consents: bool,
    /// Whether it consents and has read exactly the final value.
    has_read: bool,
}

fn consents_in(words: &[Word<'_>]) -> Consents {
    let mut consents = Consents::default();
    let rewriting = words.iter().filter(|it| it.rewrites);
    let authors: HashSet<_> = rewriting.map(|it| &it.hook.id).collect();
    for word in words.iter().filter(|it| it.consents) {
        let hook = word.hook;
        let made_it = authors.len() == 1 && authors.contains(&hook.id);
        let mut of_hook = words.iter().filter(|it| it.hook.id == hook.id);
        if !(word.has_read || made_it) || of_hook.any(|it| !it.consents) {
            continue;
        }
        let label = hook.label().to_owned();
        let list = if hook.skips_confirmation {
            &mut consents.counting
        } else {
            &mut consents.others
        };
        if !list.contains(&label) {
            list.push(label);
        }
    }
    consents
}
