//! The ways in which a hook fails; a failure isn't a decision (IO-20).

use std::fmt;
use std::time::Duration;

use hookloop_events::{EventName, Malformed};
use hookloop_hook::{HookDeclaration, OnFailure, Refusing};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::port::Signal;

/// How a hook failed (IO-20).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// It couldn't start.
    NotStarted(String),
    /// It was ended at its timeout.
    TimedOut(Duration),
    /// It was killed by a signal.
    Signalled(Signal),
    /// Its reply can't be parsed.
    MalformedReply(Malformed),
    /// Its output exceeded the cap, in bytes.
    OutputOverCap(usize),
    /// The turn was cancelled.
    Cancelled,
    /// A hook of the host panicked or returned an error.
    Errored(String),
    /// It exited with a code other than 0 or 2.
    ExitCode {
        /// The code.
        code: i32,
        /// The most informative line of standard error, else of standard output.
        line: Option<String>,
    },
}

impl Failure {
    /// Returns the failure without what the hook wrote itself (OUT-2).
    #[must_use]
    pub(crate) fn without_output(self) -> Self {
        let kept_back = "what it wrote is suppressed";
        match self {
            Self::NotStarted(_) => Self::NotStarted(kept_back.to_owned()),
            Self::MalformedReply(_) => Self::MalformedReply(Malformed::new(kept_back)),
            Self::Errored(_) => Self::Errored(kept_back.to_owned()),
            Self::ExitCode { code, .. } => Self::ExitCode { code, line: None },
            other => other,
        }
    }

    /// Returns whether the failure refuses the action of an event (IO-21). A hook that couldn't
    /// start has looked at nothing, and output over the cap can be caused by what is judged: before
    /// an action, both refuse unless somebody explicitly said that they don't.
    pub(crate) fn refuses(&self, event: EventName, hook: &HookDeclaration) -> bool {
        let looked_at_nothing = matches!(self, Self::NotStarted(_) | Self::OutputOverCap(_));
        match (self, hook.on_failure) {
            // A cancelled hook has decided nothing (EV-5).
            (Self::Cancelled, _) | (_, OnFailure::Warn) => false,
            (_, OnFailure::Deny) => event.refusing(hook.dialect) == Refusing::Always,
            (_, OnFailure::Default) => looked_at_nothing && event.is_before_action(),
        }
    }

    /// Returns the name of this kind in JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NotStarted(_) => "not_started",
            Self::TimedOut(_) => "timed_out",
            Self::Signalled(_) => "signalled",
            Self::MalformedReply(_) => "malformed_reply",
            Self::OutputOverCap(_) => "output_over_cap",
            Self::Cancelled => "cancelled",
            Self::Errored(_) => "errored",
            Self::ExitCode { .. } => "exit_code",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(why) => write!(formatter, "couldn't start: {why}"),
            Self::TimedOut(after) => {
                write!(formatter, "timed out after {} ms", after.as_millis())
            }
            Self::Signalled(signal) => write!(formatter, "killed by {signal}"),
            Self::MalformedReply(what) => write!(formatter, "malformed reply: {what}"),
            Self::OutputOverCap(cap) => {
                write!(formatter, "output over the cap of {cap} bytes")
            }
            Self::Cancelled => formatter.write_str("cancelled"),
            Self::Errored(why) => write!(formatter, "failed: {why}"),
            Self::ExitCode { code, line: None } => write!(formatter, "exit code {code}"),
            Self::ExitCode {
                code,
                line: Some(line),
            } => {
                write!(formatter, "exit code {code}: {line}")
            }
        }
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Failure", 2)?;
        object.serialize_field("kind", self.kind())?;
        object.serialize_field("message", &self.to_string())?;
        object.end()
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match hookloop_text::signal_name(self.0) {
            Some(name) => formatter.write_str(name),
            None => write!(formatter, "signal {}", self.0),
        }
    }
}
