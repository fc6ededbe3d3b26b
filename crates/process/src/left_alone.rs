//! Programs that outlive the process that started them.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

#[cfg(unix)]
use crate::platform::start;

/// A program that outlives this process.
#[derive(Debug)]
pub struct LeftAlone<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// Its whole environment.
    pub variables: &'a [(OsString, OsString)],
    /// Where it runs.
    pub folder: &'a Path,
    /// Its standard input.
    pub input: File,
}

impl LeftAlone<'_> {
    /// Starts it in its own process group, with its output discarded. So it continues when this
    /// process has ended, and doesn't block readers of this process's output.
    ///
    /// # Errors
    /// It can't be started. It can't be started.
    pub fn start(self) -> io::Result<Child> {
        self.spawn(Stdio::null())
    }

    /// Starts it in the same way, but lets this process read its standard output while both run.
    ///
    /// # Errors
    /// It can't be started.
    pub fn start_heard(self) -> io::Result<Child> {
        self.spawn(Stdio::piped())
    }

    fn spawn(self, output: Stdio) -> io::Result<Child> {
        let mut command = Command::new(self.program);
        command
            .args(self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder)
            .stdin(Stdio::from(self.input))
            .stdout(output)
            .stderr(Stdio::null());
        detach(&mut command);
        start(&mut command)
    }
}

#[cfg(windows)]
fn start(command: &mut Command) -> io::Result<Child> {
    command.spawn()
}

/// Prepares a command to start in its own process group, so that it continues when this process has
/// ended.
#[cfg(unix)]
pub fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

/// Prepares a command to start in its own process group, so that it continues when this process has
/// ended.
#[cfg(windows)]
pub fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}
