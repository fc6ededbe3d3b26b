//! Hooks that nobody waits for, and what they say when the turn has gone on (FD-22).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_events::{Event, HookContext, SessionIdentity};
use hookloop_hook::{HookDeclaration, Mode as HookMode};
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::agent_turn::AgentTurn;
use crate::conclude::{conclude, notice};
use crate::inner::Inner;
use crate::lifecycle::{Lifecycle, Notice};
use crate::mask::withhold;
use crate::plan::Mode;
use crate::ran::Ran;
use crate::reading::Remark;
use crate::record::{RunEnding, RunRecord, RunResult};
use crate::run::{Detachment, Firing, Look, Runs, run_alone};
use crate::span::Span;
use crate::streams::object_in;

/// How many hooks of a session nobody waits for at a time.
pub(crate) const MOST_AT_A_TIME: usize = 8;

/// How much of what a hook said is handed over, in bytes.
const LONGEST: usize = 16 * 1024;

/// The hooks of a session that nobody waits for.
#[derive(Debug, Default)]
pub(crate) struct Late {
    running: Mutex<Vec<Arc<HookDeclaration>>>,
    ended: Notify,
    said: Mutex<Vec<HookContext>>,
}

/// A hook's place among those that run at a time, until all is told of it.
struct Place {
    late: Arc<Late>,
    hook: Arc<HookDeclaration>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = self.late.running();
        let own = running.iter().position(|it| Arc::ptr_eq(it, &self.hook));
        own.map(|at| running.remove(at));
        drop(running);
        self.late.ended.notify_waiters();
    }
}

impl Late {
    fn place(self: &Arc<Self>, hook: &Arc<HookDeclaration>) -> Option<Place> {
        let mut running = self.running();
        let is_free = running.len() < MOST_AT_A_TIME;
        is_free.then(|| {
            running.push(Arc::clone(hook));
            Place {
                late: Arc::clone(self),
                hook: Arc::clone(hook),
            }
        })
    }

    /// Waits for those that run, no longer than this, and returns what the user is to be told of the
    /// others.
    pub(crate) async fn end_within(&self, wait: Duration) -> Vec<Notice> {
        let all = async {
            loop {
                let mut ended = std::pin::pin!(self.ended.notified());
                ended.as_mut().enable();
                if self.running().is_empty() {
                    return;
                }
                ended.await;
            }
        };
        // Those that are left are looked at below.
        let _in_time = tokio::time::timeout(wait, all).await;
        let left = self.running().clone();
        let active = left.iter().filter(|hook| hook.mode == HookMode::Active);
        let told = active.map(|hook| {
            let lost = if hook.event.can_refuse() {
                ", also a refusal,"
            } else {
                ""
            };
            let text = format!(
                "it is \"async\" and was still running when the session ended; it goes on by \
                 itself, and what it says from now on{lost} comes too late"
            );
            notice(hook, text)
        });
        told.collect()
    }

    fn running(&self) -> MutexGuard<'_, Vec<Arc<HookDeclaration>>> {
        // One is put in or taken out whole, so a poisoned lock guards nothing broken.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, text: &str) {
        if let Some(context) = HookContext::new(text) {
            self.said().push(context);
        }
    }

    /// Takes what was said since the last turn.
    pub(crate) fn take(&self) -> Option<HookContext> {
        let said = std::mem::take(&mut *self.said());
        HookContext::join(said.iter())
    }

    /// Puts back what the turn that it was taken for doesn't tell the model.
    pub(crate) fn put_back(&self, context: HookContext) {
        self.said().insert(0, context);
    }

    fn said(&self) -> MutexGuard<'_, Vec<HookContext>> {
        // What is in it is whole, so a poisoned lock guards nothing broken.
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a hook takes along that outlives the firing it began in.
pub(crate) struct Launch<'a> {
    pub(crate) inner: &'a Arc<Inner>,
    pub(crate) session: &'a Arc<SessionIdentity>,
    pub(crate) turn: &'a Arc<AgentTurn>,
    pub(crate) late: &'a Arc<Late>,
    pub(crate) span: Option<&'a Arc<dyn Span>>,
    pub(crate) overlay: &'a Map<String, Value>,
    /// Fields of the input that other hooks took back: no record may show them (AT-1).
    pub(crate) hidden: &'static [&'static str],
}

impl Launch<'_> {
    /// Starts a hook that nobody waits for. Where too many run, that is returned as a sentence.
    pub(crate) fn start<E: Event>(
        &self,
        hook: &Arc<HookDeclaration>,
        input: &Arc<E::Input>,
    ) -> Result<(), String> {
        let Some(place) = self.late.place(hook) else {
            return Err(format!(
                "it did not run: {MOST_AT_A_TIME} hooks of the session that nobody waits for are \
                 running already"
            ));
        };
        let (inner, session, turn) = (
            Arc::clone(self.inner),
            Arc::clone(self.session),
            Arc::clone(self.turn),
        );
        let (span, overlay, hidden) = (self.span.cloned(), self.overlay.clone(), self.hidden);
        let (hook, input) = (Arc::clone(hook), Arc::clone(input));
        tokio::spawn(async move {
            let never = CancellationToken::new();
            let firing = Firing {
                executor: &*inner.executor,
                closures: &inner.closures,
                observer: &*inner.observer,
                clock: &*inner.clock,
                session: &session,
                cancel: &never,
                max_output_bytes: inner.max_output_bytes,
                // It may outlive the host, up to its own timeout.
                detachment: Detachment::Parting(never.clone()),
                span: span.as_ref(),
                overlay: &overlay,
                turn: &turn,
                look: Look::First,
                asked_for: &HashMap::new(),
            };
            let mut ran = run_alone::<E>(&firing, &hook, &input).await;
            let words = too_late(&mut ran);
            if hidden.is_empty() {
                place.late.say(&words);
            } else {
                drop(withhold(
                    std::slice::from_mut(&mut ran.record),
                    hidden,
                    None,
                ));
            }
            let runs = Runs {
                ran: vec![ran],
                left: Vec::new(),
            };
            let fired = conclude::<E>(Mode::Parallel, input, runs, &inner.reported);
            inner
                .observer
                .observe(&session, &Lifecycle::Concluded(fired.concluded));
            drop(place);
        });
        Ok(())
    }
}

/// Takes its effect from what a hook says when nobody waits for it, and returns what is handed over.
pub(crate) fn too_late<E: Event>(ran: &mut Ran<E>) -> String {
    ran.answer = None;
    if ran.record.hook.mode == HookMode::Shadow {
        return String::new();
    }
    let refused = matches!(
        ran.record.result,
        RunResult::Refused | RunResult::Stopped | RunResult::Ask
    );
    if refused && E::NAME.can_refuse() {
        ran.record.result = RunResult::Proceed;
        ran.record.lost_refusal = true;
        ran.remarks.push(Remark::Other(
            "its refusal is lost: it is \"async\", so nobody waits for it and the action has gone \
             on"
            .to_owned(),
        ));
    }
    let mut words = words(&ran.record);
    if words.len() > LONGEST {
        let end = words.floor_char_boundary(LONGEST);
        words.truncate(end);
        words.push_str(" […]");
    }
    words
}

/// Returns what a hook wants the model to read: of a reply its context and its message, else the text
/// itself; of exit code 2 what stands on standard error.
fn words(record: &RunRecord) -> String {
    let (stdout, stderr) = (record.content.stdout.trim(), record.content.stderr.trim());
    if record.ending == RunEnding::Exited(2) && !stderr.is_empty() {
        return stderr.to_owned();
    }
    if record.ending != RunEnding::Exited(0) {
        return String::new();
    }
    let Some(fields) = object_in(stdout) else {
        return stdout.to_owned();
    };
    let own = fields.get("hookSpecificOutput");
    let context = own.and_then(|own| own.get("additionalContext"));
    let texts = [context, fields.get("systemMessage"), fields.get("reason")];
    let texts: Vec<&str> = texts
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    texts.join("\n")
}
