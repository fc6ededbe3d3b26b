//! `hooks list`: all hooks, where they come from, and whether they run (CM-1).

mod words;

use hookloop_manage::{CommandFailure, ListView, list_hooks};

use crate::commands::{Beside, Context};
use crate::output::Output;

/// Lists all hooks; runs nothing (TR-7).
pub(crate) fn list(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let listed = list_hooks(context.task());
    let beside = Beside::all(&listed.workspace);
    let output = context.say(beside, ListView::new(&listed), |output| {
        words::list(&listed, output)
    })?;
    Ok(output.warn(&listed.warnings))
}
