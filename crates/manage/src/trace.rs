//! The record of hook runs, and its replay with the current hooks (CM-6, HT-2). A build without the
//! feature `trace` has no record.

#[cfg(feature = "trace")]
mod choice;
#[cfg(feature = "trace")]
mod following;
#[cfg(feature = "trace")]
mod page;
#[cfg(feature = "trace")]
mod replay;
#[cfg(feature = "trace")]
mod shadow;
#[cfg(feature = "trace")]
mod view;

use hookloop_events::EventName;
use serde_json::{Map, Value};

#[cfg(feature = "trace")]
pub(crate) use choice::find_recorded;
#[cfg(feature = "trace")]
pub use choice::{RunWishes, find_run, recorded_losses, recorded_runs, run_filter};
#[cfg(feature = "trace")]
pub use following::follow_runs;
#[cfg(feature = "trace")]
pub use page::{TracePage, write_page};
#[cfg(feature = "trace")]
pub use replay::{Replayed, replay};
#[cfg(feature = "trace")]
pub use shadow::{ShadowExample, ShadowOf, ShadowView, in_shadow};
#[cfg(feature = "trace")]
pub use view::{ReplayView, TraceView};

/// A recorded firing of an event, to be fired again.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// The event.
    pub(crate) event: EventName,
    /// The input of its first hook, if it is known.
    pub(crate) input: Map<String, Value>,
    /// The runs of the firing as JSON ("Run").
    pub(crate) runs: Vec<Value>,
}

/// Returns the failure that this build has no record.
#[cfg(not(feature = "trace"))]
pub(crate) fn find_recorded(
    _: &hookloop_session::Workspace,
    _: &hookloop_session::Environment,
    _: &str,
) -> Result<Recorded, crate::failure::CommandFailure> {
    Err(crate::failure::CommandFailure::without_trace())
}
