//! `hooks replay`: today's hooks on a recorded input (CM-6).

use hookloop_manage::{CommandFailure, Interruption, ReplayView, replay as replayed};

use super::{ReplayArguments, words};
use crate::commands::context::{Beside, Context};
use crate::output::{Exit, Output};

/// Runs all of today's hooks of a run's event on what it was fired with, and shows what changed.
pub(crate) fn replay(
    context: &Context<'_>,
    arguments: &ReplayArguments,
) -> Result<Output, CommandFailure> {
    let replayed = replayed(context.task(), &arguments.run_id)?;
    let beside = Beside::all(&replayed.workspace);
    let output = context.say(beside, ReplayView::new(&replayed), |output| {
        words::replayed(&replayed, output)
    })?;
    let exit = match replayed.interruption {
        Interruption::Interrupted => Exit::Cancelled,
        Interruption::None => Exit::Done,
    };
    Ok(output.warn(&replayed.warnings).ending(exit))
}
