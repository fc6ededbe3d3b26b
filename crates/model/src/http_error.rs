//! What can go wrong with a model's server.

use std::fmt;
use std::time::Duration;

/// Why the model's server gave no answer, or none to its end. Neither the text nor the debug
/// form ever holds a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    /// The server's address, without anything secret.
    pub server: String,
    /// What went wrong.
    pub problem: HttpProblem,
    /// How often the server was asked; 0 if it never came to that.
    pub attempts: u32,
}

impl std::error::Error for HttpError {}

impl fmt::Display for HttpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "ask the model's server {}: {}",
            self.server, self.problem
        )?;
        if self.attempts > 1 {
            write!(formatter, " (asked {} times)", self.attempts)?;
        }
        Ok(())
    }
}

/// What went wrong with a model's server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpProblem {
    /// The address or another setting can't be used.
    #[error("the settings can't be used: {0}")]
    Settings(String),
    /// Nobody answers at the address.
    #[error("no connection: {0}")]
    NoConnection(String),
    /// The connection broke before the answer began.
    #[error("the connection broke before the answer began: {0}")]
    Broken(String),
    /// The answer began and broke off.
    #[error("the answer broke off: {0}")]
    CutOff(String),
    /// The server said nothing for too long.
    #[error("the server has said nothing for {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// The key is wrong or missing.
    #[error("{status}: the API key was not accepted: {message}")]
    KeyRefused {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
    },
    /// The address or the model doesn't exist.
    #[error("404: {message} (is the model's name \"{model}\" right?{hint})")]
    NotFound {
        /// What the server says.
        message: String,
        /// The model that was asked for.
        model: String,
        /// What else may be wrong.
        hint: &'static str,
    },
    /// The server refuses the request.
    #[error("{status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
    },
    /// There were too many requests, or a quota is used up.
    #[error("429: too many requests: {message}{}", asked_wait(*.wait))]
    TooManyRequests {
        /// What the server says.
        message: String,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// The server failed.
    #[error("{status}: the server failed: {message}{}", asked_wait(*.wait))]
    ServerFailed {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// The answer contains nothing at all.
    #[error("the answer is empty")]
    Empty,
    /// The answer is not what the protocol says.
    #[error("the answer can't be read: {0}")]
    Unreadable(String),
    /// The server reports an error inside of its answer.
    #[error("the server reports: {0}")]
    Reported(String),
    /// The server answers no such prompt.
    #[error("the prompt was refused: {0}")]
    PromptRefused(String),
}

/// Words how long a server asks to wait.
fn asked_wait(wait: Option<Duration>) -> String {
    wait.map_or_else(String::new, |wait| {
        format!(" (the server asks to wait {} s)", wait.as_secs())
    })
}

#[cfg(feature = "http")]
impl HttpProblem {
    /// Returns the text that came from elsewhere, if there is one.
    pub(crate) fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Settings(text)
            | Self::NoConnection(text)
            | Self::Broken(text)
            | Self::CutOff(text)
            | Self::Unreadable(text)
            | Self::Reported(text)
            | Self::PromptRefused(text)
            | Self::KeyRefused { message: text, .. }
            | Self::NotFound { message: text, .. }
            | Self::Refused { message: text, .. }
            | Self::TooManyRequests { message: text, .. }
            | Self::ServerFailed { message: text, .. } => Some(text),
            Self::Silent(_) | Self::Empty => None,
        }
    }
}

/// Reports that a call of the model failed, and is tried again after a while (MO-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    /// The server's address, without anything secret.
    pub server: String,
    /// Why the attempt failed.
    pub problem: HttpProblem,
    /// Which attempt failed, from 1.
    pub attempt: u32,
    /// How many attempts there are at most.
    pub attempts: u32,
    /// How long to wait before the next one.
    pub wait: Duration,
}

impl fmt::Display for RetryNotice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the model's server {} failed: {}; trying again in {:.1} s (attempt {} of {})",
            self.server,
            self.problem,
            self.wait.as_secs_f64(),
            self.attempt + 1,
            self.attempts
        )
    }
}
