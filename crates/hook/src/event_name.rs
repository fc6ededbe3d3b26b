//! The names of the eleven events.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::policy::Dialect;

/// Names one of the eleven moments at which hooks fire (`hooks.md` §1).
///
/// The order of the variants is the order of the table there, and so of every listing.
///
/// It is exhaustive on purpose: whoever hosts hooks must know of each event what a refusal keeps from
/// happening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventName {
    /// A session starts, is resumed, or starts again after `/clear`.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The user submitted a prompt; the agent has not begun to plan.
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

/// How the matcher of an event is read (PL-1, PL-3, PL-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A tool's name; the matcher is a regular expression (PL-1).
    Tool,
    /// A word of a closed set; the matcher is exact text, or words joined by `|` (PL-3).
    Word,
    /// The event has no subject, its matcher is ignored (PL-4).
    None,
}

/// Says what a hook can keep from happening at its event (`hooks.md` §1, FD-21).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusing {
    /// Nothing.
    Never,
    /// What follows, by ending the run in its reply; nothing in another way.
    ByStopping,
    /// The event's action, in every way in which a hook refuses.
    Always,
}

impl EventName {
    /// All events, in the order of listings.
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

    /// Returns the name as settings and payloads spell it.
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

    /// Returns the position in [`EventName::ALL`].
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

    /// Says what a hook of a dialect can keep from happening. Those of other agents refuse more than ours,
    /// since their agents obey it: the compression of the history, and what follows the start of a session
    /// (FD-20, FD-21).
    pub const fn refusing(self, dialect: Dialect) -> Refusing {
        match (self, dialect) {
            _ if self.can_refuse() => Refusing::Always,
            (_, Dialect::Hookloop | Dialect::GeminiCli) => Refusing::Never,
            (Self::PreCompress, _) => Refusing::Always,
            (Self::SessionStart, _) => Refusing::ByStopping,
            _ => Refusing::Never,
        }
    }

    /// Returns whether something is about to happen that nobody has looked at if its hooks could not
    /// (IO-21).
    pub const fn is_before_action(self) -> bool {
        matches!(
            self,
            Self::BeforeTool | Self::BeforeAgent | Self::BeforeModel
        )
    }

    /// Says how matchers of this event are read.
    pub const fn subject_kind(self) -> SubjectKind {
        match self {
            Self::BeforeTool | Self::AfterTool => SubjectKind::Tool,
            Self::SessionStart | Self::SessionEnd | Self::PreCompress | Self::Notification => {
                SubjectKind::Word
            }
            _ => SubjectKind::None,
        }
    }

    /// Returns the payload's field that matchers are compared with, if the event has a subject.
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

    /// Returns the words that the subject can be, for events of [`SubjectKind::Word`].
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

/// Says that a text names no event; names are case-sensitive (ST-3).
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
