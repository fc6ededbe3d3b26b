//! The exit codes of a session (AG-CLI-4).

use std::io;

use hookloop_agent::{PolicyFileError, TurnEnd};
use hookloop_events::Cause;
use hookloop_model::{NoModelConfigured, RecordError, ScriptError};
use hookloop_tools::WorkspaceError;

use crate::environment::EnvironmentError;
use crate::unusable::UnusableSetting;

/// Why a session couldn't run.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no prompt, or it can't be used.
    #[error("{0}")]
    Input(String),
    /// There is no session with the id to continue.
    #[error("{0}")]
    NoSession(String),
    /// The requested way to authenticate isn't supported (AG-CLI-7).
    #[error("{0}")]
    Authentication(UnusableSetting),
    /// Requests would be authenticated in another way than the settings enforce (AG-CLI-7).
    #[error("{0}")]
    OtherAuthentication(UnusableSetting),
    /// No model is configured (MO-4).
    #[error("{0}")]
    NoModel(#[from] NoModelConfigured),
    /// The file of scripted responses can't be used.
    #[error("failed to {0}")]
    Script(#[from] ScriptError),
    /// Responses can't be recorded.
    #[error("failed to {0}")]
    Record(#[from] RecordError),
    /// The configuration of the model service can't be used.
    #[cfg(feature = "http")]
    #[error("{0}")]
    Service(#[source] Box<hookloop_model::HttpError>),
    /// A policy file can't be used.
    #[error("failed to {0}")]
    Policy(#[from] PolicyFileError),
    /// The folders can't be used as a workspace.
    #[error("failed to {0}")]
    Workspace(#[from] WorkspaceError),
    /// The environment can't be read.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// A setting can't be used.
    #[error("{0}")]
    Setting(UnusableSetting),
    /// The configuration can't be used.
    #[error("{0}")]
    Configuration(String),
    /// The transcript can't be written or deleted.
    #[error("the transcript can't be used: {0}")]
    Transcript(#[source] io::Error),
    /// A file that may contain a guard can't be read, or an error counts as one (ST-5, ST-11).
    #[error("{0}")]
    Guards(String),
    /// The terminal can't be set up.
    #[error("the terminal can't be used: {0}")]
    Terminal(#[source] io::Error),
    /// The program can't run anything.
    #[error("the program can't start: {0}")]
    Runtime(#[source] io::Error),
}

/// The exit code of work that couldn't be done.
pub(crate) const FAILED: u8 = 1;

/// The exit code of work that a signal ended.
pub(crate) const CANCELLED: u8 = 130;

impl SessionError {
    /// Returns the exit code.
    pub const fn code(&self) -> u8 {
        match self {
            #[cfg(feature = "http")]
            Self::Service(_) => 52,
            Self::Input(_) | Self::NoSession(_) => 42,
            Self::NoModel(_) | Self::Authentication(_) | Self::OtherAuthentication(_) => 41,
            Self::Policy(_)
            | Self::Script(_)
            | Self::Record(_)
            | Self::Workspace(_)
            | Self::Environment(_)
            | Self::Guards(_)
            | Self::Setting(_)
            | Self::Configuration(_) => 52,
            Self::Transcript(_) | Self::Terminal(_) | Self::Runtime(_) => FAILED,
        }
    }
}

impl SessionError {
    /// Names the kind of error, in the words that readers of Gemini CLI's output know.
    pub(crate) const fn kind(&self) -> &'static str {
        if let Self::OtherAuthentication(_) = self {
            return "Error";
        }
        match self.code() {
            41 => "FatalAuthenticationError",
            42 => "FatalInputError",
            52 => "FatalConfigError",
            _ => "Error",
        }
    }
}

/// Returns the exit code of a turn: 0 for whatever hooks decide, and 1 if the failure of a hook
/// decided (IO-21).
pub(crate) const fn exit_code(end: &TurnEnd) -> u8 {
    match end {
        TurnEnd::Completed | TurnEnd::Refused(_, Cause::Policy) | TurnEnd::Stopped(_) => 0,
        TurnEnd::LimitReached(_) => 53,
        TurnEnd::Cancelled => CANCELLED,
        TurnEnd::Refused(_, Cause::Failure) | TurnEnd::EndedEarly(_) | TurnEnd::Failed(_) => FAILED,
    }
}
