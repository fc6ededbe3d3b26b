//! What hooks are compared with: the same command started by the standard library, which uses
//! `posix_spawn` for a program whose path is known, and that stays in the working directory.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};

use crate::Outcome;
use crate::host::variables;

/// Builds a command with the environment that hooks have.
pub(crate) fn command(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(variables())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a command to its end with an input, and takes what it writes.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Outcome<()> {
    finish(start(command, input)?)
}

/// Starts a command and gives it its input.
pub(crate) fn start(command: &mut Command, input: &[u8]) -> Outcome<Child> {
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that doesn't read its input may be gone already.
        let _ = stdin.write_all(input);
    }
    Ok(child)
}

/// Waits for the end of a command.
pub(crate) fn finish(child: Child) -> Outcome<()> {
    let output = child.wait_with_output()?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!(
            "the command that hooks are compared with ended with {}",
            output.status
        )
        .into())
    }
}
