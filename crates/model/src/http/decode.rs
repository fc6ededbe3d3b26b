//! The port behind which a server's way to answer stands.

use crate::chunk::Chunk;
use crate::http_error::HttpProblem;

/// Reads a streamed answer, event by event.
pub(crate) trait Decoder: Default + Send + 'static {
    /// Takes the data of an event. Returns the chunk that is complete with it, if one is.
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem>;

    /// Takes the end of the stream. Returns what is left to say, or why this wasn't an end.
    fn end(&mut self, framing: Framing) -> Result<Option<Chunk>, HttpProblem>;

    /// Tells whether the answer said that it is over. Whatever happens to the connection
    /// afterwards does no harm.
    fn progress(&self) -> Progress;
}

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More must come.
    Open,
    /// The answer is complete; something may follow about it, such as token counts.
    Finished,
    /// Nothing follows.
    Closed,
}

/// How the end of a body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By its length or its last chunk: a body that was cut is an error of the connection.
    Delimited,
    /// By closing the connection: an end may as well be a cut.
    UntilClose,
}

impl Framing {
    /// Reads it from the headers of an answer.
    pub(crate) fn of(headers: &reqwest::header::HeaderMap) -> Self {
        let delimited = ["content-length", "transfer-encoding"]
            .iter()
            .any(|name| headers.contains_key(*name));
        if delimited {
            Self::Delimited
        } else {
            Self::UntilClose
        }
    }
}
