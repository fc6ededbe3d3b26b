//! The result of an event.

use std::sync::Arc;

use hookloop_events::{Attributed, Cancelled, Event};

use crate::lifecycle::{Concluded, SystemMessage};

/// What an event came to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Conclusion<O> {
    /// What the host must do.
    pub outcome: O,
    /// What hooks tell the user (OUT-1). The observer has them already; a host needs them only for a
    /// dialog (BT-5, NO-2) or a record (AT-5).
    pub messages: Vec<SystemMessage>,
    /// The labels of the hooks that want the user to be asked, in the order of the plan (BT-5).
    pub asking: Vec<String>,
    /// The hooks that consent in words which make a confirmation needless in their dialect (FD-21).
    pub consents: Consents,
}

/// The hooks that consent in words which make a confirmation needless in their dialect, by their
/// labels, in the order of the plan (FD-21). A hook that refuses or asks still counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consents {
    /// Those whose consent counts as the user's, because the settings of their layer say so.
    pub counting: Vec<String>,
    /// Those whose consent only means that they don't object.
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
    /// What the first look was at.
    pub(crate) input: Arc<E::Input>,
    /// What the host must do, unless the hooks were cancelled (EV-5).
    pub(crate) outcome: Result<E::Outcome, Cancelled>,
    pub(crate) answers: Vec<Attributed<E::Answer>>,
    pub(crate) concluded: Concluded,
    pub(crate) consents: Consents,
}
