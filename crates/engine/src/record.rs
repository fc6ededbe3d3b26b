//! The record of one execution of one hook (`cli-json.md` §2, "Run").

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{EventName, Payload, Reply};
use hookloop_hook::{HookDeclaration, Mode};
use serde::Serialize;

use crate::failure::Failure;
use crate::port::{Ending, Signal};
use crate::stop::StopCause;

/// The result of a run, in one word. Deliberately exhaustive: code that shows runs must distinguish
/// a refusal from everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunResult {
    /// The hook has no objection.
    Proceed,
    /// The hook wants the user to be asked.
    Ask,
    /// It refused, or its failure counts as a refusal.
    Refused,
    /// It ended the agent loop.
    Stopped,
    /// It failed, and the action continues.
    Failed,
}

impl RunResult {
    /// Returns the word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Ask => "ask",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

/// How the hook's program ended, and whether the engine ended it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEnding {
    /// It exited with a code.
    Exited(i32),
    /// A signal killed it.
    Signalled(Signal),
    /// The engine ended it at its timeout.
    TimedOut,
    /// It couldn't start.
    NotStarted,
    /// It ran and failed without an exit code.
    Failed,
    /// The engine ended it because the turn was cancelled.
    Cancelled,
}

impl RunEnding {
    pub(crate) const fn new(ending: &Ending, cause: Option<StopCause>) -> Self {
        match (ending, cause) {
            (Ending::Exited(code), _) => Self::Exited(*code),
            (Ending::Signalled(signal), _) => Self::Signalled(*signal),
            (Ending::Stopped, Some(StopCause::TimedOut)) => Self::TimedOut,
            (Ending::Stopped, _) => Self::Cancelled,
            (Ending::NotStarted(_), _) => Self::NotStarted,
            (Ending::Failed(_), _) => Self::Failed,
        }
    }

    /// Returns the name of this kind in JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Exited(_) => "exited",
            Self::Signalled(_) => "signalled",
            Self::TimedOut => "timed_out",
            Self::NotStarted => "not_started",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the exit code, if there is one.
    pub const fn exit_code(&self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(*code),
            _ => None,
        }
    }

    /// Returns the signal, if there is one.
    pub const fn signal(&self) -> Option<Signal> {
        match self {
            Self::Signalled(signal) => Some(*signal),
            _ => None,
        }
    }
}

/// One execution of one hook.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunRecord {
    /// The id of the run, a UUID.
    pub run_id: String,
    /// The session that the run belongs to.
    pub session_id: String,
    /// The event.
    pub event: EventName,
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// When it started, in ISO 8601, UTC.
    pub started_at: String,
    /// How long it ran.
    pub duration: Duration,
    /// How its program ended.
    pub ending: RunEnding,
    /// Its result.
    pub result: RunResult,
    /// What went wrong.
    pub failure: Option<Failure>,
    /// What the hook read and wrote.
    pub content: RunContent,
    /// The names of the variables that were withheld (ENV-3).
    pub withheld_env: Vec<String>,
    /// The fields of its reply that the event doesn't support, as the hook wrote them (IO-23).
    pub unknown_fields: Vec<String>,
    /// Whether the hook wrote a refusal in a place where it had no effect (IO-11, IO-15).
    pub lost_refusal: bool,
    /// Whether the hook keeps its content out of records (OUT-2).
    pub suppression: Suppression,
}

/// Whether a hook's content is kept out of logs, trace and telemetry (OUT-2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Suppression {
    /// It may be recorded.
    #[default]
    Open,
    /// It is left out. That the hook ran, and how it ended, is still recorded.
    Suppressed,
}

/// What a hook read and wrote.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RunContent {
    /// The JSON object that it read.
    pub input: Payload,
    /// Standard output as text.
    pub stdout: String,
    /// Standard error as text.
    pub stderr: String,
    /// Whether a stream exceeded the cap.
    pub truncation: Truncation,
    /// The reply, as parsed.
    pub reply: Option<Reply>,
}

/// Whether a stream exceeded the cap (IO-17).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Truncation {
    /// Both streams are complete.
    #[default]
    Whole,
    /// A stream was cut.
    Cut,
}

impl RunRecord {
    /// Creates the record of a run that took no time and had nothing to say, for tests of an
    /// observer.
    pub fn new(
        run_id: impl Into<String>,
        session_id: impl Into<String>,
        hook: Arc<HookDeclaration>,
        started_at: impl Into<String>,
    ) -> Self {
        Self {
            run_id: run_id.into(),
            session_id: session_id.into(),
            event: hook.event,
            hook,
            started_at: started_at.into(),
            duration: Duration::ZERO,
            ending: RunEnding::Exited(0),
            result: RunResult::Proceed,
            failure: None,
            content: RunContent::default(),
            withheld_env: Vec::new(),
            unknown_fields: Vec::new(),
            lost_refusal: false,
            suppression: Suppression::Open,
        }
    }

    /// Returns whether the hook was ended with the turn, and so has decided nothing (EV-5).
    pub(crate) fn was_cancelled(&self) -> bool {
        self.failure == Some(Failure::Cancelled) && self.hook.mode == Mode::Active
    }

    /// Returns the content for logs, traces and telemetry, or `None` if the hook suppresses it
    /// (OUT-2).
    pub fn recordable_content(&self) -> Option<&RunContent> {
        match self.suppression {
            Suppression::Open => Some(&self.content),
            Suppression::Suppressed => None,
        }
    }
}
