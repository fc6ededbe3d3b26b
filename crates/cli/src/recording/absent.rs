//! Stands for the trace in a build without it.

use std::sync::Arc;

use hookloop_engine::{Lifecycle, Observer};
use hookloop_events::SessionIdentity;
use hookloop_hook::Problem;

use super::{Known, StatisticsOfHooks};
use crate::environment::Environment;
use crate::workspace::Workspace;

/// Takes note of nothing.
struct Nothing;

impl Observer for Nothing {
    fn observe(&self, _session: &SessionIdentity, _happening: &Lifecycle) {}
}

/// Records nothing.
pub(crate) struct Recorder;

impl Recorder {
    /// Begins to record nothing.
    pub(crate) const fn of_fire(_workspace: &Workspace, _environment: &Environment) -> Self {
        Self
    }

    /// Returns what observes the engine.
    #[expect(clippy::unused_self, reason = "a build with the trace needs it")]
    pub(crate) fn observer(&self) -> Arc<dyn Observer> {
        Arc::new(Nothing)
    }

    /// Returns no problem.
    #[expect(clippy::unused_self, reason = "a build with the trace needs it")]
    pub(crate) const fn finish(self) -> Vec<String> {
        Vec::new()
    }
}

/// Returns an observer that records nothing.
pub(crate) fn of_session(
    _workspace: &Workspace,
    _environment: &Environment,
    _tell: impl Fn(&str) + Send + Sync + 'static,
) -> Arc<dyn Observer> {
    Arc::new(Nothing)
}

/// Knows of no run.
pub(crate) fn statistics(
    _workspace: &Workspace,
    _environment: &Environment,
) -> Known<StatisticsOfHooks> {
    Known {
        value: StatisticsOfHooks::new(),
        warnings: Vec::new(),
    }
}

/// Knows of no reply.
pub(crate) const fn ignored_fields(
    _workspace: &Workspace,
    _environment: &Environment,
) -> Known<Vec<Problem>> {
    Known {
        value: Vec::new(),
        warnings: Vec::new(),
    }
}
