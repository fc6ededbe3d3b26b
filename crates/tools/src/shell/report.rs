//! Reports a command's result to the model and the user.

use std::path::Path;
use std::process::ExitStatus;

use hookloop_sandbox::{COMPLAINT, NOT_CONFINED, Network};

use super::foreground::{Ending, Finished, OutputEnd};
use super::settings::{Leaving, ShellSandbox};
use crate::{ErrorKind, Output, ToolError, Workspace};

/// The requested command.
pub(crate) struct RequestedCommand<'a> {
    pub(crate) line: &'a str,
    pub(crate) directory: &'a Path,
    pub(crate) workspace: &'a Workspace,
    /// What the command was confined to.
    pub(crate) sandbox: Option<&'a ShellSandbox>,
}

/// Returns how a command in the foreground ended. An exit code isn't a failure of the tool.
pub(crate) fn finished(asked: &RequestedCommand<'_>, finished: &Finished) -> Output {
    let (exit_code, signal) = match &finished.ending {
        Ending::Exited(status) => ways_out(*status),
        Ending::Cancelled | Ending::Silent(_) => (None, None),
    };
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "(none)".to_owned());
    let lines = format!(
        "{}\nOutput: {}\nError: (none)\nExit Code: {}\nSignal: {}\nProcess Group PGID: {}{}{}",
        head(asked),
        or_empty(&finished.text),
        or_none(exit_code.map(|code| code.to_string())),
        or_none(signal.clone()),
        finished.pid,
        describe_leftovers(finished),
        bounds(asked.sandbox.filter(|_| exit_code != Some(0))),
    );
    let how = match (&finished.ending, exit_code, signal) {
        (Ending::Cancelled, ..) => "Command cancelled".to_owned(),
        (Ending::Silent(_), ..) => "Command ended, because it wrote nothing".to_owned(),
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
    if let Some(refusal) = refusal(asked, finished, exit_code) {
        output.llm_content = format!("{}\n{}", refusal.message, output.llm_content);
        output.display = format!("{}\n{}", output.display, refusal.message);
        output.error = Some(refusal);
    }
    if matches!(finished.ending, Ending::Cancelled) {
        output.llm_content = format!(
            "Command was cancelled by the user before it could complete. Its output until then:\n{}",
            output.llm_content
        );
        output.error = Some(ToolError::cancelled());
    }
    if let Ending::Silent(longest) = finished.ending {
        let message = format!(
            "the command was ended, because it had written nothing for {} s and nobody is there \
             who could cancel it. Run what doesn't end, or is silent for so long, with \
             \"is_background\": true",
            longest.as_secs_f64()
        );
        output.llm_content = format!("{message}\n{}", output.llm_content);
        output.error = Some(ToolError::new(ErrorKind::ShellFailed, message));
    }
    output
}

/// Returns the error that a command wasn't run, if its output says so: this system couldn't confine
/// it. A command can write the same, so its output is reported as well.
fn refusal(
    asked: &RequestedCommand<'_>,
    finished: &Finished,
    code: Option<i32>,
) -> Option<ToolError> {
    asked.sandbox?;
    let why = finished.text.strip_prefix(COMPLAINT)?;
    (code == Some(NOT_CONFINED.into())).then(|| {
        let why = why.lines().next().unwrap_or_default();
        let message = format!(
            "the command may not have run: \"tools.sandbox\" requires a sandbox, and its output \
             says that there is none: {why}"
        );
        ToolError::new(ErrorKind::ShellFailed, message)
    })
}

/// Returns what a command that failed wasn't allowed to do.
fn bounds(sandbox: Option<&ShellSandbox>) -> String {
    let Some(sandbox) = sandbox else {
        return String::new();
    };
    let network = match sandbox.confinement.network {
        Network::Closed => " It had no network.",
        Network::Open => "",
    };
    let remedy = match sandbox.leaving {
        Leaving::Never => "",
        Leaving::Asked => {
            " If it needs more, call again with \"outside_sandbox\": true; the user is asked."
        }
    };
    format!(
        "\nNote: the command ran in a sandbox: it could write to the workspace and temporary \
         folders only, not to .git and settings.{network}{remedy}"
    )
}

/// Returns what the command left behind.
fn describe_leftovers(finished: &Finished) -> String {
    match (&finished.rest, finished.output) {
        (Some(_), _) => format!(
            "\nNote: the command left processes running in group {}; they are ended with the session",
            finished.pid
        ),
        (None, OutputEnd::HeldOpen) => "\nNote: a process that left the command's group still \
            keeps its output open; it isn't ended with the session"
            .to_owned(),
        (None, OutputEnd::Closed) => String::new(),
    }
}

/// Reports that a command continues in the background.
pub(crate) fn in_background(asked: &RequestedCommand<'_>, pid: u32, log: Option<&Path>) -> Output {
    let log = match log {
        Some(log) => format!("Its output is written to {}", log.display()),
        None => "Its output is discarded".to_owned(),
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

fn head(asked: &RequestedCommand<'_>) -> String {
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

    use hookloop_text::signal_name;

    let signal = status.signal().map(|number| match signal_name(number) {
        Some(name) => format!("{number} ({name})"),
        None => number.to_string(),
    });
    (status.code(), signal)
}

#[cfg(not(unix))]
fn ways_out(status: ExitStatus) -> (Option<i32>, Option<String>) {
    (status.code(), None)
}
