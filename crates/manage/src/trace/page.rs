//! A session as an HTML page (CM-6).

use std::path::Path;

use hookloop_trace::{Loss, RunFilter, StoredRun, TraceStore, html};

use super::choice::{last_session, recorded_losses, recorded_runs};
use crate::failure::{CommandFailure, FailureCode};

/// A written page.
#[derive(Debug)]
pub struct TracePage {
    /// The session that it shows.
    pub session: String,
    /// The runs on it, oldest first.
    pub runs: Vec<StoredRun>,
    /// What other agents couldn't do, oldest first (BR-21).
    pub losses: Vec<Loss>,
}

/// Writes the page of a session: the requested one, else that of the last selected run.
pub fn write_page(
    store: Option<&TraceStore>,
    filter: &RunFilter,
    file: &Path,
) -> Result<TracePage, CommandFailure> {
    let session = match &filter.session {
        Some(session) => Some(session.clone()),
        None => last_session(store, filter)?,
    };
    let filter = RunFilter {
        session: session.clone(),
        ..filter.clone()
    };
    let runs = recorded_runs(store, &filter)?;
    let losses = recorded_losses(store, &filter)?;
    let is_empty = runs.is_empty() && losses.is_empty();
    let (Some(session), false) = (session, is_empty) else {
        let message = "there is nothing to show: the trace contains no such run";
        return Err(CommandFailure::new(FailureCode::NoSource, message));
    };
    std::fs::write(file, html::report(&session, &runs, &losses)).map_err(|error| {
        let message = format!("{} can't be written: {error}", file.display());
        CommandFailure::new(FailureCode::NotWritable, message)
    })?;
    Ok(TracePage {
        session,
        runs,
        losses,
    })
}
