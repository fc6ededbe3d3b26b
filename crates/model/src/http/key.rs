//! API keys, which are never shown.

use std::fmt;

/// A key for a model's server. It appears neither in debug output nor in errors.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// What is in the place of a key.
const HIDDEN: &str = "[key]";

/// Shorter texts aren't keys worth hiding, and would riddle messages with holes.
const MIN_LENGTH: usize = 4;

impl ApiKey {
    /// Creates a key. White space around it is removed.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    /// Returns whether the key is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the key itself, for the request's header.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Hides the key in a text that came from elsewhere.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.0.len() < MIN_LENGTH {
            return text.to_owned();
        }
        text.replace(&self.0, HIDDEN)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}
