//! Recorded runs as JSON (CM-6).

use hookloop_session::OutcomeView;
use hookloop_trace::replay::Change;
use hookloop_trace::{Loss, StoredRun};
use serde::Serialize;

use super::Replayed;
use crate::view::ExplanationView;

/// Shows runs of the trace.
#[derive(Serialize)]
pub struct TraceView<'a> {
    /// The runs, oldest first.
    pub runs: &'a [StoredRun],
    /// What other agents couldn't do of what hooks wanted, oldest first (BR-21).
    pub losses: &'a [Loss],
    /// The page that was written.
    pub html: Option<&'a str>,
}

/// Shows what today's hooks make of a recorded input.
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
    /// Shows what a replay came to.
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
