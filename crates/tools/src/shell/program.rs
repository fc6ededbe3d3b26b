//! Starts a command line as a process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookloop_process::find_program;
use hookloop_sandbox::Unavailable;

use super::settings::{ShellSandbox, ShellSettings};

/// Creates the process of a command line, with empty input.
///
/// # Errors
/// The command has to be confined, and this system can't.
pub(crate) fn command(
    line: &str,
    directory: &Path,
    settings: &ShellSettings,
    sandbox: Option<&ShellSandbox>,
) -> Result<Command, Unavailable> {
    let mut command = shell(line, &settings.environment);
    if let Some(ShellSandbox {
        sandbox,
        confinement,
        ..
    }) = sandbox
    {
        command = sandbox.confine(&command, confinement)?;
    }
    command.env_clear().envs(
        settings
            .environment
            .iter()
            .map(|(name, value)| (name, value)),
    );
    for (name, value) in settings.later.iter().flat_map(|later| later()) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .env("GEMINI_CLI", "1")
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command)
}

#[cfg(unix)]
fn shell(line: &str, environment: &[(OsString, OsString)]) -> Command {
    let program = find_program(environment, "bash")
        .or_else(|| find_program(environment, "sh"))
        .unwrap_or_else(|| PathBuf::from("/bin/sh"));
    let mut command = Command::new(program);
    command.arg("-c").arg(line);
    command
}

#[cfg(not(unix))]
fn shell(line: &str, environment: &[(OsString, OsString)]) -> Command {
    let program = find_program(environment, "powershell.exe")
        .unwrap_or_else(|| PathBuf::from("powershell.exe"));
    let mut command = Command::new(program);
    command
        .arg("-NoProfile")
        .arg("-NonInteractive")
        .arg("-Command")
        // Without this, PowerShell returns 0 or 1, whatever the program's exit code.
        .arg(format!(
            "{line}\nif ($LASTEXITCODE -ne $null) {{ exit $LASTEXITCODE }}"
        ));
    command
}
