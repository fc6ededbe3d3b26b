//! The common part of events whose hooks can only send messages to the user.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::event::{Attributed, Event, Merged, Summary, sealed::Sealed};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use hookloop_hook::EventName;

/// An event whose hooks decide nothing.
///
/// The trait is public in a private module, so no other crate can add an event.
pub trait Advisory: Send + Sync + 'static {
    /// The event's name.
    const NAME: EventName;
    /// What a hook reads in addition to the common fields.
    type Input: Serialize + DeserializeOwned + Clone + Send + Sync + PartialEq;
    /// What the agent does next, in a sentence.
    const ACTION: &'static str;

    /// Returns what matchers are compared with.
    fn subject(input: &Self::Input) -> &str;
}

/// What hooks of an advisory event may say in addition to a message to the user: nothing (SE-3,
/// NO-1).
#[derive(Debug, Clone, PartialEq)]
pub struct Advice;

impl<E: Advisory> Sealed for E {}

impl<E: Advisory> Event for E {
    const NAME: EventName = E::NAME;
    const OWN_FIELDS: &'static [&'static str] = &[];
    type Input = E::Input;
    type Answer = Advice;
    /// Nothing to apply.
    type Outcome = ();

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(E::subject(input))
    }

    fn decode(_reply: &Reply, _hook: &str) -> Result<Self::Answer, Malformed> {
        Ok(Advice)
    }

    fn refusal(_reason: Reason, _cause: Cause) -> Option<Self::Answer> {
        None
    }

    fn merge(
        _input: &Self::Input,
        _answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        Merged {
            outcome: (),
            summary: Summary::of_proceeding(E::ACTION),
            conflicts: Vec::new(),
        }
    }
}
