//! Replaces the trace in a build without it.

use std::sync::Arc;

use hookloop_engine::{Lifecycle, Observer};
use hookloop_events::SessionIdentity;
use hookloop_hook::Problem;

use super::{Known, Lost, ShadowsOfHooks, StatisticsOfHooks};
use crate::environment::Environment;
use crate::workspace::Workspace;

/// Takes note of nothing.
struct Nothing;

impl Observer for Nothing {
    fn observe(&self, _session: &SessionIdentity, _lifecycle: &Lifecycle) {}
}

/// Records nothing.
pub struct Recorder;

impl Recorder {
    /// Begins to record nothing.
    pub const fn for_fire(_workspace: &Workspace, _environment: &Environment) -> Self {
        Self
    }

    /// Begins to record nothing.
    pub const fn for_bridge(
        _workspace: &Workspace,
        _environment: &Environment,
        _agent: &str,
    ) -> Self {
        Self
    }

    /// Returns what observes the engine.
    pub fn observer(&self) -> Arc<dyn Observer> {
        Arc::new(Nothing)
    }

    /// Returns no problem.
    pub const fn finish(self) -> Vec<String> {
        Vec::new()
    }
}

/// Returns an observer that records nothing.
pub fn for_session(
    _workspace: &Workspace,
    _environment: &Environment,
    _tell: impl Fn(&str) + Send + Sync + 'static,
) -> Arc<dyn Observer> {
    Arc::new(Nothing)
}

/// Records nothing.
pub const fn lose(
    _workspace: &Workspace,
    _environment: &Environment,
    _lost: Lost<'_>,
) -> Option<String> {
    None
}

/// Knows of no run.
pub fn statistics(_workspace: &Workspace, _environment: &Environment) -> Known<StatisticsOfHooks> {
    Known {
        value: StatisticsOfHooks::new(),
        warnings: Vec::new(),
    }
}

/// Knows of no reply.
pub const fn ignored_fields(
    _workspace: &Workspace,
    _environment: &Environment,
) -> Known<Vec<Problem>> {
    Known {
        value: Vec::new(),
        warnings: Vec::new(),
    }
}

/// Knows nothing of hooks in shadow.
pub fn in_shadow(_workspace: &Workspace, _environment: &Environment) -> Known<ShadowsOfHooks> {
    Known {
        value: ShadowsOfHooks::new(),
        warnings: Vec::new(),
    }
}
