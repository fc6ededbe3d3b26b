//! Programs that use the terminal, such as editors.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Runs one of the user's programs with a file, and waits until it ends. It stays in the caller's process group,
/// so that it controls the terminal and receives its keys.
///
/// The command may consist of several words, such as `code --wait`; a POSIX shell parses it, if there is one. The
/// program gets exactly the given variables.
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
