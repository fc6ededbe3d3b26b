//! The port for the response formats of servers.

use crate::chunk::Chunk;
use crate::http::calls::model_chunk;
use crate::http_error::HttpProblem;
use crate::part::Part;

/// Reads a streamed response, event by event.
pub(crate) trait Decoder: Default + Send + 'static {
    /// Takes the data of an event. Returns the chunk that it completes, if any.
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem>;

    /// Takes the end of the stream. Returns what is left, or why this wasn't an end.
    fn end(&mut self) -> Result<Option<Chunk>, HttpProblem>;

    /// Returns whether the response has announced its end. Whatever happens to the connection
    /// afterwards does no harm.
    fn progress(&self) -> Progress;
}

/// What a model has said in a stream so far, in case the stream ends before the model does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StreamProgress {
    /// Nothing yet.
    #[default]
    Nothing,
    /// It began, and nothing was complete yet.
    Begun,
    /// Some of it continued.
    Something,
}

impl StreamProgress {
    /// Records that the model begins.
    pub(crate) fn begin(&mut self) {
        if *self == Self::Nothing {
            *self = Self::Begun;
        }
    }

    /// Takes the end of a stream before the model ended. What began has no reason to end, so it is
    /// recognised as cut, and the caller may ask again (LO-3).
    pub(crate) fn cut(self) -> Result<Option<Chunk>, HttpProblem> {
        match self {
            Self::Nothing => Err(HttpProblem::Empty),
            Self::Begun => Ok(Some(model_chunk(vec![Part {
                thought: true,
                ..Part::text("")
            }]))),
            Self::Something => Ok(None),
        }
    }
}

/// The progress of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More must come.
    Open,
    /// The response is complete; something may follow about it, such as token counts.
    Finished,
    /// Nothing follows.
    Closed,
}
