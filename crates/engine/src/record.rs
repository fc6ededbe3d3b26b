//! The record of one execution of one hook (`cli-json.md` §2, "Run").

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{EventName, Payload, Reply};
use hookloop_hook::{HookDeclaration, Mode};
use serde::Serialize;

use crate::failure::Failure;
use crate::port::{Ending, Signal};
use crate::stop::StopCause;

/// The result of a run, in one word. It is exhaustive on purpose: whoever shows runs must tell a refusal from
/// what isn't one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunResult {
    /// The hook has no objection.
    Proceed,
    /// It wants the user to be asked.
    Ask,
    /// It refused, or its failure counts as refusal.
    Refused,
    /// It ended the agent loop.
    Stopped,
    /// It failed, and the action continues.
    Failed,
}

/// How the hook's program ended, with who ended it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEnding {
    /// It exited with a code.
    Exited(i32),
    /// A signal killed it.
    Signalled(Signal),
    /// The engine ended it at its timeout.
    TimedOut,
    /// It could not start.
    NotStarted,
    /// It ran and failed without a code of its own.
    Failed,
    /// The engine ended it with the turn.
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

    /// Returns the kind's word in JSON.
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
    /// Identifies the run, a UUID.
    pub run_id: String,
    /// The session it belongs to.
    pub session_id: String,
    /// The event.
    pub event: EventName,
    /// The hook.
    pub hook: Arc<HookDeclaration>,
    /// When it started, ISO 8601 in UTC.
    pub started_at: String,
    /// How long it ran.
    pub duration: Duration,
    /// How its program ended.
    pub ending: RunEnding,
    /// What came of it.
    pub result: RunResult,
    /// What went wrong.
    pub failure: Option<Failure>,
    /// What it read and wrote.
    pub content: RunContent,
    /// The names of the variables that were withheld from it (ENV-3).
    pub withheld_env: Vec<String>,
    /// The fields of its reply that the event doesn't know, as the hook wrote them (IO-23).
    pub unknown_fields: Vec<String>,
    /// Whether it wrote a refusal that had no effect where it was (IO-11, IO-15).
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
    /// It is left out; that the hook ran, and how it ended, stays.
    Suppressed,
}

/// What a hook read and wrote.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RunContent {
    /// The JSON object it read.
    pub input: Payload,
    /// Standard output as text.
    pub stdout: String,
    /// Standard error as text.
    pub stderr: String,
    /// Whether a stream went over the cap.
    pub truncation: Truncation,
    /// The reply as understood.
    pub reply: Option<Reply>,
}

/// Whether a stream went over the cap (IO-17).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Truncation {
    /// Both are whole.
    #[default]
    Whole,
    /// One was cut.
    Cut,
}

impl RunRecord {
    /// Records a run of a hook that began, has nothing to say and took no time: what an observer is tested
    /// with.
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

    /// Returns the content for logs, trace and telemetry: nothing where the hook suppresses it
    /// (OUT-2).
    pub fn recordable_content(&self) -> Option<&RunContent> {
        match self.suppression {
            Suppression::Open => Some(&self.content),
            Suppression::Suppressed => None,
        }
    }
}
