//! The shell that commands run in (IO-35).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::substitution;
use hookloop_process::find_program;

/// A family of shells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// The command prompt of Windows.
    Cmd,
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
        let found = |name| find_program(variables, name);
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
        let program = find_program(variables, name).unwrap_or_else(|| PathBuf::from(name));
        Self {
            kind: ShellKind::PowerShell,
            program,
        }
    }

    /// Looks for the shell that a hook requires (HT-4); the error says why it can't start.
    pub(crate) fn find_requested(
        shell: hookloop_hook::Shell,
        variables: &[(OsString, OsString)],
    ) -> Result<Self, String> {
        use hookloop_hook::Shell as Named;
        let (kind, names): (_, &[&str]) = match shell {
            Named::Bash => (ShellKind::Bash, &["bash", "bash.exe"]),
            Named::Sh => (ShellKind::Posix, &["sh", "sh.exe"]),
            Named::PowerShell => (
                ShellKind::PowerShell,
                &["pwsh", "powershell", "pwsh.exe", "powershell.exe"],
            ),
            Named::Cmd => (ShellKind::Cmd, &["cmd.exe"]),
        };
        let found = names.iter().find_map(|name| find_program(variables, name));
        let program = found.ok_or_else(|| format!("the shell {} isn't on the PATH", names[0]))?;
        Ok(Self { kind, program })
    }

    /// Returns whether it is bash, or another shell of its kind.
    pub(crate) fn is_posix(&self) -> bool {
        matches!(self.kind, ShellKind::Bash | ShellKind::Posix)
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
            ShellKind::Cmd => {
                command.args(["/D", "/S", "/C", text]);
            }
        }
        command
    }
}

/// Makes PowerShell end with the code of the command: by itself it ends with 0 or 1.
fn with_exit_code(text: &str) -> String {
    format!(
        "{text}\n$hookSucceeded = $?; if ($null -ne $LASTEXITCODE) {{ exit $LASTEXITCODE }} \
         elseif (-not $hookSucceeded) {{ exit 1 }}"
    )
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
