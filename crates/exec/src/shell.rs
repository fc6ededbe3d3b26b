//! The shell that commands run in (IO-35).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::platform::is_executable;
use crate::substitution;

/// A family of shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(windows),
    expect(dead_code, reason = "each platform has shells of its own")
)]
#[cfg_attr(
    windows,
    allow(dead_code, reason = "each platform has shells of its own")
)]
pub(crate) enum ShellKind {
    /// GNU bash.
    Bash,
    /// The system's POSIX shell.
    Posix,
    /// PowerShell.
    PowerShell,
}

/// A shell that was found.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// Its kind.
    pub(crate) kind: ShellKind,
    program: PathBuf,
}

impl Shell {
    /// Looks for the shell on the PATH of an environment.
    #[cfg(not(windows))]
    pub(crate) fn find(variables: &[(OsString, OsString)]) -> Self {
        let path = path_of(variables);
        let found = |name| find_program(path, name);
        if let Some(program) = found("bash") {
            return Self {
                kind: ShellKind::Bash,
                program,
            };
        }
        let program = found("sh").unwrap_or_else(|| PathBuf::from("/bin/sh"));
        Self {
            kind: ShellKind::Posix,
            program,
        }
    }

    /// Looks for the shell on the PATH of an environment.
    #[cfg(windows)]
    pub(crate) fn find(variables: &[(OsString, OsString)]) -> Self {
        let name = "powershell.exe";
        let program = find_program(path_of(variables), name).unwrap_or_else(|| PathBuf::from(name));
        Self {
            kind: ShellKind::PowerShell,
            program,
        }
    }

    /// Returns the shell's program.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Builds the run of a hook's command, variables substituted (ENV-2).
    pub(crate) fn command(&self, text: &str) -> Command {
        let mut command = Command::new(&self.program);
        match self.kind {
            ShellKind::Bash | ShellKind::Posix => {
                command.arg("-c").arg(&*substitution::for_posix(text));
            }
            ShellKind::PowerShell => {
                command.args(["-NoProfile", "-NonInteractive", "-Command"]);
                command.arg(with_exit_code(&substitution::for_powershell(text)));
            }
        }
        command
    }
}

/// Makes PowerShell end with the code of the command: of itself it ends with 0 or 1.
fn with_exit_code(text: &str) -> String {
    format!(
        "{text}\n$hookSucceeded = $?; if ($null -ne $LASTEXITCODE) {{ exit $LASTEXITCODE }} \
         elseif (-not $hookSucceeded) {{ exit 1 }}"
    )
}

fn path_of(variables: &[(OsString, OsString)]) -> &OsStr {
    let is_path = |name: &OsStr| {
        if cfg!(windows) {
            name.eq_ignore_ascii_case("PATH")
        } else {
            name == "PATH"
        }
    };
    variables
        .iter()
        .rfind(|(name, _)| is_path(name))
        .map_or(OsStr::new(""), |(_, path)| path)
}

/// Finds a program in the absolute folders of a search path; a relative folder would depend on
/// where the host happens to stand.
fn find_program(path: &OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

#[cfg(test)]
mod tests {
    use super::with_exit_code;

    /// IO-35: PowerShell passes the exit code of the command on.
    #[test]
    fn powershell_ends_with_the_code_of_the_command() {
        let text = with_exit_code("node hook.js");
        assert!(text.starts_with("node hook.js\n"), "{text}");
        assert!(text.contains("exit $LASTEXITCODE"), "{text}");
    }
}
