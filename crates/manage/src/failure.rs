//! Why a command failed (`cli-json.md` §1).

use hookloop_bridge::Agent;
use hookloop_extensions::{Failure, FailureKind};
use hookloop_rules::GuardError;
use hookloop_settings::EditError;
use hookloop_text::visible;
use hookloop_trust::StoreError;
use serde::Serialize;

use crate::near_matches::near_matches;

/// Why a command couldn't do its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct CommandFailure {
    /// Its kind.
    pub code: FailureCode,
    /// The message for people.
    pub message: String,
    /// What was probably meant, best first.
    pub candidates: Vec<String>,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// No hook has this name.
    UnknownHook,
    /// There is no such event.
    UnknownEvent,
    /// There is no such extension.
    UnknownExtension,
    /// No recorded run has this id.
    UnknownRun,
    /// The trace is damaged, or can't be read.
    TraceUnreadable,
    /// This build doesn't support it.
    NotInBuild,
    /// The input can't be used.
    BadInput,
    /// A file can't be written.
    NotWritable,
    /// A file is broken, and its content would be lost if it were written.
    InvalidSettings,
    /// A key is locked by the system's settings, or a file is locked by another process.
    Locked,
    /// There is nothing to migrate.
    NoSource,
    /// Something with this name exists, and isn't overwritten.
    AlreadyExists,
    /// Nobody agreed.
    Declined,
    /// No agent that the bridge knows has this name.
    UnknownAgent,
    /// This version of the agent is known to ignore hooks (BR-1).
    AgentObeysNothing,
    /// An internal error.
    Internal,
}

impl CommandFailure {
    /// Creates a failure without candidates.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            candidates: Vec::new(),
        }
    }

    /// Creates an internal error.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(FailureCode::Internal, message)
    }

    /// Creates the failure for input that can't be used.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(FailureCode::BadInput, message)
    }

    /// Creates the failure for a build without the trace.
    pub fn without_trace() -> Self {
        let message = "the trace isn't in this build: it was built without the feature \"trace\"";
        Self::new(FailureCode::NotInBuild, message)
    }

    /// Creates the failure for a name that no hook has. If no name is near, the message says where
    /// to find them all.
    pub fn unknown_hook(message: impl Into<String>, name: &str, known: &[&str]) -> Self {
        let candidates = near_matches(name, known);
        let mut message = message.into();
        if candidates.is_empty() {
            message.push_str("; `hookloop hooks list` lists all hooks");
        }
        Self::new(FailureCode::UnknownHook, message).with_candidates(candidates)
    }

    /// Creates the failure for an agent that the bridge doesn't know (BR-1).
    pub fn unknown_agent(word: &str) -> Self {
        let known = Agent::ALL.map(Agent::word);
        let message = format!(
            "\"{}\" isn't an agent that the bridge knows; write one of {}",
            visible(word),
            known.join(", ")
        );
        Self::new(FailureCode::UnknownAgent, message).with_candidates(near_matches(word, &known))
    }

    /// Adds what was probably meant.
    #[must_use]
    pub fn with_candidates(mut self, candidates: Vec<String>) -> Self {
        self.candidates = candidates;
        self
    }
}

#[cfg(feature = "trace")]
impl From<hookloop_trace::OpenError> for CommandFailure {
    fn from(error: hookloop_trace::OpenError) -> Self {
        Self::new(FailureCode::TraceUnreadable, format!("failed to {error}"))
    }
}

#[cfg(feature = "trace")]
impl From<hookloop_trace::QueryError> for CommandFailure {
    fn from(error: hookloop_trace::QueryError) -> Self {
        Self::new(FailureCode::TraceUnreadable, format!("failed to {error}"))
    }
}

impl From<hookloop_bridging::Failure> for CommandFailure {
    fn from(failure: hookloop_bridging::Failure) -> Self {
        use hookloop_bridging::FailureKind;

        let code = match failure.kind {
            FailureKind::ObeysNothing => FailureCode::AgentObeysNothing,
            FailureKind::NoSuchScope => FailureCode::BadInput,
            FailureKind::InvalidSettings => FailureCode::InvalidSettings,
            FailureKind::NotWritable => FailureCode::NotWritable,
            FailureKind::Internal => FailureCode::Internal,
        };
        Self::new(code, failure.message)
    }
}

impl From<GuardError> for CommandFailure {
    fn from(error: GuardError) -> Self {
        match error {
            GuardError::Unreadable(_) => Self::internal(error.to_string()),
            _ => Self::bad_input(error.to_string()),
        }
    }
}

impl From<EditError> for CommandFailure {
    fn from(error: EditError) -> Self {
        let code = match error {
            EditError::NotWritable { .. } => FailureCode::NotWritable,
            EditError::Unreadable { .. } | EditError::InvalidSettings { .. } => {
                FailureCode::InvalidSettings
            }
            EditError::Locked { .. } => FailureCode::Locked,
        };
        Self::new(code, error.to_string())
    }
}

impl From<StoreError> for CommandFailure {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Broken { .. } => FailureCode::InvalidSettings,
            StoreError::Write { .. } => FailureCode::NotWritable,
        };
        Self::new(code, error.to_string())
    }
}

impl From<Failure> for CommandFailure {
    fn from(failure: Failure) -> Self {
        let code = match failure.kind {
            FailureKind::UnknownExtension => FailureCode::UnknownExtension,
            FailureKind::BadInput => FailureCode::BadInput,
            FailureKind::NotWritable => FailureCode::NotWritable,
            FailureKind::AlreadyExists => FailureCode::AlreadyExists,
            FailureKind::Internal => FailureCode::Internal,
        };
        let known: Vec<&str> = failure.known.iter().map(String::as_str).collect();
        let near = failure.wanted.map(|wanted| near_matches(&wanted, &known));
        Self::new(code, failure.message).with_candidates(near.unwrap_or_default())
    }
}
