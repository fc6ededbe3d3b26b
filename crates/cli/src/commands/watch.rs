//! The hidden command that ends a hook when its host is gone (SE-2).

use std::process::ExitCode;

use clap::Args;

/// Contains what the executor adds to the command.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct WatchArguments {
    /// The process group to end.
    process_group: i32,
    /// How long it may still run, in milliseconds.
    remaining_ms: u64,
}

impl WatchArguments {
    /// Waits, and ends the process group.
    pub(crate) fn run(self) -> ExitCode {
        #[cfg(unix)]
        hookloop_exec::watch(
            self.process_group,
            std::time::Duration::from_millis(self.remaining_ms),
        );
        ExitCode::SUCCESS
    }
}
