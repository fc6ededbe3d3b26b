//! The port for tracing: each run of a hook gets a span, as a child of the host's step that the
//! event belongs to (TE-3).
//!
//! The engine doesn't know any tracing system. It starts, fills in and ends spans; the
//! implementation of [`Span`] assigns their ids and exports them. Spans never contain what a hook
//! read or wrote.

use std::sync::Arc;

use hookloop_events::{EventName, SessionIdentity};
use hookloop_hook::HookDeclaration;

use crate::record::{RunRecord, RunResult};

/// A span of a trace, or the root of traces (TE-3).
pub trait Span: Send + Sync {
    /// Starts a child span.
    fn begin(&self, start: SpanStart) -> Arc<dyn Span>;

    /// Ends this span; only the first call has an effect.
    fn end(&self, end: SpanEnd);

    /// Returns the W3C `traceparent` that makes a process's own spans children of this one. The
    /// root of traces has none.
    fn trace_parent(&self) -> Option<String>;
}

/// What is known when a span starts.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanStart {
    /// The name.
    pub name: &'static str,
    /// The kind of work.
    pub kind: SpanKind,
    /// The attributes that are known at its start.
    pub attributes: Vec<SpanAttribute>,
}

/// The kind of work that a span covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpanKind {
    /// Work of this program.
    Internal,
    /// A request to a server.
    Client,
}

/// What is known when a span ends.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpanEnd {
    /// The attributes that became known since its start.
    pub attributes: Vec<SpanAttribute>,
    /// The kind of error that it ended with, in one word.
    pub error: Option<String>,
}

/// An attribute of a span.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanAttribute {
    /// The name.
    pub name: &'static str,
    /// The value.
    pub value: SpanValue,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SpanValue {
    /// A text.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// A number.
    Integer(i64),
    /// A boolean.
    Flag(bool),
}

impl SpanAttribute {
    /// Creates an attribute.
    pub fn new(name: &'static str, value: impl Into<SpanValue>) -> Self {
        Self {
            name,
            value: value.into(),
        }
    }
}

impl From<&str> for SpanValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for SpanValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<String>> for SpanValue {
    fn from(texts: Vec<String>) -> Self {
        Self::Texts(texts)
    }
}

impl From<i64> for SpanValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u64> for SpanValue {
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<bool> for SpanValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

/// A span that has started. If it is dropped before it was ended, nobody waited for its work, and
/// it ends as abandoned. Without tracing it is empty and costs nothing.
#[must_use = "a span that is dropped ends as abandoned"]
pub struct OpenSpan {
    span: Option<Arc<dyn Span>>,
    /// The attribute that says how it ended.
    ending: &'static str,
}

impl OpenSpan {
    /// Begins a span of a session below another one, if there is tracing.
    pub(crate) fn below(
        parent: Option<&Arc<dyn Span>>,
        session: &SessionIdentity,
        start: impl FnOnce() -> SpanStart,
    ) -> Self {
        let span = parent.map(|parent| {
            let mut start = start();
            start.attributes.extend(session_attributes(session));
            parent.begin(start)
        });
        Self {
            span,
            ending: "hookloop.ending",
        }
    }

    /// Begins the span of a hook's run.
    pub(crate) fn for_run(
        parent: Option<&Arc<dyn Span>>,
        session: &SessionIdentity,
        event: EventName,
        hook: &HookDeclaration,
    ) -> Self {
        let start = || SpanStart {
            name: "hookloop.hook",
            kind: SpanKind::Internal,
            attributes: vec![
                SpanAttribute::new("hook.name", hook.label()),
                SpanAttribute::new("hook.source", hook.source.to_string()),
                SpanAttribute::new("hook.event", event.to_string()),
                SpanAttribute::new("hook.type", hook.handler.type_name()),
            ],
        };
        let mut open = Self::below(parent, session, start);
        open.ending = ENDING;
        open
    }

    pub(crate) fn span(&self) -> Option<&Arc<dyn Span>> {
        self.span.as_ref()
    }

    /// Returns what a process below this span gets about it.
    pub(crate) fn trace_parent(&self) -> Option<String> {
        self.span.as_ref()?.trace_parent()
    }

    /// Ends the span. Without tracing, `end` isn't called.
    pub fn end(mut self, end: impl FnOnce() -> SpanEnd) {
        if let Some(span) = self.span.take() {
            span.end(end());
        }
    }

    /// Ends the span of a hook's run: its decision and its ending, and nothing of what it said.
    pub(crate) fn end_run(self, record: &RunRecord) {
        self.end(|| {
            let mut attributes = vec![
                SpanAttribute::new("hook.decision", decision(record.result)),
                SpanAttribute::new(ENDING, record.ending.kind()),
                SpanAttribute::new("hook.run_id", record.run_id.as_str()),
            ];
            if let Some(code) = record.ending.exit_code() {
                attributes.push(SpanAttribute::new("hook.exit_code", i64::from(code)));
            }
            if let Some(signal) = record.ending.signal() {
                attributes.push(SpanAttribute::new("hook.signal", signal.to_string()));
            }
            SpanEnd {
                attributes,
                error: record.failure.as_ref().map(|it| it.kind().to_owned()),
            }
        });
    }
}

const ENDING: &str = "hook.ending";

impl Drop for OpenSpan {
    fn drop(&mut self) {
        if let Some(span) = self.span.take() {
            span.end(SpanEnd {
                attributes: vec![SpanAttribute::new(self.ending, "abandoned")],
                error: None,
            });
        }
    }
}

/// Returns a run's effect for the host: a hook that failed without a say decided nothing.
const fn decision(result: RunResult) -> &'static str {
    match result {
        RunResult::Proceed => "proceed",
        RunResult::Ask => "ask",
        RunResult::Refused => "deny",
        RunResult::Stopped => "stop",
        RunResult::Failed => "none",
    }
}

/// Returns the attributes that say whose span it is.
fn session_attributes(session: &SessionIdentity) -> impl Iterator<Item = SpanAttribute> {
    let id = session.session_id.as_str();
    let of_all = [
        SpanAttribute::new("session.id", id),
        SpanAttribute::new("gen_ai.conversation.id", id),
    ];
    let of_agent = session.agent.iter().flat_map(|agent| {
        [
            SpanAttribute::new("gen_ai.agent.id", agent.agent_id.as_str()),
            SpanAttribute::new("gen_ai.agent.name", agent.agent_name.as_str()),
        ]
    });
    of_all.into_iter().chain(of_agent)
}
