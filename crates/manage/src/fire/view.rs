//! The result of `fire`, as JSON (CM-5).

use hookloop_events::EventName;
use hookloop_session::OutcomeView;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Fired;
use crate::view::ExplanationView;
use crate::view::RunView;

/// A fired event, as JSON.
#[derive(Debug, Serialize)]
pub struct FiredView<'a> {
    event: EventName,
    input: &'a Map<String, Value>,
    #[serde(flatten)]
    explanation: ExplanationView<'a>,
    runs: Vec<RunView<'a>>,
    outcome: &'a OutcomeView,
}

impl<'a> FiredView<'a> {
    /// Creates the view, with the runs in plan order.
    pub fn new(fired: &'a Fired) -> Self {
        Self {
            event: fired.event,
            input: &fired.input,
            explanation: ExplanationView::new(&fired.explanation),
            runs: fired
                .runs()
                .iter()
                .map(|it| RunView::from_fire(it))
                .collect(),
            outcome: &fired.outcome,
        }
    }
}
