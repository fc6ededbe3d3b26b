//! Commands for hooks inside a session, run by the code that parses the command line (CM-9).

use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::options::RunOptions;

/// A command for hooks, as typed.
#[derive(Debug, Clone)]
pub struct HookCommand {
    /// The words after `hooks`.
    pub words: Vec<String>,
    /// What applies to the session.
    pub run: RunOptions,
    /// The environment.
    pub environment: Environment,
    /// Ends the hooks that the command runs, as a signal does.
    pub stop: CancellationToken,
}

/// The output of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandOutput {
    /// The result.
    pub result: String,
    /// Notices and warnings.
    pub notices: String,
    /// How it ended.
    pub end: CommandEnd,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommandEnd {
    /// It did its work, or explained why there was nothing to do.
    #[default]
    Done,
    /// It couldn't do its work.
    Failed,
}

/// Runs commands for hooks (`management.md` §4). This may take a while.
pub trait HookCommands: Send + Sync {
    /// Understands a command as on the command line, and carries it out.
    fn carry_out(&self, command: &HookCommand) -> CommandOutput;
}
