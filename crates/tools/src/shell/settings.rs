//! What commands are run with.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use hookloop_sandbox::{Confinement, Sandbox};

use super::background::BackgroundProcesses;

/// What commands are run with.
#[derive(Clone, Default)]
pub struct ShellSettings {
    /// All of the commands' environment; `GEMINI_CLI=1` is added. Its `PATH` finds the shell.
    pub environment: Vec<(OsString, OsString)>,
    /// Where processes are kept that go on in the background.
    pub background: BackgroundProcesses,
    /// An existing folder for the output of background commands; without one it is not kept.
    pub log_directory: Option<PathBuf>,
    /// Says before each command what hooks set for it (FD-14).
    pub later: Option<Arc<LaterVariables>>,
    /// What commands are confined to; without it they aren't.
    pub sandbox: Option<ShellSandbox>,
}

/// What commands are confined to.
#[derive(Debug, Clone)]
pub struct ShellSandbox {
    /// Confines them.
    pub sandbox: Sandbox,
    /// What they may do.
    pub confinement: Confinement,
    /// Whether one may run outside.
    pub leaving: Leaving,
}

/// Says whether a command may run outside of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// None does.
    Never,
    /// One that asks for it does, when a person has said yes to that call.
    Asked,
}

/// Says which variables hooks have set, in their order, and which they have taken away.
pub type LaterVariables = dyn Fn() -> Vec<(OsString, Option<OsString>)> + Send + Sync;
