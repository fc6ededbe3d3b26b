//! `hooks trace` and `hooks replay`: the record of what hooks did (CM-6).

#[cfg(not(feature = "trace"))]
mod absent;
#[cfg(feature = "trace")]
mod choice;
#[cfg(feature = "trace")]
mod following;
#[cfg(feature = "trace")]
mod listing;
#[cfg(feature = "trace")]
mod page;
#[cfg(feature = "trace")]
mod replay;

#[cfg(not(feature = "trace"))]
pub(crate) use absent::{recorded, replay, trace};
#[cfg(feature = "trace")]
pub(crate) use choice::recorded;
#[cfg(feature = "trace")]
pub(crate) use listing::trace;
#[cfg(feature = "trace")]
pub(crate) use replay::replay;

use hookloop_events::EventName;
use serde_json::{Map, Value};

/// A recorded firing of an event, for who wants to fire it again.
pub(crate) struct Recorded {
    /// The event.
    pub(crate) event: EventName,
    /// What its first hook read, as far as it is known.
    pub(crate) input: Map<String, Value>,
    /// The runs of the firing as JSON ("Run").
    pub(crate) runs: Vec<Value>,
}
