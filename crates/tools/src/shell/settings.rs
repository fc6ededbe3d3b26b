//! What commands are run with.

use std::ffi::OsString;
use std::path::PathBuf;

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
}
