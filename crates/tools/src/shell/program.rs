//! How a command line becomes a process.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookloop_process::find_program;

use super::settings::ShellSettings;

/// Makes the process of a command line, with nothing to read.
pub(crate) fn command(line: &str, directory: &Path, settings: &ShellSettings) -> Command {
    let mut command = shell(&with_environment(line, settings), &settings.environment);
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
    command
}

/// Puts before a command line what hooks set for it (FD-14).
#[cfg(unix)]
fn with_environment<'l>(line: &'l str, settings: &ShellSettings) -> Cow<'l, str> {
    let Some(folder) = &settings.later_environment else {
        return Cow::Borrowed(line);
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .filter(|entry| {
            entry
                .metadata()
                .is_ok_and(|it| it.is_file() && it.len() > 0)
        })
        .map(|entry| entry.path())
        .collect();
    if files.is_empty() {
        return Cow::Borrowed(line);
    }
    files.sort();
    let mut whole = String::new();
    for file in files {
        let file = file.to_string_lossy().replace('\'', r"'\''");
        whole.extend([". '", file.as_str(), "' >/dev/null; "]);
    }
    whole.push_str(line);
    Cow::Owned(whole)
}

#[cfg(not(unix))]
fn with_environment<'l>(line: &'l str, _settings: &ShellSettings) -> Cow<'l, str> {
    Cow::Borrowed(line)
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
        // Without this PowerShell answers 0 or 1 whatever the program's exit code was.
        .arg(format!(
            "{line}\nif ($LASTEXITCODE -ne $null) {{ exit $LASTEXITCODE }}"
        ));
    command
}
