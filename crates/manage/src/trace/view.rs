//! Recorded runs as JSON (CM-6).

use hookloop_session::OutcomeView;
use hookloop_trace::replay::Change;
use hookloop_trace::{Loss, StoredRun};
use serde::Serialize;

use super::Replayed;
use crate::view::ExplanationView;

/// Runs of the trace, as JSON.
#[derive(Serialize)]
pub struct TraceView<'a> {
    /// The runs, oldest first.
    pub runs: &'a [StoredRun],
    /// What hooks requested but other agents couldn't carry out, oldest first (BR-21).
    pub losses: &'a [Loss],
    /// The written page.
    pub html: Option<&'a str>,
}

/// The result of a replay, as JSON.
#[derive(Serialize)]
pub struct ReplayView<'a> {
    recorded: &'a StoredRun,
    runs: &'a [StoredRun],
    outcome: &'a OutcomeView,
    changed: bool,
    changes: &'a [Change],
    #[serde(flatten)]
    explanation: ExplanationView<'a>,
}

impl<'a> ReplayView<'a> {
    /// Creates the view of a replay.
    pub fn new(replayed: &'a Replayed) -> Self {
        Self {
            recorded: &replayed.recorded,
            runs: &replayed.today,
            outcome: &replayed.outcome,
            changed: !replayed.changes.is_empty(),
            changes: &replayed.changes,
            explanation: ExplanationView::new(&replayed.explanation),
        }
    }
}
