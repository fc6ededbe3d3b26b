//! How a command's end is told to model and user.

use std::path::Path;
use std::process::ExitStatus;

use super::foreground::{Ending, Finished, OutputEnd};
use crate::{Output, ToolError, Workspace};

/// What was asked for.
pub(crate) struct Asked<'a> {
    pub(crate) line: &'a str,
    pub(crate) directory: &'a Path,
    pub(crate) workspace: &'a Workspace,
}

/// Tells how a command that was waited for ended. An exit code isn't a failure of the tool.
pub(crate) fn finished(asked: &Asked<'_>, finished: &Finished) -> Output {
    let (exit_code, signal) = match &finished.ending {
        Ending::Exited(status) => ways_out(*status),
        Ending::Cancelled => (None, None),
    };
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "(none)".to_owned());
    let lines = format!(
        "{}\nOutput: {}\nError: (none)\nExit Code: {}\nSignal: {}\nProcess Group PGID: {}{}",
        head(asked),
        or_empty(&finished.text),
        or_none(exit_code.map(|code| code.to_string())),
        or_none(signal.clone()),
        finished.pid,
        leftovers(finished),
    );
    let how = match (&finished.ending, exit_code, signal) {
        (Ending::Cancelled, ..) => "Command cancelled".to_owned(),
        (_, Some(0), _) => String::new(),
        (_, Some(code), _) => format!("Command exited with code: {code}"),
        (_, None, Some(signal)) => format!("Command terminated by signal: {signal}"),
        (_, None, None) => "Command ended in an unknown way".to_owned(),
    };
    let display = match (finished.text.trim_end(), how.as_str()) {
        ("", "") => "(no output)".to_owned(),
        ("", how) => how.to_owned(),
        (text, "") => text.to_owned(),
        (text, how) => format!("{text}\n{how}"),
    };
    let mut output = Output::new(lines, display);
    if matches!(finished.ending, Ending::Cancelled) {
        output.llm_content = format!(
            "Command was cancelled by the user before it could complete. What it wrote until then:\n{}",
            output.llm_content
        );
        output.error = Some(ToolError::cancelled());
    }
    output
}

/// Tells what the command left behind.
fn leftovers(finished: &Finished) -> String {
    match (&finished.rest, finished.output) {
        (Some(_), _) => format!(
            "\nNote: the command left processes running in group {}; they are ended with the session",
            finished.pid
        ),
        (None, OutputEnd::HeldOpen) => "\nNote: a process that left the command's group still \
            holds its output open; it is not ended with the session"
            .to_owned(),
        (None, OutputEnd::Closed) => String::new(),
    }
}

/// Tells that a command goes on in the background.
pub(crate) fn in_background(asked: &Asked<'_>, pid: u32, log: Option<&Path>) -> Output {
    let log = match log {
        Some(log) => format!("Its output is written to {}", log.display()),
        None => "Its output is not kept".to_owned(),
    };
    Output::new(
        format!(
            "{}\nCommand moved to background (PID: {pid}). {log}. It is ended with the session.\n\
             Process Group PGID: {pid}",
            head(asked)
        ),
        format!("Command moved to background (PID: {pid}). {log}."),
    )
}

fn head(asked: &Asked<'_>) -> String {
    let directory = asked.workspace.relative(asked.directory);
    let directory = if directory == Path::new(".") {
        "(root)".to_owned()
    } else {
        directory.display().to_string()
    };
    format!("Command: {}\nDirectory: {directory}", asked.line)
}

fn or_empty(text: &str) -> &str {
    if text.trim().is_empty() {
        "(empty)"
    } else {
        text.trim_end_matches('\n')
    }
}

/// Returns the exit code, or the signal that ended the process.
#[cfg(unix)]
fn ways_out(status: ExitStatus) -> (Option<i32>, Option<String>) {
    use std::os::unix::process::ExitStatusExt;
    let signal = status.signal().map(|number| match number {
        1 => "1 (SIGHUP)".to_owned(),
        2 => "2 (SIGINT)".to_owned(),
        6 => "6 (SIGABRT)".to_owned(),
        9 => "9 (SIGKILL)".to_owned(),
        11 => "11 (SIGSEGV)".to_owned(),
        13 => "13 (SIGPIPE)".to_owned(),
        15 => "15 (SIGTERM)".to_owned(),
        other => other.to_string(),
    });
    (status.code(), signal)
}

#[cfg(not(unix))]
fn ways_out(status: ExitStatus) -> (Option<i32>, Option<String>) {
    (status.code(), None)
}
