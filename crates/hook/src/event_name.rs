//! The names of the eleven events.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::policy::Dialect;

/// One of the eleven moments at which hooks fire (`hooks.md` §1).
///
/// The variants are in the order of the table there, which is the order of all listings.
///
/// Deliberately exhaustive: for each event, a host must know what a refusal prevents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventName {
    /// A session starts, is resumed, or starts again after `/clear`.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The user submitted a prompt; the agent hasn't begun to plan.
    BeforeAgent,
    /// The turn has its final response.
    AfterAgent,
    /// A request is about to go to the model.
    BeforeModel,
    /// The tools of a request are about to be fixed.
    BeforeToolSelection,
    /// A chunk of the model's response arrived.
    AfterModel,
    /// A tool is about to run.
    BeforeTool,
    /// A tool ran.
    AfterTool,
    /// The history is about to be compressed.
    PreCompress,
    /// The user is about to be alerted.
    Notification,
}

/// How the matcher of an event is interpreted (PL-1, PL-3, PL-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A tool's name; the matcher is a regular expression (PL-1).
    Tool,
    /// One of a closed set of words; the matcher is exact text, or words joined by `|` (PL-3).
    Word,
    /// The event has no subject; its matcher is ignored (PL-4).
    None,
}

/// What a hook can prevent at its event (`hooks.md` §1, FD-21).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusing {
    /// Nothing.
    Never,
    /// Whatever follows, but only by ending the run in its reply.
    ByStopping,
    /// The event's action, by any kind of refusal.
    Always,
}

impl EventName {
    /// All events, in listing order.
    pub const ALL: [Self; 11] = [
        Self::SessionStart,
        Self::SessionEnd,
        Self::BeforeAgent,
        Self::AfterAgent,
        Self::BeforeModel,
        Self::BeforeToolSelection,
        Self::AfterModel,
        Self::BeforeTool,
        Self::AfterTool,
        Self::PreCompress,
        Self::Notification,
    ];

    /// Returns the name, as in settings and payloads.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::BeforeAgent => "BeforeAgent",
            Self::AfterAgent => "AfterAgent",
            Self::BeforeModel => "BeforeModel",
            Self::BeforeToolSelection => "BeforeToolSelection",
            Self::AfterModel => "AfterModel",
            Self::BeforeTool => "BeforeTool",
            Self::AfterTool => "AfterTool",
            Self::PreCompress => "PreCompress",
            Self::Notification => "Notification",
        }
    }

    /// Returns the index in [`EventName::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns whether a hook of this event may refuse the event's action (`hooks.md` §1, "may").
    ///
    /// ```
    /// use hookloop_hook::EventName;
    ///
    /// let event: EventName = "BeforeTool".parse()?;
    /// assert!(event.can_refuse());
    /// assert!(!EventName::Notification.can_refuse());
    /// # Ok::<_, hookloop_hook::UnknownEvent>(())
    /// ```
    pub const fn can_refuse(self) -> bool {
        matches!(
            self,
            Self::BeforeAgent
                | Self::AfterAgent
                | Self::BeforeModel
                | Self::AfterModel
                | Self::BeforeTool
                | Self::AfterTool
        )
    }

    /// Returns what a hook of a dialect can prevent. Hooks of other agents can refuse more than
    /// ours, because their agents obey it: the compression of the history, and whatever follows the
    /// start of a session (FD-20, FD-21).
    pub const fn refusing(self, dialect: Dialect) -> Refusing {
        match (self, dialect) {
            _ if self.can_refuse() => Refusing::Always,
            (_, Dialect::Hookloop | Dialect::GeminiCli) => Refusing::Never,
            (Self::PreCompress, _) => Refusing::Always,
            (Self::SessionStart, _) => Refusing::ByStopping,
            _ => Refusing::Never,
        }
    }

    /// Returns whether an action follows that nobody has checked if the event's hooks couldn't
    /// (IO-21).
    pub const fn is_before_action(self) -> bool {
        matches!(
            self,
            Self::BeforeTool | Self::BeforeAgent | Self::BeforeModel
        )
    }

    /// Returns how matchers of this event are interpreted.
    pub const fn subject_kind(self) -> SubjectKind {
        match self {
            Self::BeforeTool | Self::AfterTool => SubjectKind::Tool,
            Self::SessionStart | Self::SessionEnd | Self::PreCompress | Self::Notification => {
                SubjectKind::Word
            }
            _ => SubjectKind::None,
        }
    }

    /// Returns the field of the payload that matchers are compared with, if the event has a
    /// subject.
    pub const fn subject_field(self) -> Option<&'static str> {
        match self {
            Self::BeforeTool | Self::AfterTool => Some("tool_name"),
            Self::SessionStart => Some("source"),
            Self::SessionEnd => Some("reason"),
            Self::PreCompress => Some("trigger"),
            Self::Notification => Some("notification_type"),
            _ => None,
        }
    }

    /// Returns the possible subjects, for events of [`SubjectKind::Word`].
    pub const fn subject_words(self) -> &'static [&'static str] {
        match self {
            Self::SessionStart => &["startup", "resume", "clear"],
            Self::SessionEnd => &["exit", "clear", "logout", "prompt_input_exit", "other"],
            Self::PreCompress => &["auto", "manual"],
            Self::Notification => &["ToolPermission"],
            _ => &[],
        }
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A text that isn't the name of an event. Names are case-sensitive (ST-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEvent(pub String);

impl fmt::Display for UnknownEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "unknown event \"{}\"", self.0)
    }
}

impl std::error::Error for UnknownEvent {}

impl FromStr for EventName {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|event| event.as_str() == text)
            .ok_or_else(|| UnknownEvent(text.to_owned()))
    }
}
