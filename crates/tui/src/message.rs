//! What happens in a session, as the screen's own values.

use hookloop_agent::{Consent, LiveFate, SessionEvent, ToolEnd};
use hookloop_engine::{Concluded, SkipCause};
use hookloop_events::{EventName, ToolCall};
use hookloop_hook::{HookDeclaration, HookId, Layer};
use hookloop_text::{Notice, NoticeKind, hook_lines};
use hookloop_tools::ErrorKind;
use tokio::sync::oneshot;

use crate::call_text::Summary;
use crate::hook_messages::{HookRun, runs_of};
use crate::question::Question;
use crate::questionnaire::Answers;

/// Something that the screen is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// Text of the model.
    ModelText(String),
    /// The response is complete.
    ResponseEnded,
    /// A tool was requested.
    ToolRequested(CallLine),
    /// A running tool has output.
    ToolProgress { call_id: String, text: String },
    /// A tool call is finished.
    ToolFinished(FinishedTool),
    /// A hook starts.
    HookStarted(HookLine),
    /// A hook ended.
    HookFinished(HookKey),
    /// The hooks of an event ended, with what they said.
    HooksSaid(Vec<HookRun>),
    /// A notice.
    Said(Notice),
    /// The user is asked.
    Asked(Box<Question>, oneshot::Sender<Consent>),
    /// The model asks the user.
    Questioned(Vec<hookloop_tools::Question>, oneshot::Sender<Answers>),
    /// Ctrl+C, if it is a signal and not a key (LO-4).
    Interrupted,
    /// The terminal or the system ends the session.
    Terminated,
}

/// A call in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallLine {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// What it is about.
    pub(crate) summary: Summary,
}

/// A finished tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FinishedTool {
    pub(crate) call: CallLine,
    pub(crate) display: String,
    /// What went wrong.
    pub(crate) error: Option<String>,
    /// Whether it was cancelled, so that its output may stay.
    pub(crate) was_cut_short: bool,
}

/// Distinguishes running hooks.
pub(crate) type HookKey = (EventName, HookId);

/// A running hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookLine {
    pub(crate) key: HookKey,
    /// Such as "Executing hook: guard (1/2)".
    pub(crate) text: String,
}

impl From<&ToolCall> for CallLine {
    fn from(call: &ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            tool: call.name.clone(),
            summary: Summary::of(&call.arguments),
        }
    }
}

impl From<&ToolEnd<'_>> for FinishedTool {
    fn from(end: &ToolEnd<'_>) -> Self {
        let name = &end.call.name;
        let worded = |message: &str| format!("Error executing tool {name}: {message}");
        Self {
            call: CallLine::from(end.call),
            display: end.display.to_owned(),
            error: end.error.map(|error| worded(&error.message)),
            was_cut_short: end.live == LiveFate::Stands
                && end.error.is_some_and(|it| it.kind == ErrorKind::Cancelled),
        }
    }
}

impl HookLine {
    /// Describes that a hook runs, with its number among several, in its own words if it has any
    /// (HT-3); hooks of the system stay unnamed (ST-8).
    pub(crate) fn new(event: EventName, hook: &HookDeclaration, number: usize, of: usize) -> Self {
        let shown_name = (hook.source.layer != Some(Layer::System)).then(|| hook.label());
        let text = match &hook.status_message {
            Some(message) => hook_lines::status(message, shown_name, number, of),
            None => hook_lines::executing(shown_name, number, of),
        };
        Self {
            key: (event, hook.id.clone()),
            text,
        }
    }
}

impl Message {
    /// Converts what the agent shows.
    pub(crate) fn from_event(event: &SessionEvent<'_>) -> Self {
        Self::Said(match event {
            SessionEvent::ModelText(text) => return Self::ModelText((*text).to_owned()),
            SessionEvent::AnswerIncomplete(half) if half.needs_words() => {
                Notice::new(NoticeKind::Warning, half.note())
            }
            SessionEvent::ResponseEnded | SessionEvent::AnswerIncomplete(_) => {
                return Self::ResponseEnded;
            }
            SessionEvent::ToolRequested(call) => return Self::ToolRequested(CallLine::from(*call)),
            SessionEvent::ToolProgress { call_id, text } => {
                return Self::ToolProgress {
                    call_id: (*call_id).to_owned(),
                    text: (*text).to_owned(),
                };
            }
            // Of the held lines, only the number is shown (AT-1).
            SessionEvent::ToolProgressHeld { call_id, lines } => {
                return Self::ToolProgress {
                    call_id: (*call_id).to_owned(),
                    text: format!("{lines} lines, held back until hooks have answered\n"),
                };
            }
            SessionEvent::AnswerDropped { why, .. } => Notice::warning(why),
            SessionEvent::ToolFinished(end) => return Self::ToolFinished(FinishedTool::from(end)),
            SessionEvent::Blocked(reason) => {
                Notice::warning(&format!("Agent execution blocked: {reason}"))
            }
            SessionEvent::Stopped(reason) => {
                let text = format!("Agent execution stopped: {reason}");
                Notice::new(NoticeKind::Warning, text)
            }
            SessionEvent::Retrying(reason) => Notice::warning(&format!(
                "the response was rejected, the agent tries again: {reason}"
            )),
            SessionEvent::Compressed { before, after } => {
                let text =
                    format!("Chat history compressed from about {before} to {after} tokens.");
                Notice::new(NoticeKind::Info, text)
            }
            SessionEvent::Cancelled => Notice::new(NoticeKind::Warning, "Request cancelled."),
            SessionEvent::Warning(text) => Notice::warning(text),
            SessionEvent::Failed(why) => Notice::new(NoticeKind::Error, format!("Error: {why}")),
            SessionEvent::SubAgent { identity, event } => {
                return Self::from_event(event).by(&identity.agent_name);
            }
        })
    }

    /// Names the sub-agent to which something belongs (TO-4).
    fn by(self, agent: &str) -> Self {
        let named = |text: &str| format!("{agent}: {text}");
        let by_agent = |call: CallLine| CallLine {
            tool: named(&call.tool),
            ..call
        };
        match self {
            Self::ToolRequested(call) => Self::ToolRequested(by_agent(call)),
            Self::ToolFinished(end) => Self::ToolFinished(FinishedTool {
                call: by_agent(end.call),
                ..end
            }),
            Self::Said(notice) => Self::Said(Notice::new(notice.kind, named(&notice.text))),
            other => other,
        }
    }

    /// Converts what hooks said, and what of it had no effect.
    pub(crate) fn from_conclusion(concluded: &Concluded) -> impl Iterator<Item = Self> {
        let messages = concluded.messages.iter().map(|message| {
            Notice::new(NoticeKind::Hook, hook_lines::system_message(&message.text))
        });
        let notices = concluded.notices.iter().map(|notice| {
            Notice::warning(&hook_lines::notice(
                &notice.hook,
                &notice.source,
                &notice.text,
            ))
        });
        let runs = Self::HooksSaid(runs_of(concluded));
        std::iter::once(runs).chain(messages.chain(notices).map(Self::Said))
    }

    /// Converts that a hook is a duplicate of another one and yet differs (PL-7); other causes are
    /// reported when the session starts.
    pub(crate) fn from_skipped(hook: &HookDeclaration, cause: &SkipCause) -> Option<Self> {
        matches!(cause, SkipCause::Shadowed(_)).then(|| {
            Self::Said(Notice::warning(&hook_lines::not_run(
                hook.label(),
                &hook.source,
                &cause.message(),
            )))
        })
    }
}
