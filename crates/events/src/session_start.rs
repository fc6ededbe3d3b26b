//! `SessionStart`: fires at start, resume and after `/clear` (SS-1…4).

use serde::{Deserialize, Serialize};

use crate::context::HookContext;
use crate::event::{Attributed, Event, Merged, Summary, joined_context, sealed::Sealed};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// A session starts.
#[derive(Debug, Clone, Copy)]
pub struct SessionStart;

/// Why a session starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SessionSource {
    /// It is new.
    Startup,
    /// It is resumed from a transcript.
    Resume,
    /// After `/clear`.
    Clear,
}

impl SessionSource {
    /// Returns the word, as in payloads.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
        }
    }
}

/// What a `SessionStart` hook reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStartInput {
    /// Why the session starts.
    pub source: SessionSource,
}

/// The answer of a `SessionStart` hook. Decisions are ignored (SS-2).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionStartAnswer {
    /// Text for the model (SS-1).
    pub context: Option<HookContext>,
    /// Why no turn may run, if a hook of another agent ends the run (SS-4).
    pub stop: Option<Reason>,
}

/// What the host must do when a session starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionStartOutcome {
    /// Text for the model (SS-1).
    pub context: Option<HookContext>,
    /// Why no turn of the session runs (SS-4).
    pub stop: Option<Reason>,
}

impl Sealed for SessionStart {}

impl Event for SessionStart {
    const NAME: EventName = EventName::SessionStart;
    const OWN_FIELDS: &'static [&'static str] = &["additionalContext"];
    type Input = SessionStartInput;
    type Answer = SessionStartAnswer;
    type Outcome = SessionStartOutcome;

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(input.source.as_str())
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        let context = reply.specific_text("additionalContext")?;
        let stop = match reply.ruling(hook) {
            Ruling::Stop(reason) => Some(reason),
            _ => None,
        };
        Ok(SessionStartAnswer {
            context: context.as_deref().and_then(HookContext::new),
            stop,
        })
    }

    fn advice_alone(answer: Self::Answer) -> Self::Answer {
        SessionStartAnswer {
            stop: None,
            ..answer
        }
    }

    fn refusal(_reason: Reason, _cause: Cause) -> Option<Self::Answer> {
        None
    }

    fn merge(
        _input: &Self::Input,
        answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let context = joined_context(&answers, |answer| answer.context.as_ref());
        let stops = answers.into_iter().filter_map(|it| it.answer.stop);
        let stop = stops.reduce(|first, second| first.and(&second));
        let summary = match &stop {
            Some(reason) => {
                Summary::of_ruling(&Ruling::Stop(reason.clone()), "no turn of the session runs")
            }
            None => Summary::of_proceeding(match context {
                Some(_) => "the session starts, and the model gets the context",
                None => "the session starts",
            }),
        };
        let summary = summary.with_context(context.as_ref());
        Merged {
            outcome: SessionStartOutcome { context, stop },
            summary,
            conflicts: Vec::new(),
        }
    }
}
