//! The tool `run_shell_command` and the processes that it starts (TO-2).

mod background;
mod capture;
mod command_roots;
mod foreground;
mod program;
mod report;
mod run_shell_command;
mod settings;
mod stream;

pub use background::{BackgroundProcess, BackgroundProcesses};
pub use capture::Capture;
pub use settings::{LaterVariables, Leaving, ShellSandbox, ShellSettings};

pub(crate) use run_shell_command::RunShellCommand;
