//! A message for the user, with its kind.

use crate::hook_lines;

/// A message for the user, with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The kind.
    pub kind: NoticeKind,
    /// The text. Control characters are escaped when it is shown.
    pub text: String,
}

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Additional information.
    Info,
    /// The answer to a request.
    Answer,
    /// A hook's message (OUT-1).
    Hook,
    /// A warning.
    Warning,
    /// An error.
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

    /// Creates a warning, with the usual prefix.
    pub fn warning(text: &str) -> Self {
        Self::new(NoticeKind::Warning, hook_lines::warning(text))
    }
}
