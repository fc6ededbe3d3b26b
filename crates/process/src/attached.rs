//! Programs that use the terminal, such as editors.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
#[cfg(not(unix))]
use std::time::Duration;

#[cfg(unix)]
use crate::platform::Waiter;

/// How often the end of a program is checked for if the system doesn't report it.
#[cfg(not(unix))]
const INTERVAL: Duration = Duration::from_millis(50);

/// Runs one of the user's programs with a file, and waits until it ends. It stays in the caller's
/// process group, so that it controls the terminal and receives its keys. Dropping the future ends
/// it, with what it started.
///
/// The command may consist of several words, such as `code --wait`; a POSIX shell parses it, if
/// there is one. The program gets exactly the given variables.
///
/// # Errors
/// It can't be started.
pub async fn run_attached(
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
        .current_dir(folder);
    Attached(program.spawn()?).end().await
}

/// A running program. Dropping it ends it.
struct Attached(Child);

impl Attached {
    #[cfg(unix)]
    async fn end(mut self) -> io::Result<ExitStatus> {
        let mut waiter = Waiter::new(&self.0)?;
        loop {
            waiter.wait().await?;
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
        }
    }

    #[cfg(not(unix))]
    async fn end(mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(None)) {
            return;
        }
        #[cfg(unix)]
        crate::platform::end_attached(&mut self.0);
        #[cfg(not(unix))]
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
