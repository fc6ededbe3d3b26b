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
    /// A folder with what hooks set for the commands, as lines of shell in files that are read in
    /// the order of their names; it need not be there (FD-14).
    pub later_environment: Option<PathBuf>,
}
