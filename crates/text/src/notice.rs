//! A message for the user, with what it is.

use crate::hook_lines;

/// A message for the user, with what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it is.
    pub kind: NoticeKind,
    /// The text; control characters in it are escaped when it is shown.
    pub text: String,
}

/// What a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Beside the point.
    Info,
    /// What was asked for.
    Answer,
    /// A hook's message (OUT-1).
    Hook,
    /// To look at.
    Warning,
    /// Wrong.
    Error,
}

impl Notice {
    /// Creates a notice.
    pub fn new(kind: NoticeKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    /// Creates a warning, marked as one.
    pub fn warning(text: &str) -> Self {
        Self::new(NoticeKind::Warning, hook_lines::warning(text))
    }
}
