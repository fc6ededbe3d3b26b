//! An agent isn't a person (TR-11): below one, commands that change what guards are made of ask.

use std::path::Path;

use hookloop_manage::permit_change;
use hookloop_session::Environment;

use crate::commands::context::{Context, Format, failed};
use crate::output::Output;

/// Says what a command does to what guards are made of. Each has to decide, so that none forgets to
/// ask.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect<'a> {
    /// It reads, or changes what is nobody's guard.
    Reads,
    /// It changes settings, hooks, trust, extensions, guards, servers or the bridge.
    Changes(Change<'a>),
}

impl Effect<'_> {
    /// Returns whether guards are changed.
    pub(crate) const fn changes(self) -> bool {
        matches!(self, Self::Changes(_))
    }
}

/// Describes a command that changes what guards are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change<'a> {
    /// Whether it prints JSON.
    pub(crate) json: bool,
    /// A path that it is given to write to, wherever that is.
    pub(crate) path: Option<&'a Path>,
}

/// Lets a command go on that changes nothing, that a person gave, or that a person agrees to; otherwise returns
/// what it prints. Every command passes here before it runs.
pub(crate) fn permit(
    name: &str,
    effect: Effect<'_>,
    environment: &Environment,
) -> Result<(), Output> {
    let Effect::Changes(change) = effect else {
        return Ok(());
    };
    permit_change(environment, name, change.path).map_err(|failure| {
        let format = Format::new(change.json, environment);
        failed(&Context::plain(name, format, environment), &failure)
    })
}
