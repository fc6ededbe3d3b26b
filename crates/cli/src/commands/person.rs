//! An agent isn't a person (TR-11): under an agent, commands that change files that guards depend
//! on ask first.

use std::path::Path;

use hookloop_manage::permit_change;
use hookloop_session::Environment;

use crate::commands::context::{Context, Format, failure_output};
use crate::output::Output;

/// A command's effect on files that guards depend on. Each command has to define it, so that none
/// forgets to ask.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect<'a> {
    /// It only reads, or changes nothing that guards depend on.
    Reads,
    /// It changes settings, hooks, trust, extensions, guards, servers or the bridge.
    Changes(Change<'a>),
}

impl Effect<'_> {
    /// Returns the effect of a command that changes settings, and writes to no path that it was
    /// given.
    pub(crate) const fn on_settings(json: bool) -> Self {
        Self::Changes(Change { json, path: None })
    }

    /// Returns whether guards are changed.
    pub(crate) const fn changes(self) -> bool {
        matches!(self, Self::Changes(_))
    }
}

/// A command that changes files that guards depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change<'a> {
    /// Whether it prints JSON.
    pub(crate) json: bool,
    /// The path that it would write to, if it was given one.
    pub(crate) path: Option<&'a Path>,
}

/// Permits a command that changes nothing, or that a person gave or agrees to; otherwise returns
/// its output. Every command passes here before it runs.
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
        failure_output(&Context::plain(name, format, environment), &failure)
    })
}
