//! The result of an event.

use std::sync::Arc;

use hookloop_events::{Attributed, Cancelled, Event};

use crate::lifecycle::{Concluded, SystemMessage};

/// The result of an event: its outcome, and what else hooks said.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an outcome that nobody applies is a refusal that nobody obeys"]
#[non_exhaustive]
pub struct Conclusion<O> {
    /// What the host must do.
    pub outcome: O,
    /// The hooks' messages to the user (OUT-1). The observer has already received them; a host
    /// needs them only for a dialog (BT-5, NO-2) or a record (AT-5).
    pub messages: Vec<SystemMessage>,
    /// The labels of the hooks that want the user to be asked, in plan order (BT-5).
    pub asking: Vec<String>,
    /// The hooks whose consent makes a confirmation unnecessary in their dialect (FD-21).
    pub consents: Consents,
}

/// The labels of the hooks whose consent makes a confirmation unnecessary in their dialect, in plan
/// order (FD-21). A hook that refuses or asks still takes precedence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consents {
    /// Those whose consent replaces the user's, because their layer's settings allow it.
    pub counting: Vec<String>,
    /// Those whose consent only means that they have no objection.
    pub others: Vec<String>,
}

impl<O> Conclusion<O> {
    /// Concludes an event on which no hook ran: the outcome is the host's own wish.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "it stands beside ends that hooks can be cancelled before"
    )]
    pub(crate) const fn untouched(outcome: O) -> Result<Self, Cancelled> {
        Ok(Self {
            outcome,
            messages: Vec::new(),
            asking: Vec::new(),
            consents: Consents {
                counting: Vec::new(),
                others: Vec::new(),
            },
        })
    }

    pub(crate) fn map<P>(self, change: impl FnOnce(O) -> P) -> Conclusion<P> {
        Conclusion {
            outcome: change(self.outcome),
            messages: self.messages,
            asking: self.asking,
            consents: self.consents,
        }
    }
}

/// An event's outcome with everything that led to it.
pub(crate) struct Fired<E: Event> {
    /// What was looked at first.
    pub(crate) input: Arc<E::Input>,
    /// What the host must do, unless the hooks were cancelled (EV-5).
    pub(crate) outcome: Result<E::Outcome, Cancelled>,
    pub(crate) answers: Vec<Attributed<E::Answer>>,
    pub(crate) concluded: Concluded,
    pub(crate) consents: Consents,
}
