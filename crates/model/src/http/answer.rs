//! A streamed answer: from the bytes of the connection to chunks.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hookloop_engine::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::error::ModelError;
use crate::http::decode::{Decoder, Progress};
use crate::http::failure::{Failure, plain_line, root_cause};
use crate::http::key::ApiKey;
use crate::http::sse::{SseParser, TooLarge};
use crate::http::transport::Transport;
use crate::http_error::{HttpError, HttpProblem};
use crate::stream::ChunkSource;

/// How much of a server's text is included in a message, in characters.
const QUOTED: usize = 500;

/// How much of a response without events is kept, in bytes.
const MAX_HEAD_BYTES: usize = 1024 * 1024;

/// How long a server may take to close a complete response.
const AFTER_THE_END: Duration = Duration::from_secs(10);

/// How long a connection from which nothing more is expected may take to end.
const LINGER_TIMEOUT: Duration = Duration::from_millis(250);

/// How many times the silence limit a server may continue without any part of a response: keeping a
/// connection alive isn't one.
pub(crate) const IDLE_FACTOR: u32 = 6;

/// How many times the silence limit a response may take altogether, however much of it arrives: a
/// server that sends a word now and then could continue for years.
pub(crate) const LENGTH_FACTOR: u32 = 48;

/// Reads chunks from a connection.
pub(crate) struct AnswerReader<D> {
    /// `None` once nothing more is read. Dropping it closes the connection.
    response: Option<reqwest::Response>,
    idle_timeout: Duration,
    /// How many more bytes the response may have.
    room: usize,
    /// When the reading began.
    began: Instant,
    /// When a part of the response last arrived, or the reading began.
    heard: Instant,
    parser: SseParser,
    /// Data of events that wait for the decoder.
    events: VecDeque<String>,
    /// What came before the first event, if it is worth keeping: servers that don't stream after
    /// all send a complete response or an error.
    head: Option<Vec<u8>>,
    decoder: D,
    /// Whether the end was taken from the decoder.
    ended: bool,
}

impl<D: Decoder> AnswerReader<D> {
    pub(crate) fn new(response: reqwest::Response, transport: &Transport) -> Self {
        Self {
            response: Some(response),
            idle_timeout: transport.idle_timeout,
            room: transport.max_answer_bytes,
            began: Instant::now(),
            heard: Instant::now(),
            parser: SseParser::default(),
            events: VecDeque::new(),
            head: Some(Vec::new()),
            decoder: D::default(),
            ended: false,
        }
    }

    /// Reads the next chunk; `None` at the end. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Option<Chunk>, Failure> {
        loop {
            while let Some(data) = self.events.pop_front() {
                let chunk = self.decoder.event(&data);
                let chunk = chunk.map_err(|problem| Failure::from_event(problem, &data))?;
                if self.decoder.progress() == Progress::Closed {
                    self.events.clear();
                    self.linger().await;
                }
                if let Some(chunk) = chunk {
                    if chunk.continues_response() {
                        self.heard = Instant::now();
                    }
                    return Ok(Some(chunk));
                }
            }
            if self.response.is_none() {
                return self.end();
            }
            self.read().await?;
        }
    }

    /// Reads some bytes, and splits them into events.
    async fn read(&mut self) -> Result<(), Failure> {
        let Some(response) = &mut self.response else {
            return Ok(());
        };
        let limit = match self.decoder.progress() {
            Progress::Open => self.idle_timeout,
            Progress::Finished | Progress::Closed => self.idle_timeout.min(AFTER_THE_END),
        };
        let patience = self.idle_timeout.saturating_mul(IDLE_FACTOR);
        let left = patience.saturating_sub(self.heard.elapsed());
        let longest = self.idle_timeout.saturating_mul(LENGTH_FACTOR);
        let rest = longest.saturating_sub(self.began.elapsed());
        let wait = limit.min(left).min(rest);
        let failure = match tokio::time::timeout(wait, response.chunk()).await {
            Ok(Ok(Some(bytes))) => return self.take(&bytes).map_err(|TooLarge| too_large()),
            Ok(Ok(None)) => {
                self.response = None;
                return self.take_tail();
            }
            Ok(Err(error)) => Failure::passing(HttpProblem::Broken(root_cause(&error))),
            Err(_) if rest <= limit.min(left) => Failure::permanent(HttpProblem::TooLong(longest)),
            Err(_) if left < limit => Failure::permanent(HttpProblem::Silent(patience)),
            Err(_) => Failure::permanent(HttpProblem::Silent(limit)),
        };
        self.response = None;
        match self.decoder.progress() {
            Progress::Open => Err(failure),
            Progress::Finished | Progress::Closed => Ok(()),
        }
    }

    /// Lets the connection end, so that the next call can reuse it. The rest of its data doesn't
    /// matter, and nothing depends on it.
    async fn linger(&mut self) {
        if let Some(response) = &mut self.response {
            let _ = tokio::time::timeout(LINGER_TIMEOUT, response.chunk()).await;
        }
        self.response = None;
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        self.room = self.room.checked_sub(bytes.len()).ok_or(TooLarge)?;
        self.events.extend(self.parser.push(bytes)?);
        if !self.events.is_empty() {
            self.head = None;
        }
        if let Some(head) = self
            .head
            .as_mut()
            .filter(|head| head.len() < MAX_HEAD_BYTES)
        {
            head.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Takes what follows the last complete event, or the whole if there was none.
    fn take_tail(&mut self) -> Result<(), Failure> {
        let tail = self.parser.finish();
        if self.decoder.progress() != Progress::Open {
            return Ok(());
        }
        let head = self.head.take().unwrap_or_default();
        let half = match (&tail, String::from_utf8_lossy(&head)) {
            (Some(tail), _) => tail,
            (None, head) if says_nothing(&head) => return Ok(()),
            (None, head) => {
                self.events.push_back(head.into_owned());
                return Ok(());
            }
        };
        // Some servers omit the last empty line. An event that can't be parsed was cut off.
        if serde_json::from_str::<serde::de::IgnoredAny>(half).is_ok() || half.starts_with('[') {
            self.events.extend(tail);
            return Ok(());
        }
        let cut = HttpProblem::CutOff("the stream ended in the middle of a chunk".to_owned());
        Err(Failure::permanent(cut))
    }

    fn end(&mut self) -> Result<Option<Chunk>, Failure> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        self.decoder.end().map_err(Failure::permanent)
    }
}

/// The chunks of a response, the first of which has already arrived.
pub(crate) struct HttpChunks<D> {
    first: Option<Chunk>,
    /// `None` after the end or an error.
    reader: Option<AnswerReader<D>>,
    cancel: CancellationToken,
    blame: Blame,
}

impl<D: Decoder> HttpChunks<D> {
    pub(crate) fn new(
        first: Chunk,
        reader: AnswerReader<D>,
        cancel: CancellationToken,
        blame: Blame,
    ) -> Self {
        Self {
            first: Some(first),
            reader: Some(reader),
            cancel,
            blame,
        }
    }
}

impl<D: Decoder> ChunkSource for HttpChunks<D> {
    fn next(&mut self) -> BoxFuture<'_, Option<Result<Chunk, ModelError>>> {
        Box::pin(async {
            let reader = self.reader.as_mut()?;
            let next = tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    self.reader = None;
                    return Some(Err(ModelError::Cancelled));
                }
                next = async {
                    match self.first.take() {
                        Some(first) => Ok(Some(first)),
                        None => reader.next().await,
                    }
                } => next,
            };
            match next {
                Ok(Some(chunk)) => Some(Ok(chunk)),
                Ok(None) => {
                    self.reader = None;
                    None
                }
                Err(failure) => {
                    self.reader = None;
                    // Text has been shown already, so this is an error, and isn't retried.
                    let problem = match failure.problem {
                        HttpProblem::Broken(cause) => HttpProblem::CutOff(cause),
                        other => other,
                    };
                    Some(Err(self.blame.error(problem)))
                }
            }
        })
    }
}

/// Returns whether a stream without events contains nothing but comments, which keep it alive.
fn says_nothing(head: &str) -> bool {
    head.lines()
        .all(|line| line.trim().is_empty() || line.starts_with(':'))
}

/// Returns the failure that a response is longer than anything that a model says.
pub(crate) fn too_large() -> Failure {
    Failure::permanent(HttpProblem::Unreadable("it is too large".to_owned()))
}

/// Returns the problem that a response isn't what the protocol requires, with its beginning.
pub(crate) fn unreadable(expected: &str, data: &str) -> HttpProblem {
    let data = plain_line(data);
    HttpProblem::Unreadable(format!("expected {expected}, got \"{data}\""))
}

/// The server that an error of a running response is about.
#[derive(Debug, Clone)]
pub(crate) struct Blame {
    pub(crate) server: String,
    pub(crate) key: Option<ApiKey>,
    pub(crate) attempts: u32,
}

impl Blame {
    /// Converts a problem to the error of a call.
    pub(crate) fn error(&self, problem: HttpProblem) -> ModelError {
        ModelError::Http(Box::new(HttpError {
            server: self.server.clone(),
            problem: sanitise(problem, self.key.as_ref()),
            attempts: self.attempts,
        }))
    }
}

/// Prepares a problem for display: without the key that a server may repeat, and not too long.
pub(crate) fn sanitise(mut problem: HttpProblem, key: Option<&ApiKey>) -> HttpProblem {
    let Some(text) = problem.text_mut() else {
        return problem;
    };
    if let Some(key) = key {
        *text = key.hide_in(text);
    }
    if let Some((end, _)) = text.char_indices().nth(QUOTED) {
        text.truncate(end);
        text.push('…');
    }
    problem
}
