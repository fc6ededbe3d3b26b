//! What `fire` did, as JSON (CM-5).

use hookloop_events::EventName;
use hookloop_manage::RunView;
use hookloop_session::OutcomeView;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::commands::views::ExplanationView;

/// Shows a fired event.
#[derive(Debug, Serialize)]
pub(crate) struct FiredView<'a> {
    /// The event.
    pub(crate) event: EventName,
    /// The payload.
    pub(crate) input: &'a Map<String, Value>,
    /// The hooks and the plan.
    #[serde(flatten)]
    pub(crate) explanation: ExplanationView<'a>,
    /// What each hook did, in the order of the plan.
    pub(crate) runs: Vec<RunView<'a>>,
    /// What it means.
    pub(crate) outcome: &'a OutcomeView,
}
