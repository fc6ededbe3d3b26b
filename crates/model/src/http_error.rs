//! Errors of a model's server.

use std::fmt;
use std::time::Duration;

/// Why a model's server returned no response, or an incomplete one. Neither the text nor the debug
/// output contains a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    /// The server's address, without secrets.
    pub server: String,
    /// What went wrong.
    pub problem: HttpProblem,
    /// The number of attempts; 0 if nothing was sent.
    pub attempts: u32,
}

impl std::error::Error for HttpError {}

impl fmt::Display for HttpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the model's server {}: {}",
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
    /// The connection broke before the response began.
    #[error("the connection broke before the answer began: {0}")]
    Broken(String),
    /// The response began and broke off.
    #[error("the answer was cut off: {0}")]
    CutOff(String),
    /// The server sent nothing for too long.
    #[error("the server has said nothing for {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// The response took too long, though it didn't stop.
    #[error("the answer still isn't complete after {} s", .0.as_secs_f64())]
    TooLong(Duration),
    /// The key is wrong or missing.
    #[error("{status}: the API key wasn't accepted: {message}")]
    KeyRefused {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
    },
    /// The address or the model doesn't exist.
    #[error("{status}: {message} (is the model's name \"{model}\" right?{hint}{origin})")]
    NotFound {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
        /// The model that was asked for.
        model: String,
        /// Where the name comes from, and what other names there are, as far as that is known.
        origin: String,
        /// What else may be wrong.
        hint: &'static str,
    },
    /// The server rejected the request.
    #[error("{status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
    },
    /// There were too many requests, or a quota is used up.
    #[error("429: too many requests: {message}{}", describe_wait(*.wait))]
    TooManyRequests {
        /// What the server says.
        message: String,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// The server failed.
    #[error("{status}: the server failed: {message}{}", describe_wait(*.wait))]
    ServerFailed {
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// The response is empty.
    #[error("the answer is empty")]
    Empty,
    /// The response violates the protocol.
    #[error("the answer can't be read: {0}")]
    Unreadable(String),
    /// The server reported an error inside its response.
    #[error("the server reports: {0}")]
    Reported(String),
    /// The server refused the prompt.
    #[error("the prompt was refused: {0}")]
    PromptRefused(String),
}

/// Describes how long a server asks to wait.
fn describe_wait(wait: Option<Duration>) -> String {
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
            Self::Silent(_) | Self::TooLong(_) | Self::Empty => None,
        }
    }
}

/// A model call that failed and will be retried after a wait (MO-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryNotice {
    /// The server's address, without secrets.
    pub server: String,
    /// Why the attempt failed.
    pub problem: HttpProblem,
    /// The number of the failed attempt, from 1.
    pub attempt: u32,
    /// The maximum number of attempts.
    pub attempts: u32,
    /// The wait before the next attempt.
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
