//! From a hook's command to the process that runs it.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::child_environment::ChildEnvironment;
use crate::shell::Shell;

/// Where the standard streams of a hook lead to.
#[derive(Debug)]
pub(crate) enum Wiring<'a> {
    /// To pipes that the executor serves.
    Pipes,
    /// To files that outlive the executor.
    Files(&'a crate::detached::Files),
}

/// Everything that a process is made of, but its streams.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    /// The hook's command, as configured.
    pub(crate) text: &'a str,
    /// What it sees as its environment.
    pub(crate) environment: &'a ChildEnvironment<'a>,
    /// Where it runs.
    pub(crate) cwd: &'a Path,
    /// The host's own current directory, if known.
    pub(crate) process_cwd: Option<&'a Path>,
}

impl Start<'_> {
    /// Builds the run without a shell, if that is the same.
    #[cfg(unix)]
    pub(crate) fn direct(&self, shell: &Shell) -> Option<Command> {
        if shell.kind != crate::shell::ShellKind::Bash {
            return None;
        }
        let mut command = crate::direct::command(self.text, self.environment, self.cwd)?;
        self.place(&mut command);
        Some(command)
    }

    /// Builds the run without a shell, if that is the same.
    #[cfg(windows)]
    #[expect(
        clippy::unused_self,
        reason = "PowerShell is never the same as a plain start"
    )]
    pub(crate) fn direct(&self, _shell: &Shell) -> Option<Command> {
        None
    }

    /// Builds the run through the shell (IO-35).
    pub(crate) fn through_shell(&self, shell: &Shell) -> Command {
        let mut command = shell.command(self.text);
        self.environment.apply(&mut command);
        self.place(&mut command);
        command
    }

    fn place(&self, command: &mut Command) {
        if self.process_cwd != Some(self.cwd) {
            command.current_dir(self.cwd);
        }
    }
}

impl Wiring<'_> {
    /// Connects the streams of a command.
    pub(crate) fn connect(&self, command: &mut Command) -> std::io::Result<()> {
        match self {
            Self::Pipes => {
                command
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped());
            }
            Self::Files(files) => files.connect(command)?,
        }
        Ok(())
    }
}
