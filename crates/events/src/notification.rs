//! `Notification`: fires when the user is about to be alerted (NO-1…2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{Attributed, Event, Merged, Summary, sealed::Sealed};
use crate::name::EventName;
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};

/// The event when the user is about to be alerted.
#[derive(Debug, Clone, Copy)]
pub struct Notification;

/// What the alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotificationType {
    /// A tool needs a permission.
    ToolPermission,
}

impl NotificationType {
    /// Returns the word in the payload.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolPermission => "ToolPermission",
        }
    }
}

/// What a `Notification` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotificationInput {
    /// What the alert is about.
    pub notification_type: NotificationType,
    /// The alert in a sentence.
    pub message: String,
    /// The tool's name and kind, and what is asked.
    pub details: Value,
}

/// What a `Notification` hook may say beside a message for the user: nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct NotificationAnswer;

impl Sealed for Notification {}

impl Event for Notification {
    const NAME: EventName = EventName::Notification;
    type Input = NotificationInput;
    type Answer = NotificationAnswer;
    /// Nothing to apply.
    type Outcome = ();

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(input.notification_type.as_str())
    }

    fn decode(_reply: &Reply, _hook: &str) -> Result<Self::Answer, Malformed> {
        Ok(NotificationAnswer)
    }

    fn refusal(_reason: Reason, _cause: Cause) -> Option<Self::Answer> {
        None
    }

    fn merge(
        _input: &Self::Input,
        _answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let summary = Summary::of_proceeding("the alert is shown");
        Merged {
            outcome: (),
            summary,
            conflicts: Vec::new(),
        }
    }
}
