//! `hooks trace --html FILE`: a session as a page (CM-6).

use std::path::Path;

use hookloop_manage::{CommandFailure, FailureCode, last_session, recorded_losses, recorded_runs};
use hookloop_session::Workspace;
use hookloop_text::visible;
use hookloop_trace::{RunFilter, TraceStore, html};

use super::view::document;
use crate::commands::{Context, Format};
use crate::output::Output;

/// Writes the page of a session: the one asked for, else that of the last run that is chosen.
pub(super) fn write(
    context: &Context<'_>,
    workspace: &Workspace,
    store: Option<&TraceStore>,
    (filter, file): (&RunFilter, &Path),
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
    Ok(Output::of_text(match context.format {
        Format::Json => document(context, workspace, (&runs, &losses), Some(&file))?,
        Format::Text { .. } => format!(
            "wrote {} runs of session {} to {}\n",
            runs.len(),
            visible(&session),
            visible(&file)
        ),
    }))
}
