//! The port for the response formats of servers.

use crate::chunk::Chunk;
use crate::http::calls::model_chunk;
use crate::http_error::HttpProblem;
use crate::part::Part;

/// Reads a streamed answer, event by event.
pub(crate) trait Decoder: Default + Send + 'static {
    /// Takes the data of an event. Returns the chunk that is complete with it, if one is.
    fn event(&mut self, data: &str) -> Result<Option<Chunk>, HttpProblem>;

    /// Takes the end of the stream. Returns what is left to say, or why this wasn't an end.
    fn end(&mut self) -> Result<Option<Chunk>, HttpProblem>;

    /// Returns whether the answer said that it is over. Whatever happens to the connection
    /// afterwards does no harm.
    fn progress(&self) -> Progress;
}

/// What a model has said in a stream so far, for the case that it ends before the model does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum StreamProgress {
    /// Not even that it begins.
    #[default]
    Nothing,
    /// It began, and nothing of it was whole yet.
    Begun,
    /// Some of it went on.
    Something,
}

impl StreamProgress {
    /// Notes that the model begins.
    pub(crate) fn begin(&mut self) {
        if *self == Self::Nothing {
            *self = Self::Begun;
        }
    }

    /// Takes the end of a stream before the model ended. What began has no reason to end, so it is
    /// known as cut, and whoever asked may ask again (LO-3).
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
