//! The run of one hook, with all its results.

use std::sync::Arc;

use hookloop_events::{Attributed, Author, Decision, Event, Payload, Reply};
use hookloop_hook::{Authority, HookDeclaration, Mode, Refusing};

use crate::failure::Failure;
use crate::late::ReleasedRun;
use crate::lifecycle::SystemMessage;
use crate::port::Completion;
use crate::reading::Reading;
use crate::record::{RunContent, RunEnding, RunRecord, RunResult, Suppression, Truncation};
use crate::remark::Remark;
use crate::stop::StopCause;
use crate::streams::into_text;

/// What one hook did.
pub(crate) struct Ran<E: Event> {
    pub(crate) answer: Option<Attributed<E::Answer>>,
    /// What it read.
    pub(crate) read: Arc<E::Input>,
    pub(crate) message: Option<SystemMessage>,
    pub(crate) remarks: Vec<Remark>,
    pub(crate) record: RunRecord,
    /// Whether it consents in words that make a confirmation unnecessary in its dialect (FD-21).
    pub(crate) consents: bool,
    /// Set if it said that nobody needs to wait for it: then there is nothing else here.
    pub(crate) released: Option<ReleasedRun>,
}

/// What is known about a run beside what the hook said.
pub(crate) struct RunFacts<E: Event> {
    pub(crate) read: Arc<E::Input>,
    /// The weight of its word beside those of others (PL-9).
    pub(crate) weight: Authority,
    pub(crate) session_id: String,
    pub(crate) run_id: String,
    pub(crate) hook: Arc<HookDeclaration>,
    pub(crate) started_at: String,
    pub(crate) payload: Payload,
    pub(crate) completion: Completion,
    pub(crate) stop_cause: Option<StopCause>,
    pub(crate) consents: bool,
}

impl<E: Event> Ran<E> {
    /// Returns whether the hook did its work to the end.
    pub(crate) fn has_answered(&self) -> bool {
        self.record.failure.is_none()
    }

    pub(crate) fn new(facts: RunFacts<E>, mut reading: Reading<E::Answer>) -> Self {
        let RunFacts {
            read,
            weight,
            session_id,
            run_id,
            hook,
            started_at,
            payload,
            completion,
            stop_cause,
            consents,
        } = facts;
        let label = hook.label().to_owned();
        reading.name_unknown_arguments::<E>(&hook, &read);
        let result = result::<E>(E::NAME.refusing(hook.dialect), &reading);
        let message = message::<E>(&label, &reading);
        let reply = reading.reply.as_ref();
        let suppression = match reply.and_then(|it| it.suppress_output) {
            Some(true) => Suppression::Suppressed,
            _ => Suppression::Open,
        };
        let failure = match suppression {
            Suppression::Open => reading.failure,
            Suppression::Suppressed => reading.failure.map(Failure::without_output),
        };
        let truncation = truncation(&completion);
        let record = RunRecord {
            run_id,
            session_id,
            event: E::NAME,
            started_at,
            duration: completion.duration,
            ending: RunEnding::new(&completion.ending, stop_cause),
            result,
            failure,
            content: RunContent {
                input: payload,
                stdout: into_text(completion.stdout),
                stderr: into_text(completion.stderr),
                truncation,
                reply: reading.reply,
            },
            withheld_env: completion.withheld_env,
            unknown_fields: reading.unknown_fields,
            lost_refusal: reading.lost_refusal,
            suppression,
            hook,
        };
        let hook = &record.hook;
        if hook.mode == Mode::Shadow {
            // The run is recorded, but has no effect (HT-2).
            return Self {
                answer: None,
                read,
                message: None,
                remarks: Vec::new(),
                record,
                consents: false,
                released: None,
            };
        }
        let author = || Author {
            id: hook.id.clone(),
            label,
            weight,
        };
        Self {
            answer: reading.answer.map(|answer| Attributed {
                hook: author(),
                answer: counting::<E>(&record.hook, answer),
            }),
            read,
            message,
            remarks: reading.remarks,
            consents: consents && allows(&record),
            record,
            released: None,
        }
    }

    /// Returns whether the hook, or the policy for its failure, refuses; not a hook that is only
    /// recorded.
    pub(crate) fn refuses(&self) -> bool {
        let is_refusal = matches!(self.record.result, RunResult::Refused | RunResult::Stopped);
        is_refusal && self.answer.is_some()
    }

    /// Returns whether the hook changed what it had to judge.
    pub(crate) fn rewrites(&self) -> bool {
        let answer = self.answer.as_ref();
        answer.is_some_and(|attributed| E::rewrites(&attributed.answer))
    }

    /// Reduces the answer to whether the action may continue, and returns the rest of it.
    pub(crate) fn take_rewrite(&mut self) -> Option<E::Answer> {
        let attributed = self.answer.take()?;
        let whole = attributed.answer.clone();
        self.answer = Some(Attributed {
            answer: E::ruling_alone(attributed.answer),
            ..attributed
        });
        Some(whole)
    }
}

/// Reduces an answer to what counts from a hook, depending on what it can keep from happening.
fn counting<E: Event>(hook: &HookDeclaration, answer: E::Answer) -> E::Answer {
    match E::NAME.refusing(hook.dialect) {
        Refusing::Never => E::advice_alone(answer),
        Refusing::ByStopping | Refusing::Always => answer,
    }
}

/// Returns whether a stream went over the cap.
fn truncation(completion: &Completion) -> Truncation {
    if completion.stdout.is_cut() || completion.stderr.is_cut() {
        Truncation::Cut
    } else {
        Truncation::Whole
    }
}

/// Returns whether the result of a run is consent, and nothing else.
fn allows(record: &RunRecord) -> bool {
    let reply = record.content.reply.as_ref();
    record.result == RunResult::Proceed
        && record.failure.is_none()
        && reply.is_some_and(|it| it.decision == Some(Decision::Allow))
}

/// Returns the result of a run in one word.
fn result<E: Event>(refusing: Refusing, reading: &Reading<E::Answer>) -> RunResult {
    let said = reading.reply.as_ref();
    let reply = said.filter(|_| refusing != Refusing::Never);
    let deciding = said.filter(|_| refusing == Refusing::Always);
    let decision = deciding.and_then(|reply| reply.decision);
    if reply.is_some_and(Reply::stops) {
        return RunResult::Stopped;
    }
    match decision {
        Some(Decision::Ask) if E::ASKS_USER => RunResult::Ask,
        Some(Decision::Deny | Decision::Ask) => RunResult::Refused,
        // If the hook failed, the only possible answer is its policy's refusal.
        _ if reading.failure.is_some() && reading.answer.is_some() => RunResult::Refused,
        _ if reading.failure.is_some() => RunResult::Failed,
        _ => RunResult::Proceed,
    }
}

/// Takes the message for the user, if the event shows one (OUT-1, TS-3).
fn message<E: Event>(label: &str, reading: &Reading<E::Answer>) -> Option<SystemMessage> {
    if !E::SHOWS_MESSAGES {
        return None;
    }
    let text = reading.reply.as_ref()?.system_message.as_ref()?;
    let shown = !text.trim().is_empty();
    shown.then(|| SystemMessage {
        hook: label.to_owned(),
        text: text.clone(),
    })
}
