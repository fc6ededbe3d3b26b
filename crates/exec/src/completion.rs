//! Converts the end of a process to a completion (IO-20).

use std::io;
use std::path::Path;
use std::process::ExitStatus;

use hookloop_engine::{Captured, Ending, Signal};
use hookloop_process::Exit;

/// Hands over what was captured of a stream.
pub(crate) fn captured(stream: hookloop_process::Captured) -> Captured {
    Captured {
        bytes: stream.bytes,
        total: stream.total,
    }
}

/// Returns how a process ended.
fn exit_ending(status: ExitStatus) -> Ending {
    match Exit::from(status) {
        Exit::Code(code) => Ending::Exited(code),
        Exit::Signal(signal) => Ending::Signalled(Signal(signal)),
        Exit::Unknown => Ending::NotStarted("how it ended isn't known".into()),
    }
}

/// Returns how a process that ended by itself ended.
///
/// With 126 and 127, a shell reports that it couldn't start the command (IO-20); the reason is in
/// the last line that it wrote.
pub(crate) fn ending_of(status: io::Result<ExitStatus>, stderr: &Captured) -> Ending {
    match status.map(exit_ending) {
        Ok(Ending::Exited(code @ (126 | 127))) => Ending::NotStarted(
            last_line(&stderr.bytes).unwrap_or_else(|| format!("the shell ended with code {code}")),
        ),
        Ok(ending) => ending,
        Err(error) => Ending::NotStarted(format!("its end couldn't be awaited: {error}")),
    }
}

fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    // GNU env prints advice below the error.
    let says_why = |line: &&str| !line.is_empty() && !line.ends_with("options in shebang lines");
    let line = text.lines().map(str::trim).rfind(says_why)?;
    Some(line.to_owned())
}

/// Returns why a process couldn't be started.
pub(crate) fn not_started(error: &io::Error, program: &Path, cwd: &Path) -> Ending {
    let folder = cwd.display();
    Ending::NotStarted(match cwd.metadata() {
        Err(error) => format!("the working directory {folder} can't be entered: {error}"),
        Ok(metadata) if !metadata.is_dir() => {
            format!("the working directory {folder} isn't a folder")
        }
        Ok(_) => format!("{} failed: {error}", program.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IO-20: the message about a script that couldn't start says what went wrong, and doesn't
    /// repeat the advice below it.
    #[test]
    fn advice_is_no_reason() {
        let stderr = "env: 'bash\\r': No such file or directory\n\
                    env: use -[v]S to pass options in shebang lines\n";
        let reason = last_line(stderr.as_bytes());
        assert_eq!(
            reason.as_deref(),
            Some("env: 'bash\\r': No such file or directory")
        );
    }
}
