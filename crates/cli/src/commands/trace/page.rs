//! `hooks trace --html FILE`: a session as a page (CM-6).

use std::path::Path;

use hookloop_manage::{CommandFailure, TraceView, write_page};
use hookloop_session::Workspace;
use hookloop_text::visible;
use hookloop_trace::{RunFilter, TraceStore};

use crate::commands::context::{AdditionalReport, Context};
use crate::output::Output;

/// Writes the page of a session: the requested one, else that of the last selected run.
pub(super) fn write(
    context: &Context<'_>,
    workspace: &Workspace,
    store: Option<&TraceStore>,
    filter: &RunFilter,
    file: &Path,
) -> Result<Output, CommandFailure> {
    let file = context.environment.current_dir.join(file);
    let page = write_page(store, filter, &file)?;
    let file = file.to_string_lossy();
    let view = TraceView {
        runs: &page.runs,
        losses: &page.losses,
        html: Some(&file),
    };
    context.say(AdditionalReport::quietly(workspace), view, |_| {
        let (session, file) = (visible(&page.session), visible(&file));
        let count = page.runs.len();
        format!("wrote {count} runs of session {session} to {file}\n")
    })
}
