//! Stands in where this build has no MCP: such hooks could not start, and say so (IO-21).

use hookloop_engine::Executors;
use hookloop_exec::CommandExecutor;

/// No servers.
#[derive(Clone)]
pub(crate) struct Tools;

impl Tools {
    /// Sets nobody: whoever runs all others says that it can't.
    pub(crate) fn of(_commands: &CommandExecutor) -> (Self, Executors) {
        (Self, Executors::default())
    }

    /// Ends nothing.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn close(&self) {}
}
