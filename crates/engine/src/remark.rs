//! Reports to the user about a hook's answer, other than its failure.

use hookloop_events::{Decision, EventName, Reply};
use hookloop_hook::{HookDeclaration, Refusing};

use crate::port::Completion;
use crate::repeats;
use crate::stderr_line::StderrNote;
use crate::unknown::UnknownField;
use crate::vocabulary::Vocabulary;

/// Something about a hook's answer that the user should know: a part of it had no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Remark {
    /// Text where a reply was expected (IO-11); reported once per hook.
    Polluted {
        /// The field of an object in the text that would have refused.
        lost: Option<String>,
    },
    /// A field that the event doesn't know (IO-23); reported once per hook and field.
    UnknownField(UnknownField),
    /// A sentence that is reported once per hook, such as what its dialect means here (FD-21,
    /// FD-23).
    OncePerHook(String),
    /// It wrote something to standard error, and ended as if nothing had happened (IO-25); reported
    /// once per hook.
    StderrNote(StderrNote),
    /// Anything else, as a sentence.
    Other(String),
}

/// Returns what a reply says that has no effect at the event (TS-3, SS-2, SE-3, NO-1, PC-2).
pub(crate) fn ineffective_fields(
    words: Vocabulary,
    refusing: Refusing,
    reply: &Reply,
) -> Vec<Remark> {
    let event = words.event;
    let mut fields = Vec::new();
    if refusing != Refusing::Always {
        if matches!(reply.decision, Some(Decision::Deny | Decision::Ask)) {
            fields.push("decision");
        }
        if reply.stops() && refusing == Refusing::Never {
            fields.push("continue");
        }
    }
    let mut alone = Vec::new();
    if refusing == Refusing::Always && !reply.stops() {
        // A reason alone doesn't refuse, and an empty one isn't worth reporting.
        if reply.decision.is_none() && says(reply.reason.as_ref()) {
            alone.push(UnknownField {
                field: "reason".to_owned(),
                meant: Some("`\"decision\": \"deny\"` beside it".to_owned()),
            });
        }
        if says(reply.stop_reason.as_ref()) {
            alone.push(UnknownField {
                field: "stopReason".to_owned(),
                meant: Some("`\"continue\": false` beside it".to_owned()),
            });
        }
    }
    if !words.shows_messages && reply.system_message.is_some() {
        fields.push("systemMessage");
    }
    let mut remarks: Vec<Remark> = fields
        .into_iter()
        .map(|field| Remark::Other(format!("`{field}` has no effect on {event}")))
        .collect();
    remarks.extend(alone.into_iter().map(Remark::UnknownField));
    let asks = reply.decision == Some(Decision::Ask) && refusing == Refusing::Always;
    if asks && !words.asks_user {
        remarks.push(Remark::Other(format!(
            "\"ask\" is a refusal on {event}: only BeforeTool can ask the user"
        )));
    }
    remarks
}

/// Returns what an executor reports about a hook whose answer could refuse (HT-15).
pub(crate) fn of_guard<'c>(
    event: EventName,
    hook: &HookDeclaration,
    completion: &'c Completion,
) -> impl Iterator<Item = Remark> + use<'c> {
    let is_guard = !hook.asynchronous && event.refusing(hook.dialect) == Refusing::Always;
    let remarks = completion.remarks_on_guards.iter();
    remarks
        .filter(move |_| is_guard)
        .cloned()
        .map(Remark::OncePerHook)
}

fn says(text: Option<&String>) -> bool {
    text.is_some_and(|it| !it.trim().is_empty())
}

/// Reports fields that appear more than once in a reply: a part of it was dropped.
pub(crate) fn repeated_fields(stdout: &str) -> impl Iterator<Item = Remark> {
    repeats::repeated_keys(stdout.trim()).map(|key| {
        let counts = match key.as_str() {
            "decision" | "continue" => "the strictest",
            _ => "the last one",
        };
        Remark::Other(format!(
            "`{key}` appears more than once in its reply; {counts} counts"
        ))
    })
}
