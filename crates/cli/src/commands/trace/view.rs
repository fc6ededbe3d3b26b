//! Recorded runs as JSON (CM-6).

use hookloop_manage::CommandFailure;
use hookloop_session::{OutcomeView, Workspace};
use hookloop_trace::replay::Change;
use hookloop_trace::{Loss, StoredRun};
use serde::Serialize;

use crate::commands::Context;
use crate::commands::views::{self, ExplanationView, SCHEMA_VERSION};

/// Shows runs of the trace.
#[derive(Serialize)]
pub(crate) struct TraceView<'a> {
    /// The runs, oldest first.
    pub(crate) runs: &'a [StoredRun],
    /// What other agents couldn't do of what hooks wanted, oldest first (BR-21).
    pub(crate) losses: &'a [Loss],
    /// The page that was written.
    pub(crate) html: Option<&'a str>,
}

/// Returns runs as the JSON object of the command.
pub(super) fn document(
    context: &Context<'_>,
    workspace: &Workspace,
    (runs, losses): (&[StoredRun], &[Loss]),
    html: Option<&str>,
) -> Result<String, CommandFailure> {
    let view = TraceView { runs, losses, html };
    views::document(
        context.name,
        &workspace.project_root,
        view,
        &workspace.problems,
    )
}

/// Shows what today's hooks make of a recorded input.
#[derive(Serialize)]
pub(crate) struct ReplayView<'a> {
    /// The run that was named.
    pub(crate) recorded: &'a StoredRun,
    /// The runs of today.
    pub(crate) runs: &'a [StoredRun],
    /// What they mean.
    pub(crate) outcome: &'a OutcomeView,
    /// Whether anything is different.
    pub(crate) changed: bool,
    /// What is different.
    pub(crate) changes: &'a [Change],
    /// The hooks of today and the plan.
    #[serde(flatten)]
    pub(crate) explanation: ExplanationView<'a>,
}

#[derive(Serialize)]
struct FollowedRun<'a> {
    schema_version: u32,
    #[serde(flatten)]
    run: &'a StoredRun,
}

/// Returns a run on a line of its own, for `--follow`.
pub(crate) fn followed_run(run: &StoredRun) -> String {
    let run = FollowedRun {
        schema_version: SCHEMA_VERSION,
        run,
    };
    // Texts, numbers and what was read as JSON can always be written.
    serde_json::to_string(&run).unwrap_or_default() + "\n"
}
