//! The configuration for commands.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookloop_sandbox::{Confinement, Sandbox};

use super::background::BackgroundProcesses;

/// The configuration for commands.
#[derive(Clone, Default)]
pub struct ShellSettings {
    /// The complete environment of commands; `GEMINI_CLI=1` is added. The shell is found through
    /// its `PATH`.
    pub environment: Vec<(OsString, OsString)>,
    /// The list of background processes.
    pub background: BackgroundProcesses,
    /// An existing folder for the output of background commands. Without it, the output isn't kept.
    pub log_directory: Option<PathBuf>,
    /// Provides the variables that hooks have set, before each command (FD-14).
    pub later: Option<Arc<LaterVariables>>,
    /// How long a command may write nothing before it is ended; without it, for ever: somebody is
    /// there who can cancel it.
    pub longest_silence: Option<Duration>,
    /// Confines commands. Without it, they aren't confined.
    pub sandbox: Option<ShellSandbox>,
}

/// The confinement of commands.
#[derive(Debug, Clone)]
pub struct ShellSandbox {
    /// Confines the processes.
    pub sandbox: Sandbox,
    /// What confined commands may do.
    pub confinement: Confinement,
    /// Whether a command may run outside the sandbox.
    pub leaving: Leaving,
}

/// Whether a command may run outside the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// No command may.
    Never,
    /// A command that requests it may, after a person has agreed to that call.
    Asked,
}

/// Provides the variables that hooks have set, in order, and those that they have removed.
pub type LaterVariables = dyn Fn() -> Vec<(OsString, Option<OsString>)> + Send + Sync;
