//! How a command line becomes a process.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{Child, Command};

use super::run_shell_command::ShellSettings;

/// Makes the process of a command line, in a group of its own, with nothing to read.
pub(crate) fn command(line: &str, directory: &Path, settings: &ShellSettings) -> Command {
    let mut command = shell(line, &settings.environment);
    command
        .env_clear()
        .envs(
            settings
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .env("GEMINI_CLI", "1")
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    command.process_group(0);
    command
}

/// Starts a process and returns it with its id.
pub(crate) fn spawn(mut command: Command) -> io::Result<(Child, u32)> {
    // The command is dropped here, and with it this process's copies of the output's writing end.
    let child = command.spawn()?;
    let id = child
        .id()
        .ok_or_else(|| io::Error::other("the process has no id"))?;
    Ok((child, id))
}

#[cfg(unix)]
fn shell(line: &str, environment: &[(OsString, OsString)]) -> Command {
    let program = find("bash", environment)
        .or_else(|| find("sh", environment))
        .unwrap_or_else(|| PathBuf::from("/bin/sh"));
    let mut command = Command::new(program);
    command.arg("-c").arg(line);
    command
}

#[cfg(not(unix))]
fn shell(line: &str, environment: &[(OsString, OsString)]) -> Command {
    let program =
        find("powershell.exe", environment).unwrap_or_else(|| PathBuf::from("powershell.exe"));
    let mut command = Command::new(program);
    command
        .arg("-NoProfile")
        .arg("-NonInteractive")
        .arg("-Command")
        // Without this PowerShell answers 0 or 1 whatever the program's exit code was.
        .arg(format!(
            "{line}\nif ($LASTEXITCODE -ne $null) {{ exit $LASTEXITCODE }}"
        ));
    command
}

/// Looks for a program on the PATH of the environment.
fn find(name: &str, environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    let (_, path) = environment
        .iter()
        .rev()
        .find(|(name, _)| name.eq_ignore_ascii_case(OsStr::new("PATH")))?;
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}
