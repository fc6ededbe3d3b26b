//! Stands for the commands in a build without the trace.

use hookloop_session::{Environment, Workspace};

use super::{Recorded, ReplayArguments, ShadowArguments, TraceArguments};
use crate::commands::failure::FailureCode;
use crate::commands::{CommandFailure, Context};
use crate::output::Output;

fn not_in_this_build() -> CommandFailure {
    let message = "the trace is not in this build: it was built without the feature \"trace\"";
    CommandFailure::new(FailureCode::NotInBuild, message)
}

/// Says that there is no trace.
pub(crate) fn trace(_: &Context<'_>, _: &TraceArguments) -> Result<Output, CommandFailure> {
    Err(not_in_this_build())
}

/// Says that there is no trace.
pub(crate) fn replay(_: &Context<'_>, _: &ReplayArguments) -> Result<Output, CommandFailure> {
    Err(not_in_this_build())
}

/// Says that there is no trace.
pub(crate) fn shadow(_: &Context<'_>, _: &ShadowArguments) -> Result<Output, CommandFailure> {
    Err(not_in_this_build())
}

/// Says that there is no trace.
pub(crate) fn recorded(
    _: &Workspace,
    _: &Environment,
    _: &str,
) -> Result<Recorded, CommandFailure> {
    Err(not_in_this_build())
}
