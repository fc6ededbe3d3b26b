//! The moments of an agent's work, independent of their names.

use hookloop_events::EventName;

/// The moment at which an agent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// A prompt was submitted.
    Prompt,
    /// A tool is about to run.
    BeforeTool,
    /// A tool ran.
    AfterTool,
    /// A turn is about to end.
    End,
    /// The history is about to be compressed.
    Compress,
    /// The person is about to be alerted.
    Alert,
    /// A sub-agent starts.
    SubAgentBegins,
    /// A sub-agent ends.
    SubAgentEnds,
    /// A settings file of the agent changed (BR-24).
    ConfigChange,
    /// Anything that isn't an event of ours.
    Nothing,
}

impl Moment {
    /// Returns our event for this moment.
    pub const fn event(self) -> Option<EventName> {
        match self {
            Self::SessionStart => Some(EventName::SessionStart),
            Self::SessionEnd => Some(EventName::SessionEnd),
            Self::Prompt => Some(EventName::BeforeAgent),
            Self::BeforeTool => Some(EventName::BeforeTool),
            Self::AfterTool => Some(EventName::AfterTool),
            Self::End => Some(EventName::AfterAgent),
            Self::Compress => Some(EventName::PreCompress),
            Self::Alert => Some(EventName::Notification),
            Self::SubAgentBegins | Self::SubAgentEnds | Self::ConfigChange | Self::Nothing => None,
        }
    }

    /// Returns whether an action waits for the answer, so that every failure must refuse it
    /// (BR-22).
    pub const fn refuses(self) -> bool {
        matches!(self, Self::Prompt | Self::BeforeTool | Self::ConfigChange)
    }
}
