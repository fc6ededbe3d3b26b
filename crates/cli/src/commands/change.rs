//! How is told what a command changed (CM-2).

use hookloop_manage::{Change, ChangeView, CommandFailure};
use hookloop_session::Workspace;
use hookloop_text::visible;

use crate::commands::{Beside, Context};
use crate::output::{Exit, Output};

/// Tells of a change, with the diagnostics of the workspace as it is now.
pub(crate) fn report(
    context: &Context<'_>,
    change: &Change,
    workspace: &Workspace,
    mut told: String,
) -> Result<Output, CommandFailure> {
    for file in &change.files {
        told.extend(["  written: ", &visible(&file.to_string_lossy()), "\n"]);
    }
    let exit = if change.still_disabled_by.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    };
    let beside = Beside::of_sources(workspace);
    let output = context.say(beside, ChangeView::new(change), |_| told)?;
    Ok(output.warn(&change.warnings).ending(exit))
}
