//! Identities of hooks.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::event_name::EventName;

/// Identifies a hook: the same for the same configuration, whatever its line (`cli-json.md`, "Hook").
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HookId(Arc<str>);

impl HookId {
    /// Reads an identity as it was minted or printed.
    pub fn from_text(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// Identifies a closure of the host by what it was registered under.
    pub fn in_process(event: EventName, name: &str) -> Self {
        Self(Arc::from(format!("in-process:{event}:{name}")))
    }

    /// Returns the identity as it is printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for HookId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
