//! Stands for the commands in a build without the trace.

use hookloop_manage::CommandFailure;

use super::{ReplayArguments, ShadowArguments, TraceArguments};
use crate::commands::Context;
use crate::output::Output;

/// Says that there is no trace.
pub(crate) fn trace(_: &Context<'_>, _: &TraceArguments) -> Result<Output, CommandFailure> {
    Err(CommandFailure::without_trace())
}

/// Says that there is no trace.
pub(crate) fn replay(_: &Context<'_>, _: &ReplayArguments) -> Result<Output, CommandFailure> {
    Err(CommandFailure::without_trace())
}

/// Says that there is no trace.
pub(crate) fn shadow(_: &Context<'_>, _: &ShadowArguments) -> Result<Output, CommandFailure> {
    Err(CommandFailure::without_trace())
}
