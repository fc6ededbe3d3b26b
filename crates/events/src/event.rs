//! The trait that each event implements in its own file.

use std::error::Error;
use std::fmt::{self, Debug};

use hookloop_hook::{Authority, HookId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::context::HookContext;
use crate::reason::{Cause, Reason};
use crate::reply::{Decision, Malformed, Reply};
use crate::shared_request::SharedRequest;
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// The hooks of an event were cancelled, so they decided nothing (EV-5).
///
/// It replaces an outcome: nothing that waited for the hooks may happen. Silence clears no value,
/// refuses nothing and keeps nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the hooks were cancelled and decided nothing")
    }
}

impl Error for Cancelled {}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// One of the eleven events: its hooks' input and answers, and what the host must do.
///
/// Everything here is pure. The engine selects hooks by the [`subject`](Event::subject), parses
/// replies with [`decode`](Event::decode), passes changes on with [`thread`](Event::thread) if
/// hooks run one after another, and combines answers with [`merge`](Event::merge).
pub trait Event: sealed::Sealed + Send + Sync + 'static {
    /// The event's name.
    const NAME: EventName;
    /// The fields of `hookSpecificOutput` that the event knows (OUT-6).
    const OWN_FIELDS: &'static [&'static str];
    /// The meaning of other fields of `hookSpecificOutput`.
    const OTHER_FIELDS: OtherFields = OtherFields::Unknown;
    /// What a hook reads in addition to the common fields.
    type Input: Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync + 'static;
    /// What a hook may say; verbs that the event doesn't know can't be expressed.
    type Answer: Debug + Clone + PartialEq + Send + Sync;
    /// What the host must do.
    type Outcome: Debug + PartialEq + Send;

    /// Whether a hook's question reaches the user (BT-5); if not, it is a refusal.
    const ASKS_USER: bool = false;

    /// Whether the user sees what hooks report (OUT-1, TS-3).
    const SHOWS_MESSAGES: bool = true;

    /// Whether rewrites of several hooks run one after another, each on the result of those before,
    /// instead of being merged (AG-6).
    const CHAINS_REWRITES: bool = false;

    /// Whether events of other agents that follow this one never come once a hook has refused it
    /// (FD-11).
    const REFUSAL_ENDS: bool = false;

    /// The fields that hooks in a sequence change for each other in a typed form, so that they
    /// aren't read as they were given any more (CM-5).
    const RETYPED_FIELDS: &'static [&'static str] = &[];

    /// The fields of `hookSpecificOutput` with which a hook replaces what is judged (IO-26).
    const CHANGES: &'static [&'static str] = &[];

    /// Returns what matchers are compared with; `None` for events without a subject.
    fn subject(input: &Self::Input) -> Option<&str>;

    /// Returns the name that a tool has at its server, if it is called by another one (PL-5).
    fn own_name(_input: &Self::Input) -> Option<String> {
        None
    }

    /// Returns the part of the input that is written once for all events that carry it (IO-1).
    fn shared(_input: &Self::Input) -> Option<&SharedRequest> {
        None
    }

    /// Returns approximately how many bytes of text an input contains, if there may be many: the
    /// buffer is made large enough at once (IO-1).
    fn text_bytes(_input: &Self::Input) -> usize {
        0
    }

    /// Decodes a reply into an answer. `hook` is the label for the texts that replace missing
    /// reasons.
    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed>;

    /// Returns the answer that refuses, or `None` on events that can't refuse.
    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer>;

    /// Keeps of an answer what a hook that can't refuse may say, on events that only hooks of other
    /// agents can refuse (FD-21).
    fn advice_alone(answer: Self::Answer) -> Self::Answer {
        answer
    }

    /// Returns the meaning of text that isn't JSON, on events that give it one (TS-4).
    fn decode_plain_text(_text: &str) -> Option<Self::Answer> {
        None
    }

    /// Treats a rewrite as complete: these parts of the rewritten value are left out (FD-20).
    fn leaving_out(answer: Self::Answer, _removed: Vec<String>) -> Self::Answer {
        answer
    }

    /// Changes what the next hook in a sequence reads (PL-8).
    fn thread(_input: &mut Self::Input, _answer: &Self::Answer) {}

    /// Returns whether an answer changes what is judged (BT-3, BM-1, AM-2).
    fn rewrites(_answer: &Self::Answer) -> bool {
        false
    }

    /// Returns whether an answer replaces what is judged, by changing it or giving a new value
    /// (IO-26).
    fn changes(answer: &Self::Answer) -> bool {
        Self::rewrites(answer)
    }

    /// Returns the names that an answer sets in what is judged and that have no meaning there
    /// (IO-23).
    fn unknown_in_rewrite(_input: &Self::Input, _answer: &Self::Answer) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether an answer only sets names without a meaning in what is judged: it changes
    /// nothing (IO-26).
    fn rewrites_in_vain(_input: &Self::Input, _answer: &Self::Answer) -> bool {
        false
    }

    /// Returns what hooks would read of the value that an outcome lets through; `None` if it lets
    /// none through, or if hooks look at no value again (BT-10). It may be what they read at first:
    /// in a sequence one hook may restore what another changed, after a third that read the change.
    fn let_through(_input: &Self::Input, _outcome: &Self::Outcome) -> Option<Self::Input> {
        None
    }

    /// Keeps of an answer only whether the action may continue: nothing else counts in the second
    /// look at a rewritten value (BT-10).
    fn ruling_alone(answer: Self::Answer) -> Self::Answer {
        answer
    }

    /// Returns what replaces withheld content and may be shown to everybody (AM-2).
    fn shown_instead(_summary: &Summary) -> Option<&Value> {
        None
    }

    /// Returns the input's fields that no record may show after this end, because hooks withheld
    /// their content (AT-1, AM-2, AM-3) or were cancelled before they had judged it (EV-5).
    fn withheld_fields(_end: Result<&Self::Outcome, Cancelled>) -> &'static [&'static str] {
        &[]
    }

    /// Combines the answers of all hooks, in the order of the plan (`hooks.md` §5).
    fn merge(input: &Self::Input, answers: Vec<Attributed<Self::Answer>>) -> Merged<Self::Outcome>;
}

/// What fields of `hookSpecificOutput` mean if the event doesn't define them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherFields {
    /// They have no effect, and are reported (IO-23).
    Unknown,
    /// They are data for the record (AT-5).
    Data,
}

/// An answer, with the hook that gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributed<A> {
    /// The hook.
    pub hook: Author,
    /// Its answer.
    pub answer: A,
}

/// A hook as the author of an answer. Two hooks with the same label are two authors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The hook's id.
    pub id: HookId,
    /// Its name, or else its command.
    pub label: String,
    /// The weight of its answer if two hooks set the same thing: the greater one wins, and of
    /// equals, the later one in order (PL-9).
    pub weight: Authority,
}

/// The combined answers of all hooks.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged<O> {
    /// What the host must do.
    pub outcome: O,
    /// The same, for people and programs.
    pub summary: Summary,
    /// Values that one hook set and another replaced (PL-9).
    pub conflicts: Vec<Conflict>,
}

/// Two hooks set the same thing to different values. The more trusted hook won, or of equals, the
/// later one in order (PL-9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The field that both set.
    pub field: String,
    /// The hook whose value won.
    pub winner: Author,
    /// The hook whose value was replaced.
    pub loser: Author,
}

/// The effect of an event on the host's action.
///
/// Deliberately exhaustive: code that shows or applies a verdict must handle each case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The action continues.
    #[default]
    Proceed,
    /// The action doesn't happen. A question that nobody can answer counts as this, too.
    Refused,
    /// The agent loop ends.
    Stopped,
    /// The hooks were cancelled and decided nothing (EV-5).
    Cancelled,
}

/// An outcome as text and plain values, for `fire`, traces and telemetry (CM-5).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Whether the action continues.
    pub verdict: Verdict,
    /// The strongest decision; `None` if no hook had an opinion.
    pub decision: Option<Decision>,
    /// The joined reasons of the decision.
    pub reason: Option<String>,
    /// The joined reasons of a stop.
    pub stop_reason: Option<String>,
    /// The joined context.
    pub additional_context: Option<String>,
    /// The hooks' changes, by field name.
    pub changes: Map<String, Value>,
    /// What the agent does, as a sentence.
    pub action: String,
}

impl Summary {
    /// Starts the summary of an event with this combined ruling.
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

    /// Creates the summary of an event whose hooks were cancelled (EV-5).
    pub fn of_cancelled() -> Self {
        Self {
            verdict: Verdict::Cancelled,
            action: "nothing that waited for the hooks happens".to_owned(),
            ..Self::default()
        }
    }

    /// Starts the summary of an event that always continues.
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

/// Orders answers by the weight of their hooks, so that the one applied last wins (PL-9).
pub(crate) fn by_weight<A>(answers: &[Attributed<A>]) -> Vec<&Attributed<A>> {
    let mut ordered: Vec<_> = answers.iter().collect();
    // A stable sort: hooks of equal weight keep their order.
    ordered.sort_by_key(|attributed| attributed.hook.weight);
    ordered
}

/// Takes the weightiest of the values that hooks gave, and reports the ones it replaces (PL-9).
pub(crate) fn last_wins<'a, A, T: PartialEq + 'a>(
    answers: &'a [Attributed<A>],
    field: &str,
    conflicts: &mut Vec<Conflict>,
    value: impl Fn(&'a A) -> Option<&'a T>,
) -> Option<&'a T> {
    let mut winner: Option<(&'a Author, &'a T)> = None;
    for attributed in by_weight(answers) {
        let Some(later) = value(&attributed.answer) else {
            continue;
        };
        if let Some((loser, earlier)) = winner
            && earlier != later
        {
            conflicts.push(Conflict {
                field: field.to_owned(),
                winner: attributed.hook.clone(),
                loser: loser.clone(),
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

/// Combines what hooks ruled (AG-1). If an event can't ask the user, a question is a refusal,
/// because nobody can answer it (BT-5).
pub(crate) fn combined_ruling<'a, E: Event>(
    answers: &'a [Attributed<E::Answer>],
    ruling: impl Fn(&'a E::Answer) -> &'a Ruling,
) -> Ruling {
    let rulings = answers.iter().map(|attributed| {
        let ruling = ruling(&attributed.answer).clone();
        if E::ASKS_USER {
            ruling
        } else {
            ruling.without_question()
        }
    });
    Ruling::combine(rulings)
}
