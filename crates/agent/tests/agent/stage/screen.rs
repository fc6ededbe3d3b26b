//! A screen that records what it was shown, and a user who answers as a test specifies.

use std::collections::VecDeque;
use std::sync::Mutex;

use hookloop_agent::{Audience, Confirmation, Consent, Frontend, Half, LiveFate, SessionEvent};
use hookloop_engine::BoxFuture;
use hookloop_events::ToolCall;
use serde_json::{Value, json};

use super::{Log, Step};

/// What was shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shown {
    Text(String),
    ResponseEnded,
    Dropped(String, String),
    Incomplete(Half),
    Requested(String),
    Progress(String),
    Held(usize),
    Finished {
        tool: String,
        display: String,
        error: Option<String>,
        live: LiveFate,
    },
    Blocked(String),
    Stopped(String),
    Retrying(String),
    Compressed,
    Cancelled,
    Warning(String),
    Failed(String),
    OfAgent(String, Box<Shown>),
}

type Decide = Box<dyn Fn(&Value) -> Consent + Send + Sync>;

/// The screen.
pub(crate) struct Screen {
    shown: Mutex<Vec<Shown>>,
    /// What the user answers, question by question; yes to everything that isn't specified.
    answers: Mutex<VecDeque<Consent>>,
    decide: Option<Decide>,
    audience: Audience,
    log: Log,
    reasons: Mutex<Vec<Option<String>>>,
    typed: Mutex<Vec<String>>,
    for_session: Mutex<Vec<Option<String>>>,
}

impl Default for Screen {
    fn default() -> Self {
        Self {
            shown: Mutex::default(),
            answers: Mutex::default(),
            decide: None,
            audience: Audience::Present,
            log: Log::default(),
            reasons: Mutex::default(),
            typed: Mutex::default(),
            for_session: Mutex::default(),
        }
    }
}

impl Screen {
    /// A user who answers like this.
    pub(crate) fn answering(answers: impl IntoIterator<Item = Consent>) -> Self {
        Self {
            answers: Mutex::new(answers.into_iter().collect()),
            ..Self::default()
        }
    }

    /// A user who answers depending on the arguments.
    pub(crate) fn deciding(decide: impl Fn(&Value) -> Consent + Send + Sync + 'static) -> Self {
        Self {
            decide: Some(Box::new(decide)),
            ..Self::default()
        }
    }

    /// Nobody is there.
    pub(crate) fn headless() -> Self {
        Self {
            audience: Audience::Absent,
            ..Self::default()
        }
    }

    pub(crate) fn with_log(self, log: Log) -> Self {
        Self { log, ..self }
    }

    pub(crate) fn shown(&self) -> Vec<Shown> {
        self.shown.lock().unwrap().clone()
    }

    /// Returns why the user was asked, question by question.
    pub(crate) fn reasons(&self) -> Vec<Option<String>> {
        self.reasons.lock().unwrap().clone()
    }

    /// Returns what the user could allow for the session, question by question.
    pub(crate) fn for_session(&self) -> Vec<Option<String>> {
        self.for_session.lock().unwrap().clone()
    }

    /// Returns the commands that count as typed by a person.
    pub(crate) fn typed(&self) -> Vec<String> {
        self.typed.lock().unwrap().clone()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let shown = self.shown().into_iter();
        let warnings = shown.filter_map(|it| match it {
            Shown::Warning(text) => Some(text),
            _ => None,
        });
        warnings.collect()
    }

    /// Returns the model's text as it was shown, without what was removed.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for shown in self.shown() {
            match shown {
                Shown::Text(more) => text.push_str(&more),
                Shown::Dropped(dropped, _) => {
                    let kept = text.strip_suffix(&dropped).unwrap().to_owned();
                    text = kept;
                }
                _ => {}
            }
        }
        text
    }

    /// Returns the ends of tool calls: the tool, what was shown, and the error.
    pub(crate) fn ends(&self) -> Vec<(String, String, Option<String>)> {
        let shown = self.shown().into_iter();
        let ends = shown.filter_map(|it| match it {
            Shown::Finished {
                tool,
                display,
                error,
                ..
            } => Some((tool, display, error)),
            _ => None,
        });
        ends.collect()
    }
}

fn shown(event: &SessionEvent<'_>) -> Shown {
    match event {
        SessionEvent::ModelText(text) => Shown::Text((*text).to_owned()),
        SessionEvent::ResponseEnded => Shown::ResponseEnded,
        SessionEvent::AnswerDropped { text, why } => {
            Shown::Dropped((*text).to_owned(), (*why).to_owned())
        }
        SessionEvent::AnswerIncomplete(half) => Shown::Incomplete((*half).clone()),
        SessionEvent::ToolRequested(call) => Shown::Requested(call.name.clone()),
        SessionEvent::ToolProgress { text, .. } => Shown::Progress((*text).to_owned()),
        SessionEvent::ToolProgressHeld { lines, .. } => Shown::Held(*lines),
        SessionEvent::ToolFinished(end) => Shown::Finished {
            tool: end.call.name.clone(),
            display: end.display.to_owned(),
            error: end.error.map(|error| error.message.clone()),
            live: end.live,
        },
        SessionEvent::Blocked(reason) => Shown::Blocked(reason.to_string()),
        SessionEvent::Stopped(reason) => Shown::Stopped(reason.to_string()),
        SessionEvent::Retrying(reason) => Shown::Retrying(reason.to_string()),
        SessionEvent::Compressed { .. } => Shown::Compressed,
        SessionEvent::Cancelled => Shown::Cancelled,
        SessionEvent::Warning(text) => Shown::Warning((*text).to_owned()),
        SessionEvent::Failed(why) => Shown::Failed((*why).to_owned()),
        SessionEvent::SubAgent { identity, event } => {
            Shown::OfAgent(identity.agent_name.clone(), Box::new(shown(event)))
        }
    }
}

impl Frontend for Screen {
    fn show(&self, event: &SessionEvent<'_>) {
        self.shown.lock().unwrap().push(shown(event));
    }

    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        let arguments = json!(request.call.arguments);
        let decided = self.decide.as_ref().map(|decide| decide(&arguments));
        self.log
            .push(Step::Confirmed(request.call.name.clone(), arguments));
        let reason = request.reason.map(ToString::to_string);
        self.reasons.lock().unwrap().push(reason);
        let for_session = request.for_session.map(ToString::to_string);
        self.for_session.lock().unwrap().push(for_session);
        let answer = match self.audience {
            Audience::Absent => Consent::Nobody,
            Audience::Present => {
                let next = self.answers.lock().unwrap().pop_front();
                decided.or(next).unwrap_or(Consent::Given)
            }
        };
        Box::pin(async { answer })
    }

    fn typed_by_person(&self, call: &ToolCall) {
        let command = call.arguments.get("command").and_then(Value::as_str);
        self.typed
            .lock()
            .unwrap()
            .push(command.unwrap_or_default().to_owned());
    }

    fn audience(&self) -> Audience {
        self.audience
    }
}
