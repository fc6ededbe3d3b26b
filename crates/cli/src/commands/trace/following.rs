//! `hooks trace --follow`: runs as they happen, until interrupted (CM-6).

use std::io::{Write, stdout};
use std::ops::ControlFlow;

use hookloop_manage::{CommandFailure, follow_runs, part_document};
use hookloop_session::Workspace;
use hookloop_trace::{RunFilter, StoredRun, TraceStore};

use super::words;
use crate::commands::context::{Context, Format};
use crate::output::Output;

/// Prints the last runs, if requested, and then every new one. Returns only if nobody reads the
/// output any more, or the trace can't be read.
pub(super) fn follow(
    context: &Context<'_>,
    workspace: &Workspace,
    store: Option<TraceStore>,
    filter: &RunFilter,
) -> Result<Output, CommandFailure> {
    follow_runs(context.task(), workspace, store, filter, |runs| {
        print(context, workspace, runs)
    })?;
    Ok(Output::from_text(String::new()))
}

/// Prints runs, each on separate lines, until nobody reads them any more.
fn print(context: &Context<'_>, workspace: &Workspace, runs: &[StoredRun]) -> ControlFlow<()> {
    if runs.is_empty() {
        return ControlFlow::Continue(());
    }
    let text: String = runs
        .iter()
        .map(|run| match context.format {
            Format::Json => part_document(run),
            Format::Text { output, .. } => words::followed_run(run, workspace, output),
        })
        .collect();
    let mut out = stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if written.is_ok() {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}
