//! Combines the answers of an event's hooks into its outcome. Combining runs nothing, and follows
//! the order of the plan (AG-1…6).

use std::sync::Arc;

use hookloop_events::{Cancelled, Conflict, Decision, Event, Merged, Summary, Verdict};
use hookloop_hook::{Handler, HookDeclaration, Mode as HookMode, Refusing, quoted};

use crate::conclusion::{Consents, Fired};
use crate::failure::Failure;
use crate::lifecycle::{Concluded, Notice};
use crate::mask::withhold;
use crate::plan::Mode;
use crate::record::{RunRecord, RunResult};
use crate::remark::Remark;
use crate::reported::Reported;
use crate::runs::{LeftBehind, Progress, Runs};

/// Combines the runs of a plan.
pub(crate) fn conclude<E: Event>(
    mode: Mode,
    input: Arc<E::Input>,
    runs: Runs<E>,
    reported: &Reported,
) -> Fired<E> {
    let Runs { ran, left } = runs;
    let mut answers = Vec::with_capacity(ran.len());
    let mut messages = Vec::new();
    let mut records = Vec::with_capacity(ran.len());
    let mut remarks = Vec::with_capacity(ran.len());
    for one in ran {
        answers.extend(one.answer);
        messages.extend(one.message);
        records.push(one.record);
        remarks.push(one.remarks);
    }
    let (outcome, summary, conflicts) = if records.iter().any(RunRecord::was_cancelled) {
        (Err(Cancelled), Summary::of_cancelled(), Vec::new())
    } else {
        let Merged {
            outcome,
            summary,
            conflicts,
        } = E::merge(&input, answers.clone());
        (Ok(outcome), summary, conflicts)
    };
    let hidden = E::withheld_fields(outcome.as_ref().map_err(|cancelled| *cancelled));
    // Records show only the content that replaced the original.
    let kept = match summary.verdict {
        Verdict::Proceed => E::shown_instead(&summary),
        Verdict::Refused | Verdict::Stopped | Verdict::Cancelled => None,
    };
    // Notices are written after the content has been masked, because they may quote it.
    let traces = (!hidden.is_empty()).then(|| withhold(&mut records, hidden, kept));
    let mut notices = Vec::new();
    for (record, remarks) in records.iter().zip(remarks) {
        notices.extend(failure_notice(record));
        let texts = remarks
            .into_iter()
            .filter_map(|remark| remark_text(&record.hook, remark, reported));
        notices.extend(texts.map(|mut text| {
            if let Some(traces) = &traces {
                traces.scrub(&mut text);
            }
            Notice::of(&record.hook, text)
        }));
    }
    notices.extend(left.iter().map(abandoned_notice));
    if mode == Mode::Parallel {
        let conflicting = conflicts.iter();
        notices.extend(conflicting.filter_map(|it| conflict_notice(&records, it)));
    }
    let concluded = Concluded {
        event: E::NAME,
        summary: with_stopped_decision(summary, &records),
        runs: records.into_iter().map(Arc::new).collect(),
        messages,
        notices,
        late: Vec::new(),
    };
    Fired {
        input,
        outcome,
        answers,
        concluded,
        consents: Consents::default(),
    }
}

/// Tells the user that a hook failed, and the consequence.
fn failure_notice(record: &RunRecord) -> Option<Notice> {
    let failure = record.failure.as_ref()?;
    if record.hook.mode == HookMode::Shadow {
        return None;
    }
    let consequence = match record.result {
        RunResult::Refused => "this counts as a refusal",
        RunResult::Stopped => "its stop still counts",
        RunResult::Ask => "its question is still asked",
        _ if *failure == Failure::Cancelled => {
            "it decided nothing, and nothing that waited for it happens"
        }
        _ => "the action continues without it",
    };
    let mut text = format!("{failure}; {consequence}");
    // People who mean to refuse often try exit code 1 first; -1 and Perl's `die` arrive as 255.
    let meant_to_refuse = matches!(failure, Failure::ExitCode { code: 1 | 255, .. });
    if meant_to_refuse && record.result == RunResult::Failed && may_refuse(&record.hook) {
        text.push_str(match &record.hook.handler {
            Handler::Worker { .. } => {
                "; to refuse, a worker answers {\"id\": …, \"refuse\": \"why\"}"
            }
            _ => "; to refuse, a hook exits with 2",
        });
    }
    if !record.withheld_env.is_empty() {
        text.push_str("; withheld from its environment: ");
        text.push_str(&record.withheld_env.join(", "));
    }
    Some(Notice::of(&record.hook, text))
}

/// Tells the user about a hook that the host didn't wait for (SE-2).
fn abandoned_notice(left: &LeftBehind) -> Notice {
    let text = match left.progress {
        Progress::Running => {
            "still running when the session ended; it keeps running, and what it says from now \
             on isn't shown"
        }
        Progress::NotStarted => "didn't run: the session ended before its turn in the sequence",
    };
    Notice::of(&left.hook, text.to_owned())
}

/// Returns whether a hook can refuse by its exit code and its decision, in its dialect.
fn may_refuse(hook: &HookDeclaration) -> bool {
    hook.refusing() == Refusing::Always
}

fn remark_text(hook: &HookDeclaration, remark: Remark, reported: &Reported) -> Option<String> {
    match remark {
        Remark::Other(text) => Some(text),
        Remark::OncePerHook(text) => reported.is_first_of(&hook.id, &text).then_some(text),
        Remark::UnknownField(unknown) => {
            let mut text = format!("`{}` has no effect on {}", unknown.field, hook.event);
            match &unknown.meant {
                Some(meant) => {
                    text.push_str("; did you mean ");
                    text.push_str(meant);
                    text.push('?');
                }
                None => text.push_str(": it isn't a field of a reply"),
            }
            reported
                .is_first_of(&hook.id, &unknown.field)
                .then_some(text)
        }
        Remark::StderrNote(told) => {
            let remedy = told.remedy();
            let line = told.line;
            let text = if told.is_failed_step {
                format!("a step of it failed, but it ended with 0: {line}; {remedy}")
            } else {
                format!(
                    "it ended with 0 and printed only this, on standard error: {line}; if a step \
                     of it failed, {remedy}; if not, let it answer with {{}} on standard output"
                )
            };
            reported
                .is_first_of(&hook.id, "a failed step")
                .then_some(text)
        }
        Remark::Polluted { lost } => {
            let mut text = "polluted output: standard output should be a JSON object and \
                nothing else, so it counts as allow, with the text as the message"
                .to_owned();
            if let Some(field) = &lost {
                text.push_str("; the refusal in the text had no effect (`");
                text.push_str(field);
                text.push_str("`)");
            }
            if may_refuse(hook) {
                text.push_str(
                    "; print notes to standard error, and to refuse exit with 2 or print nothing \
                     but {\"decision\": \"deny\", \"reason\": \"why\"}",
                );
            }
            let is_first = reported.is_first(&hook.id);
            // A lost refusal is reported even if the polluted output was reported before.
            let is_news = lost.is_some() && reported.is_first_loss(&hook.id);
            (is_first || is_news).then_some(text)
        }
    }
}

fn conflict_notice(records: &[RunRecord], conflict: &Conflict) -> Option<Notice> {
    let hooks = records.iter().map(|record| &record.hook);
    let loser = hooks
        .into_iter()
        .find(|hook| hook.id == conflict.loser.id)?;
    let why = if conflict.winner.weight > conflict.loser.weight {
        "is more trusted"
    } else {
        "comes later in the order"
    };
    let text = format!(
        "its value for `{}` was replaced by that of hook {}, which {why}",
        conflict.field,
        quoted(&conflict.winner.label)
    );
    Some(Notice::of(loser, text))
}

/// Adds the decision of the hooks to the summary of a stop, which outweighs it (OUT-3).
fn with_stopped_decision(mut summary: Summary, records: &[RunRecord]) -> Summary {
    if summary.verdict != Verdict::Stopped {
        return summary;
    }
    let replies = || {
        records
            .iter()
            .filter_map(|record| record.content.reply.as_ref())
    };
    let decision = replies().filter_map(|reply| reply.decision).max();
    let reasons: Vec<&str> = replies()
        .filter(|reply| reply.decision == decision)
        .filter(|reply| decision >= Some(Decision::Ask) || reply.decision.is_some())
        .filter_map(|reply| reply.reason.as_deref())
        .collect();
    summary.decision = decision;
    summary.reason = (!reasons.is_empty()).then(|| reasons.join("\n"));
    summary
}
