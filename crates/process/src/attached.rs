//! Programs that have the terminal, such as editors.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Runs a program of the user with a file, and waits for its end. It stays in the group of whoever
/// calls this, so that the terminal and its keys are the program's.
///
/// The command may be several words, such as `code --wait`; a POSIX shell reads it, where there is
/// one. The program has the variables that are given, and no others.
///
/// # Errors
/// It can't be started.
pub fn run_attached(
    command: &str,
    file: &Path,
    variables: &[(OsString, OsString)],
    folder: &Path,
) -> io::Result<ExitStatus> {
    let mut program = if cfg!(windows) {
        let mut words = command.split_whitespace();
        let mut program = Command::new(words.next().unwrap_or(command));
        program.args(words);
        program
    } else {
        let mut program = Command::new("/bin/sh");
        program.arg("-c").arg(format!("{command} \"$1\"")).arg("sh");
        program
    };
    program
        .arg(file)
        .env_clear()
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .status()
}
