//! Commands for hooks inside a session, run by the code that knows the command line (CM-9).

use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::options::RunOptions;

/// A command for hooks, as somebody wrote it.
#[derive(Debug, Clone)]
pub struct HookCommand {
    /// The words behind `hooks`.
    pub words: Vec<String>,
    /// What applies to the session.
    pub run: RunOptions,
    /// The environment.
    pub environment: Environment,
    /// Ends the hooks that it runs, as a signal does.
    pub stop: CancellationToken,
}

/// What a command says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
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
    /// Its work is done, or it has said why there is none to do.
    #[default]
    Done,
    /// The work could not be done.
    Failed,
}

/// Carries out commands for hooks (`management.md` §4). It may take its time.
pub trait HookCommands: Send + Sync {
    /// Understands a command as on the command line, and carries it out.
    fn carry_out(&self, command: &HookCommand) -> Said;
}
