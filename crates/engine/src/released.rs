//! Runs of hooks that nothing waits for, or that nothing waits for any more (FD-22).

use std::collections::HashMap;
use std::sync::Arc;

use hookloop_dialects::{after_async_announcement, may_announce_async};
use hookloop_events::{Event, HookContext, Payload, SessionIdentity};
use hookloop_hook::{HookDeclaration, Mode as HookMode};
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::agent_turn::TurnView;
use crate::conclude::conclude;
use crate::failure::Failure;
use crate::firing::{Detachment, Firing, Look};
use crate::in_process::read_failure;
use crate::inner::Inner;
use crate::late::{Lasting, Late, MAX_CONCURRENT, MAX_TURNS, Place, ReleasedRun, RunStart};
use crate::lifecycle::Lifecycle;
use crate::mask::withhold;
use crate::one_run::{Turn, run_alone, run_to_end};
use crate::plan::Mode;
use crate::port::{BoxFuture, Completion, Ending, FirstLine};
use crate::ran::{Ran, RunFacts};
use crate::reading::Reading;
use crate::record::{RunEnding, RunRecord, RunResult};
use crate::remark::Remark;
use crate::runs::Runs;
use crate::span::Span;
use crate::streams::object_in;

/// How much of what a hook said is passed on, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// What a task that outlives its firing takes along.
struct Owned {
    inner: Arc<Inner>,
    session: Arc<SessionIdentity>,
    turn: TurnView,
    span: Option<Arc<dyn Span>>,
    overlay: Map<String, Value>,
}

impl Owned {
    fn firing<'f>(
        &'f self,
        cancel: &'f CancellationToken,
        asked_for: &'f HashMap<hookloop_hook::HookId, String>,
    ) -> Firing<'f> {
        Firing {
            executor: &*self.inner.executor,
            closures: &self.inner.closures,
            observer: &*self.inner.observer,
            clock: &*self.inner.clock,
            session: &self.session,
            cancel,
            max_output_bytes: self.inner.max_output_bytes,
            detachment: Detachment::Bound,
            span: self.span.as_ref(),
            overlay: &self.overlay,
            turn: &self.turn,
            look: Look::First,
            late: None,
            first_line: None,
            asked_for,
        }
    }

    /// Passes on what a hook said too late, and reports its run.
    fn conclude<E: Event>(
        &self,
        mut ran: Ran<E>,
        input: Arc<E::Input>,
        place: Place,
        hidden: &[&'static str],
    ) {
        let words = too_late(&mut ran);
        let Ran {
            record, remarks, ..
        } = &mut ran;
        if hidden.is_empty() {
            hand_over(&place.late, &words, record, remarks);
        } else {
            drop(withhold(std::slice::from_mut(record), hidden, None));
            ran.message = None;
        }
        let runs = Runs {
            ran: vec![ran],
            left: Vec::new(),
        };
        let fired = conclude::<E>(Mode::Parallel, input, runs, &self.inner.reported);
        let concluded = Lifecycle::Concluded(fired.concluded);
        self.inner.observer.observe(&self.session, &concluded);
        drop(place);
    }
}

/// What a hook that was launched and left takes along.
pub(crate) struct Launch<'a> {
    pub(crate) lasting: Lasting<'a>,
    pub(crate) session: &'a Arc<SessionIdentity>,
    pub(crate) span: Option<&'a Arc<dyn Span>>,
    pub(crate) overlay: &'a Map<String, Value>,
    /// Fields of the input that other hooks took back: no record may show them (AT-1).
    pub(crate) hidden: &'static [&'static str],
}

impl Launch<'_> {
    /// Starts a hook that nobody waits for. If too many run, that is returned as a sentence.
    pub(crate) fn start<E: Event>(
        &self,
        hook: &Arc<HookDeclaration>,
        input: &Arc<E::Input>,
    ) -> Result<(), String> {
        let Some(place) = self.lasting.late.place(hook, RunStart::Launched) else {
            return Err(format!(
                "it didn't run: {MAX_CONCURRENT} asynchronous hooks of the session are already \
                 running"
            ));
        };
        let owned = Owned {
            inner: Arc::clone(self.lasting.inner),
            session: Arc::clone(self.session),
            turn: self.lasting.turn.clone(),
            span: self.span.cloned(),
            overlay: self.overlay.clone(),
        };
        let hidden = self.hidden;
        let (hook, input) = (Arc::clone(hook), Arc::clone(input));
        spawn(Box::pin(async move {
            let never = CancellationToken::new();
            let nothing = HashMap::new();
            let firing = Firing {
                // The run may outlive the host, up to its own timeout.
                detachment: Detachment::Parting(never.clone()),
                ..owned.firing(&never, &nothing)
            };
            let ran = run_alone::<E>(&firing, &hook, &input).await;
            owned.conclude::<E>(ran, input, place, hidden);
        }));
        Ok(())
    }
}

/// Runs a hook that may say in its first line that nobody needs to wait for it: then the returned
/// run says nothing, and the hook continues by itself. If too many do, it is waited for.
pub(crate) async fn run_until_released<E: Event>(
    firing: &Firing<'_>,
    lasting: Lasting<'_>,
    turn: Turn<'_>,
    input: &Arc<E::Input>,
    payload: Payload,
) -> Ran<E> {
    let owned = Owned {
        inner: Arc::clone(lasting.inner),
        session: Arc::clone(firing.session),
        turn: lasting.turn.clone(),
        span: firing.span.cloned(),
        overlay: firing.overlay.clone(),
    };
    let hook = Arc::clone(turn.hook);
    let first_line = FirstLine::new(hook.dialect);
    let end = CancellationToken::new();
    // If the caller stops waiting before the run is detached, dropping the guard ends the run.
    let guard = end.clone().drop_guard();
    let (send, mut receive) = oneshot::channel();
    let (sender, tells) = oneshot::channel::<(Place, &'static [&'static str])>();
    let facts = facts_of_nothing::<E>(firing, turn, input, &payload);
    let asked_for = firing.asked_for.clone();
    let (index, of, weight) = (turn.index, turn.of, turn.weight);
    let (read, line, ending) = (Arc::clone(input), first_line.clone(), end.clone());
    spawn(Box::pin(async move {
        let firing = Firing {
            first_line: Some(&line),
            ..owned.firing(&ending, &asked_for)
        };
        let turn = Turn {
            hook: &hook,
            index,
            of,
            // Others may begin while it is no longer waited for.
            is_alone: false,
            weight,
        };
        let ran = run_to_end::<E>(&firing, turn, &read, payload).await;
        let Err(mut ran) = send.send(ran) else {
            return;
        };
        if let Ok((place, hidden)) = tells.await {
            ran.remarks.extend(ignored_time(&ran.record));
            owned.conclude::<E>(ran, read, place, hidden);
        }
    }));
    let announced = tokio::select! {
        biased;
        ran = &mut receive => return ran.unwrap_or_else(|_| aborted_run::<E>(facts)),
        () = firing.cancel.cancelled() => {
            end.cancel();
            None
        }
        () = first_line.wait_announced() => lasting.late.place(turn.hook, RunStart::Released),
    };
    let Some(place) = announced else {
        let ran = tokio::select! {
            biased;
            ran = &mut receive => ran,
            () = firing.cancel.cancelled() => {
                end.cancel();
                (&mut receive).await
            }
        };
        return ran.unwrap_or_else(|_| aborted_run::<E>(facts));
    };
    receive.close();
    // The run may have ended at the same moment.
    if let Ok(ran) = receive.try_recv() {
        return ran;
    }
    drop(guard.disarm());
    Ran {
        released: Some(ReleasedRun { place, sender }),
        ..Ran::new(facts, Reading::silent())
    }
}

/// Starts a task. Behind a pointer, so that the runtime's code for tasks is compiled once and not
/// for each event.
fn spawn(task: BoxFuture<'static, ()>) {
    drop(tokio::spawn(task));
}

/// What is known about a run that says nothing.
fn facts_of_nothing<E: Event>(
    firing: &Firing<'_>,
    turn: Turn<'_>,
    input: &Arc<E::Input>,
    payload: &Payload,
) -> RunFacts<E> {
    RunFacts {
        read: Arc::clone(input),
        weight: turn.weight,
        session_id: firing.session.session_id.clone(),
        run_id: uuid::Uuid::new_v4().to_string(),
        hook: Arc::clone(turn.hook),
        started_at: firing.clock.now(),
        payload: payload.clone(),
        completion: Completion::ended(Ending::Exited(0)),
        stop_cause: None,
        consents: false,
    }
}

/// What represents a run whose task was ended: it decided nothing, and didn't do its work.
fn aborted_run<E: Event>(facts: RunFacts<E>) -> Ran<E> {
    let why = "its run was abandoned".to_owned();
    let reading = read_failure::<E>(&facts.hook, Failure::Errored(why.clone()));
    let completion = Completion::ended(Ending::Failed(why));
    Ran::new(
        RunFacts {
            completion,
            ..facts
        },
        reading,
    )
}

/// Returns the remark that the time that a first line requests has no effect.
fn ignored_time(record: &RunRecord) -> Option<Remark> {
    let first = record.content.stdout.trim_start().lines().next()?;
    first.contains("\"asyncTimeout\"").then(|| {
        let text = "`asyncTimeout` has no effect: its `timeout` bounds it";
        Remark::Other(text.to_owned())
    })
}

/// Removes the effect of what a hook says when nobody waits for it, and returns what is passed on.
pub(crate) fn too_late<E: Event>(ran: &mut Ran<E>) -> String {
    let rewrote = ran.rewrites();
    ran.answer = None;
    ran.consents = false;
    if ran.record.hook.mode == HookMode::Shadow {
        return String::new();
    }
    words_too_late(&mut ran.record, &mut ran.remarks, rewrote)
}

/// Reports a refusal and a rewrite that are too late, removes the refusal from a record, and
/// returns what is passed on.
fn words_too_late(record: &mut RunRecord, remarks: &mut Vec<Remark>, rewrote: bool) -> String {
    let refused = matches!(
        record.result,
        RunResult::Refused | RunResult::Stopped | RunResult::Ask
    );
    if refused {
        record.result = RunResult::Proceed;
        if !begins_turn(record) || record.event.is_before_action() {
            record.lost_refusal = true;
            remarks.push(Remark::Other(
                "its refusal is lost: it is \"async\", so nobody waits for it and the action has \
                 already gone ahead"
                    .to_owned(),
            ));
        }
    }
    if rewrote {
        let text = "the changes that it requests have no effect: it is \"async\", so nobody waits \
            for it";
        remarks.push(Remark::Other(text.to_owned()));
    }
    let mut words = model_message(record);
    if words.len() > MAX_BYTES {
        let end = words.floor_char_boundary(MAX_BYTES);
        words.truncate(end);
        words.push_str(" […]");
        let text = format!("what it says was cut after {MAX_BYTES} bytes");
        remarks.push(Remark::Other(text));
    }
    words
}

/// Returns whether a hook wants a turn to begin with what it said.
fn begins_turn(record: &RunRecord) -> bool {
    record.hook.rewakes
        && record.hook.mode == HookMode::Active
        && record.ending == RunEnding::Exited(2)
}

/// Returns whether a hook that was waited for said in its first line that nobody needs to (FD-22).
pub(crate) fn has_announced_async(record: &RunRecord) -> bool {
    let dialect = record.hook.dialect;
    may_announce_async(dialect, record.event)
        && after_async_announcement(dialect, &record.content.stdout).is_some()
}

/// Returns the part of what a hook said that the host has to pass on, and says what happens to the
/// turn that the hook would begin.
pub(crate) fn words_for_host(
    words: String,
    record: &RunRecord,
    remarks: &mut Vec<Remark>,
) -> Option<String> {
    let begins = begins_turn(record);
    if begins {
        let text = "it requests a turn (\"asyncRewake\"), which only a session of Hookloop \
            can start: here, what it says is only reported";
        remarks.push(Remark::Other(text.to_owned()));
    }
    match HookContext::new(&words) {
        Some(_) => Some(words),
        None => begins.then(|| default_message(record)),
    }
}

/// Returns the text that a hook asks for a turn, if the hook itself says nothing.
fn default_message(record: &RunRecord) -> String {
    format!(
        "The hook \"{}\" asks for another look, without saying more.",
        record.hook.label()
    )
}

/// Passes on what a hook said, and begins a turn with it if the hook says so.
pub(crate) fn hand_over(late: &Late, words: &str, record: &RunRecord, remarks: &mut Vec<Remark>) {
    let begins = begins_turn(record);
    let unsaid = default_message(record);
    let words = if begins && HookContext::new(words).is_none() {
        &unsaid
    } else {
        words
    };
    let has_room = late.say(&record.hook, words);
    let mut remark = |text: String| remarks.push(Remark::Other(text));
    if !has_room {
        remark(
            "what it says is left out: too much is already waiting for the next turn".to_owned(),
        );
    }
    if begins && !late.begin_turn() {
        remark(format!(
            "it starts no turn: asynchronous hooks have started {MAX_TURNS} turns of the session, \
             which is the limit; what it says goes with the next turn"
        ));
    }
}

/// Returns what a hook wants the model to read: with exit code 2, what is on standard error; else a
/// reply's context, message and reason, or the text itself.
fn model_message(record: &RunRecord) -> String {
    let (stdout, stderr) = (record.content.stdout.trim(), record.content.stderr.trim());
    if record.ending == RunEnding::Exited(2) && !stderr.is_empty() {
        return stderr.to_owned();
    }
    if !matches!(record.ending, RunEnding::Exited(0 | 2)) {
        return String::new();
    }
    let rest = after_async_announcement(record.hook.dialect, stdout);
    let stdout = rest.unwrap_or(stdout).trim();
    let Some(fields) = object_in(stdout) else {
        return stdout.to_owned();
    };
    let own = fields.get("hookSpecificOutput");
    let of_own = |name: &str| own.and_then(|own| own.get(name));
    let texts = [
        of_own("additionalContext"),
        fields.get("systemMessage"),
        fields.get("reason"),
        of_own("permissionDecisionReason"),
    ];
    let texts: Vec<&str> = texts
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    texts.join("\n")
}
