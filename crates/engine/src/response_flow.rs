//! Passes the text of a response through hooks that want to read more than one chunk at a time
//! (AM-6), or less often than once per chunk (AM-7).

use std::fmt;
use std::sync::Arc;

use hookloop_events::llm::LlmResponse;
use hookloop_events::{
    AfterModel, AfterModelInput, AfterModelOutcome, Cancelled, Cause, Reason, SharedRequest,
};
use hookloop_hook::{Chunks, HoldBack, HookDeclaration, Mode};
use unicode_segmentation::UnicodeSegmentation;

use crate::cleared::Cleared;
use crate::host::ModelRequest;
use crate::port::BoxFuture;
use crate::session::SessionHooks;

/// A line or sentence of so many bytes counts as complete: no response grows without bound on its
/// way to the screen.
const MAX_UNIT_BYTES: usize = 64 * 1024;

/// The text of one response, between the model and everybody who may see it.
///
/// The host pushes the text of each chunk as it arrives, and shows and keeps only what
/// [`passed`](Self::passed) returns. Both can happen concurrently: dropping the future of `passed`
/// loses nothing, so the host can wait for the next chunk and for the hooks at the same time.
///
/// ```
/// use hookloop_engine::events::llm::LlmResponse;
/// use hookloop_engine::{FlowEnd, ResponseFlow};
///
/// /// Shows a response that came in two chunks, as its hooks leave it.
/// async fn relay(mut flow: ResponseFlow) -> Result<String, FlowEnd> {
///     flow.push(&LlmResponse::of_text("the key is sec"));
///     flow.push(&LlmResponse::of_text("ret\n"));
///     flow.finish();
///     let mut shown = String::new();
///     while let Some(text) = flow.passed().await {
///         shown.push_str(&text?);
///     }
///     Ok(shown)
/// }
/// ```
///
/// Function calls don't go through here. They may be shown at once, and run when the flow has
/// ended.
pub struct ResponseFlow {
    session: SessionHooks,
    request: SharedRequest,
    pace: Pace,
    /// What hooks have read and left, and will read again with what follows.
    held: String,
    /// What no hook has read yet.
    fresh: String,
    /// What the latest chunk contains beside its text.
    latest: LlmResponse,
    /// Whether hooks haven't yet read what the latest chunk contains beside its text.
    is_news: bool,
    /// What was passed on.
    handed_out: String,
    stage: Stage,
}

/// Why a response ends before the model has finished. The text that was held back is discarded.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowEnd {
    /// A hook refused; the turn ends (AM-3).
    Refused(Reason, Cause),
    /// A hook ended the loop (AM-4).
    Stopped(Reason),
    /// The hooks were cancelled (EV-5).
    Cancelled(Cancelled),
}

impl From<Cancelled> for FlowEnd {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

impl fmt::Display for FlowEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason, _) => write!(formatter, "refused: {reason}"),
            Self::Stopped(reason) => write!(formatter, "stopped: {reason}"),
            Self::Cancelled(cancelled) => cancelled.fmt(formatter),
        }
    }
}

impl std::error::Error for FlowEnd {}

/// When hooks read, and how much stays held back (AM-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pace {
    unit: Option<Unit>,
    /// How many characters are read together with what precedes them, at least.
    overlap: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Line,
    Sentence,
}

enum Stage {
    /// More may come.
    Open,
    /// The model has said everything.
    Finished,
    /// Everything was handed out, or a hook ended the response.
    Over,
    /// Hooks are reading this text.
    Reading {
        text: String,
        outcome: BoxFuture<'static, Result<AfterModelOutcome, Cancelled>>,
        is_last: bool,
    },
}

impl Pace {
    /// Returns the pace that hooks set, or nothing if each chunk is read as it arrives.
    fn of(hooks: &[Arc<HookDeclaration>]) -> Option<Self> {
        let active = || hooks.iter().filter(|hook| hook.mode == Mode::Active);
        let asked = || active().filter_map(|hook| hook.hold_back);
        let unit = asked().filter_map(|hold_back| match hold_back {
            HoldBack::Line => Some(Unit::Line),
            HoldBack::Sentence => Some(Unit::Sentence),
            HoldBack::Characters(_) => None,
        });
        let overlap = asked().filter_map(|hold_back| match hold_back {
            HoldBack::Characters(count) => Some(usize::from(count)),
            HoldBack::Line | HoldBack::Sentence => None,
        });
        let pace = Self {
            unit: unit.min(),
            overlap: overlap.max().unwrap_or_default(),
        };
        let is_joined = active().all(|hook| hook.chunks == Chunks::Joined);
        let holds_back = pace.unit.is_some() || pace.overlap > 0;
        (holds_back || (is_joined && active().next().is_some())).then_some(pace)
    }

    /// Returns how much of the unread text has to be read now, in bytes.
    fn readable_length(self, held: &str, fresh: &str) -> Option<usize> {
        let end = match self.unit {
            Some(unit) => unit.complete(fresh),
            None if self.overlap == 0 => fresh.len(),
            None => {
                let kept = held.chars().count() + fresh.chars().count();
                if kept > 2 * self.overlap {
                    fresh.len()
                } else {
                    0
                }
            }
        };
        (end > 0).then_some(end)
    }

    /// Returns where the part of a text that stays held back begins, in bytes.
    fn kept_start(self, text: &str) -> usize {
        match self.overlap.checked_sub(1) {
            None => text.len(),
            Some(last) => text
                .char_indices()
                .rev()
                .nth(last)
                .map_or(0, |(index, _)| index),
        }
    }
}

impl Unit {
    /// Returns where the complete units of a text end, in bytes.
    fn complete(self, text: &str) -> usize {
        let end = match self {
            Self::Line => text.rfind('\n').map_or(0, |index| index + 1),
            // The last sentence may not be complete yet.
            Self::Sentence => text
                .split_sentence_bound_indices()
                .last()
                .map_or(0, |(index, _)| index),
        };
        if end == 0 && text.len() >= MAX_UNIT_BYTES {
            text.len()
        } else {
            end
        }
    }
}

impl SessionHooks {
    /// Starts the flow of a response through `AfterModel` hooks that hold text back (AM-6) or read
    /// several chunks at once (AM-7). Returns `None` if hooks read every chunk as it arrives,
    /// through [`after_model`](Self::after_model).
    pub fn response_flow<R: ModelRequest>(&self, request: &Cleared<R>) -> Option<ResponseFlow> {
        let pace = Pace::of(&self.planned_hooks::<AfterModel>())?;
        Some(ResponseFlow {
            session: self.clone(),
            request: request.view(),
            pace,
            held: String::new(),
            fresh: String::new(),
            latest: LlmResponse::default(),
            is_news: false,
            handed_out: String::new(),
            stage: Stage::Open,
        })
    }
}

impl ResponseFlow {
    /// Adds the text of a chunk, as it arrived.
    pub fn push(&mut self, chunk: &LlmResponse) {
        self.fresh.push_str(&chunk.text);
        self.is_news |= chunk.usage_metadata.is_some()
            || chunk
                .candidates
                .first()
                .is_some_and(|candidate| candidate.finish_reason.is_some());
        self.latest = chunk.clone();
    }

    /// Marks the response as complete: the hooks read all text that was held back, and it is
    /// returned.
    pub fn finish(&mut self) {
        match &mut self.stage {
            Stage::Open => self.stage = Stage::Finished,
            Stage::Reading { is_last, .. } => *is_last = true,
            Stage::Finished | Stage::Over => {}
        }
    }

    /// Returns all text that was returned so far: the response as the user and the history have it.
    pub fn handed_out(&self) -> &str {
        &self.handed_out
    }

    /// Waits for the next text that may be shown and kept. While there is nothing to read, it
    /// waits; it returns `None` when everything was returned. The future may be dropped: hooks that
    /// are running continue at the next call.
    ///
    /// # Errors
    /// A hook refused or ended the loop, or the hooks were cancelled. The text that was held back
    /// is discarded.
    pub async fn passed(&mut self) -> Option<Result<String, FlowEnd>> {
        loop {
            if let Stage::Reading { outcome, .. } = &mut self.stage {
                let outcome = outcome.await;
                match self.leave(outcome) {
                    Ok(text) if text.is_empty() => {}
                    answer => return Some(answer),
                }
            }
            match &self.stage {
                Stage::Over => return None,
                Stage::Open => match self.pace.readable_length(&self.held, &self.fresh) {
                    Some(end) => self.read(end, false),
                    None => std::future::pending().await,
                },
                Stage::Finished if self.fresh.is_empty() && !self.is_news => {
                    self.stage = Stage::Over;
                    let rest = std::mem::take(&mut self.held);
                    if !rest.is_empty() {
                        self.handed_out.push_str(&rest);
                        return Some(Ok(rest));
                    }
                }
                Stage::Finished => self.read(self.fresh.len(), true),
                Stage::Reading { .. } => {}
            }
        }
    }

    /// Lets hooks read what is held back, and so many bytes of what is unread.
    fn read(&mut self, end: usize, is_last: bool) {
        let rest = self.fresh.split_off(end);
        let mut text = std::mem::take(&mut self.held);
        text.push_str(&std::mem::replace(&mut self.fresh, rest));
        let mut response = LlmResponse::of_text(text.as_str());
        if self.fresh.is_empty() {
            // Fields of the latest chunk other than its text go with the end of that text.
            self.is_news = false;
            response
                .usage_metadata
                .clone_from(&self.latest.usage_metadata);
            let said = self.latest.candidates.first();
            if let (Some(candidate), Some(said)) = (response.candidates.first_mut(), said) {
                let content = std::mem::take(&mut candidate.content);
                *candidate = said.clone();
                candidate.content = content;
            }
        }
        let input = AfterModelInput {
            llm_request: self.request.clone(),
            llm_response: response,
            full_content: format!("{}{text}", self.handed_out),
            content: text.clone(),
        };
        let session = self.session.clone();
        self.stage = Stage::Reading {
            outcome: Box::pin(async move { session.judge_text(input).await }),
            text,
            is_last,
        };
    }

    /// Takes what hooks left of a text, and returns the part of it that may be shown.
    fn leave(&mut self, outcome: Result<AfterModelOutcome, Cancelled>) -> Result<String, FlowEnd> {
        let Stage::Reading { text, is_last, .. } = std::mem::replace(&mut self.stage, Stage::Over)
        else {
            return Ok(String::new());
        };
        let mut left = match outcome? {
            AfterModelOutcome::Keep => text,
            AfterModelOutcome::Replace(given) => given.text.unwrap_or(text),
            AfterModelOutcome::Refuse(reason, cause) => {
                return Err(FlowEnd::Refused(reason, cause));
            }
            AfterModelOutcome::Stop(reason) => return Err(FlowEnd::Stopped(reason)),
        };
        self.held = left.split_off(self.pace.kept_start(&left));
        self.stage = if is_last {
            Stage::Finished
        } else {
            Stage::Open
        };
        self.handed_out.push_str(&left);
        Ok(left)
    }
}

impl fmt::Debug for ResponseFlow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text held back must not appear in debug output.
        formatter
            .debug_struct("ResponseFlow")
            .field("pace", &self.pace)
            .finish_non_exhaustive()
    }
}
