//! A command's output on the two streams, and its exit code.

use std::fmt::Display;
use std::io::{Write, stderr};
use std::process::ExitCode;

use hookloop_session::output::{unwritten, write_result};

/// How the program ended (`cli-json.md` §1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The work is done.
    #[default]
    Done,
    /// The work couldn't be done, or `check` found errors.
    Failed,
    /// The arguments are invalid (CM-9).
    Usage,
    /// `fire`: the action is refused (CM-5).
    Refused,
    /// `fire`: the agent loop ends (CM-5).
    Stopped,
    /// A signal ended the work.
    Cancelled,
}

impl Exit {
    /// Returns the exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage | Self::Refused => 2,
            Self::Stopped => 3,
            Self::Cancelled => 130,
        }
    }
}

/// A command's output, which is written at once at the end.
#[derive(Debug)]
pub(crate) struct Output {
    /// For standard output.
    pub(crate) result: String,
    /// For standard error: notices and warnings.
    pub(crate) notices: String,
    /// The exit code.
    pub(crate) exit: Exit,
}

impl Output {
    /// Returns an output that is text alone.
    pub(crate) const fn from_text(text: String) -> Self {
        Self {
            result: text,
            notices: String::new(),
            exit: Exit::Done,
        }
    }

    /// Adds warnings, each a sentence.
    pub(crate) fn warn(mut self, warnings: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        for warning in warnings {
            let warning = hookloop_text::visible(warning.as_ref());
            self.notices.extend(["warning: ", &warning, "\n"]);
        }
        self
    }

    /// Returns the same output with another exit code.
    pub(crate) fn ending(self, exit: Exit) -> Self {
        Self { exit, ..self }
    }

    /// Returns the output of an error outside of any command.
    pub(crate) fn from_error(error: &dyn Display, exit: Exit) -> Self {
        Self {
            result: String::new(),
            notices: format!("error: {error}\n"),
            exit,
        }
    }

    /// Returns the argument parser's output: a usage error, or the requested help.
    pub(crate) fn from_usage(usage: &clap::Error) -> Self {
        // The parser chooses the stream and the colours.
        let exit = match (usage.print(), usage.use_stderr()) {
            (_, true) => Exit::Usage,
            (Ok(()), false) => Exit::Done,
            (Err(_), false) => Exit::Failed,
        };
        Self::from_text(String::new()).ending(exit)
    }

    /// Writes everything and returns the program's exit code.
    pub(crate) fn emit(self) -> ExitCode {
        ExitCode::from(self.emit_code())
    }

    /// Writes everything and returns the exit code as a number.
    pub(crate) fn emit_code(self) -> u8 {
        // Fails if standard error is closed, and then nobody reads it.
        drop(stderr().lock().write_all(self.notices.as_bytes()));
        match (write_result(&self.result), self.exit) {
            (Ok(()), exit) => exit.code(),
            (Err(error), exit) => {
                drop(writeln!(stderr().lock(), "error: {}", unwritten(&error)));
                // The exit codes of `fire` are its answer, and still arrive.
                match exit {
                    Exit::Done => Exit::Failed.code(),
                    exit => exit.code(),
                }
            }
        }
    }
}
