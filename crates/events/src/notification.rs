//! `Notification`: fires when the user is about to be alerted (NO-1…2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::advisory::Advisory;
use hookloop_hook::EventName;

/// The user is about to be alerted.
#[derive(Debug, Clone, Copy)]
pub struct Notification;

/// What the alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum NotificationType {
    /// A tool needs permission.
    ToolPermission,
}

impl NotificationType {
    /// Returns the word, as in payloads.
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
    /// The alert, as a sentence.
    pub message: String,
    /// The tool's name and kind, and the question.
    pub details: Value,
}

impl Advisory for Notification {
    const NAME: EventName = EventName::Notification;
    type Input = NotificationInput;
    const ACTION: &'static str = "the alert is shown";

    fn subject(input: &Self::Input) -> &str {
        input.notification_type.as_str()
    }
}
