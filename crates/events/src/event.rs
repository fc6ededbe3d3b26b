//! What all events have in common: the trait that each implements in a file of its own.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::cancelled::Cancelled;
use crate::context::HookContext;
use crate::reason::{Cause, Reason};
use crate::reply::{Decision, Malformed, Reply};
use crate::shared_request::SharedRequest;
use crate::verdict::Ruling;
use hookloop_hook::EventName;

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// One of the eleven events: what its hooks read, what they may answer, what the host must do.
///
/// Everything here is pure. The engine asks [`subject`](Event::subject) whom to run, reads
/// replies with [`decode`](Event::decode), passes changes on with [`thread`](Event::thread)
/// where hooks run one after another, and combines with [`merge`](Event::merge).
pub trait Event: sealed::Sealed + Send + Sync + 'static {
    /// The event's name.
    const NAME: EventName;
    /// The fields of `hookSpecificOutput` that the event knows (OUT-6).
    const OWN_FIELDS: &'static [&'static str];
    /// What other fields of `hookSpecificOutput` are.
    const OTHER_FIELDS: OtherFields = OtherFields::Unknown;
    /// What a hook reads beside the common fields.
    type Input: Serialize + DeserializeOwned + Clone + Send + Sync;
    /// What a hook may say; verbs that the event doesn't know can't be expressed.
    type Answer: Debug + Clone + PartialEq + Send + Sync;
    /// What the host must do.
    type Outcome: Debug + PartialEq + Send;

    /// Returns what matchers are compared with; `None` for events without a subject.
    fn subject(input: &Self::Input) -> Option<&str>;

    /// Returns the part of the input that is written once for all events that carry it (IO-1).
    fn shared(_input: &Self::Input) -> Option<&SharedRequest> {
        None
    }

    /// Makes an answer of a reply. `hook` is the label that stands in missing reasons.
    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed>;

    /// Returns the answer that refuses, or `None` on events that can't refuse.
    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer>;

    /// Returns what text that is no JSON means where an event gives it a meaning (TS-4).
    fn decode_plain_text(_text: &str) -> Option<Self::Answer> {
        None
    }

    /// Changes what the next hook in a sequence reads (PL-8).
    fn thread(_input: &mut Self::Input, _answer: &Self::Answer) {}

    /// Names the input's fields that no record may show after this end, because hooks took their
    /// content back (AT-1, AM-2, AM-3), or were cancelled before they had judged it (EV-5).
    fn withheld_fields(_end: Result<&Self::Outcome, Cancelled>) -> &'static [&'static str] {
        &[]
    }

    /// Combines the answers of all hooks, in the order of the plan (`hooks.md` §5).
    fn merge(input: &Self::Input, answers: Vec<Attributed<Self::Answer>>) -> Merged<Self::Outcome>;
}

/// What a field of `hookSpecificOutput` is that the event gives no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherFields {
    /// It has no effect, and that is reported (IO-23).
    Unknown,
    /// Data for the record (AT-5).
    Data,
}

/// An answer with the label of the hook that gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributed<A> {
    /// The hook's name, else its command.
    pub hook: String,
    /// What it said.
    pub answer: A,
}

/// What the answers of all hooks mean together.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged<O> {
    /// What the host must do.
    pub outcome: O,
    /// The same for people and programs.
    pub summary: Summary,
    /// Values that an earlier hook set and a later one replaced (PL-9).
    pub conflicts: Vec<Conflict>,
}

/// Two hooks set the same thing to different values; the later in order won (PL-9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// What both set.
    pub field: String,
    /// The hook whose value stands.
    pub winner: String,
    /// The hook whose value was replaced.
    pub loser: String,
}

/// How an event ends for the host's action.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The action goes on.
    #[default]
    Proceed,
    /// The action does not happen; so it is with a question that nobody can answer.
    Refused,
    /// The agent loop ends.
    Stopped,
    /// The hooks were cancelled and have decided nothing (EV-5).
    Cancelled,
}

/// An outcome in words and plain values, for `fire`, trace and telemetry (CM-5).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Whether the action goes on.
    pub verdict: Verdict,
    /// The strongest decision; `None` when no hook had an opinion.
    pub decision: Option<Decision>,
    /// The joined reasons of the decision.
    pub reason: Option<String>,
    /// The joined reasons of a stop.
    pub stop_reason: Option<String>,
    /// The joined context.
    pub additional_context: Option<String>,
    /// What hooks changed, by its protocol name.
    pub changes: Map<String, Value>,
    /// What the agent does, in a sentence.
    pub action: String,
}

impl Summary {
    /// Begins the summary of an event whose hooks ruled so.
    pub(crate) fn of_ruling(ruling: &Ruling, action: impl Into<String>) -> Self {
        let mut summary = Self {
            action: action.into(),
            ..Self::default()
        };
        match ruling {
            Ruling::Silent => {}
            Ruling::Allow(reason) => {
                summary.decision = Some(Decision::Allow);
                summary.reason = reason.as_ref().map(ToString::to_string);
            }
            Ruling::Ask(reason) => {
                summary.verdict = Verdict::Refused;
                summary.decision = Some(Decision::Ask);
                summary.reason = Some(reason.to_string());
            }
            Ruling::Deny(reason, _) => {
                summary.verdict = Verdict::Refused;
                summary.decision = Some(Decision::Deny);
                summary.reason = Some(reason.to_string());
            }
            Ruling::Stop(reason) => {
                summary.verdict = Verdict::Stopped;
                summary.stop_reason = Some(reason.to_string());
            }
        }
        summary
    }

    /// Builds the summary of an event whose hooks were cancelled (EV-5).
    pub fn of_cancelled() -> Self {
        Self {
            verdict: Verdict::Cancelled,
            action: "nothing that waited for the hooks happens".to_owned(),
            ..Self::default()
        }
    }

    /// Begins the summary of an event that only goes on.
    pub(crate) fn of_proceeding(action: impl Into<String>) -> Self {
        Self {
            action: action.into(),
            ..Self::default()
        }
    }

    /// Adds the joined context.
    pub(crate) fn with_context(mut self, context: Option<&HookContext>) -> Self {
        self.additional_context = context.map(|context| context.as_str().to_owned());
        self
    }

    /// Adds a change, if there is one.
    pub(crate) fn with_change(mut self, name: &str, value: Option<Value>) -> Self {
        if let Some(value) = value {
            self.changes.insert(name.to_owned(), value);
        }
        self
    }
}

/// Takes the last of the values that hooks gave, and reports the ones it replaces (PL-9).
pub(crate) fn last_wins<'a, A, T: PartialEq + 'a>(
    answers: &'a [Attributed<A>],
    field: &str,
    conflicts: &mut Vec<Conflict>,
    value: impl Fn(&'a A) -> Option<&'a T>,
) -> Option<&'a T> {
    let mut winner: Option<(&'a str, &'a T)> = None;
    for attributed in answers {
        let Some(later) = value(&attributed.answer) else {
            continue;
        };
        if let Some((loser, earlier)) = winner
            && earlier != later
        {
            conflicts.push(Conflict {
                field: field.to_owned(),
                winner: attributed.hook.clone(),
                loser: loser.to_owned(),
            });
        }
        winner = Some((&attributed.hook, later));
    }
    winner.map(|(_, value)| value)
}

/// Joins the context that hooks gave (AG-2).
pub(crate) fn joined_context<'a, A: 'a>(
    answers: &'a [Attributed<A>],
    context: impl Fn(&'a A) -> Option<&'a HookContext>,
) -> Option<HookContext> {
    HookContext::join(
        answers
            .iter()
            .filter_map(|attributed| context(&attributed.answer)),
    )
}

/// Combines what hooks ruled (AG-1).
pub(crate) fn combined_ruling<'a, A: 'a>(
    answers: &'a [Attributed<A>],
    ruling: impl Fn(&'a A) -> &'a Ruling,
) -> Ruling {
    Ruling::combine(
        answers
            .iter()
            .map(|attributed| ruling(&attributed.answer).clone()),
    )
}
