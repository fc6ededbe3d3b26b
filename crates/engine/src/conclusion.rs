//! What an event came to.

use std::sync::Arc;

use hookloop_events::{Attributed, Cancelled, Event};

use crate::lifecycle::{Concluded, SystemMessage};

/// What an event came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion<O> {
    /// What the host must do.
    pub outcome: O,
    /// What hooks tell the user (OUT-1). The observer was told already; a host needs them only
    /// where they belong into a dialog (BT-5, NO-2) or a record (AT-5).
    pub messages: Vec<SystemMessage>,
    /// The labels of the hooks that want the user to be asked, in the order of the plan (BT-5).
    pub asking: Vec<String>,
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
        })
    }

    pub(crate) fn map<P>(self, change: impl FnOnce(O) -> P) -> Conclusion<P> {
        Conclusion {
            outcome: change(self.outcome),
            messages: self.messages,
            asking: self.asking,
        }
    }
}

/// An event's outcome with everything that led to it.
pub(crate) struct Fired<E: Event> {
    /// What the first look was at.
    pub(crate) input: Arc<E::Input>,
    /// What the host must do, unless the hooks were cancelled (EV-5).
    pub(crate) outcome: Result<E::Outcome, Cancelled>,
    pub(crate) answers: Vec<Attributed<E::Answer>>,
    pub(crate) concluded: Concluded,
}
