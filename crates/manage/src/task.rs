//! What every piece of work gets.

use hookloop_session::{Environment, RunOptions, Workspace};
use tokio_util::sync::CancellationToken;

/// Holds what every piece of work gets.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The environment.
    pub environment: &'a Environment,
    /// What holds for this run alone.
    pub run: &'a RunOptions,
    /// Ends the hooks that it runs, as a signal does.
    pub stop: &'a CancellationToken,
}

impl Task<'_> {
    /// Loads the workspace as a session that begins now has it: a guard that isn't what was agreed to
    /// refuses (TR-8).
    pub fn guarded_workspace(self) -> Workspace {
        let mut workspace = Workspace::open(self.environment, self.run);
        workspace.registry = workspace.new_registry();
        workspace
    }
}
