//! `hooks trace --html FILE`: a session as a page (CM-6).

use std::path::Path;

use hookloop_manage::{
    CommandFailure, FailureCode, TraceView, last_session, recorded_losses, recorded_runs,
};
use hookloop_session::Workspace;
use hookloop_text::visible;
use hookloop_trace::{RunFilter, TraceStore, html};

use crate::commands::{Beside, Context};
use crate::output::Output;

/// Writes the page of a session: the one asked for, else that of the last run that is chosen.
pub(super) fn write(
    context: &Context<'_>,
    workspace: &Workspace,
    store: Option<&TraceStore>,
    filter: &RunFilter,
    file: &Path,
) -> Result<Output, CommandFailure> {
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
        let message = "there is nothing to show: no such run is in the trace";
        return Err(CommandFailure::new(FailureCode::NoSource, message));
    };
    let file = context.environment.current_dir.join(file);
    std::fs::write(&file, html::report(&session, &runs, &losses)).map_err(|error| {
        let message = format!("{} can't be written: {error}", file.display());
        CommandFailure::new(FailureCode::NotWritable, message)
    })?;
    let file = file.to_string_lossy();
    let view = TraceView {
        runs: &runs,
        losses: &losses,
        html: Some(&file),
    };
    context.say(Beside::quietly(workspace), view, |_| {
        let (session, file) = (visible(&session), visible(&file));
        format!("wrote {} runs of session {session} to {file}\n", runs.len())
    })
}
