//! The ids of hooks.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::event_name::EventName;

/// The id of a hook. It depends on the configuration, not on the line (`cli-json.md`, "Hook").
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HookId(Arc<str>);

impl HookId {
    /// Parses an id, as printed.
    pub fn from_text(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// Creates the id of a closure of the host, from the name that it was registered with.
    pub fn in_process(event: EventName, name: &str) -> Self {
        Self(Arc::from(format!("in-process:{event}:{name}")))
    }

    /// Returns the id as text.
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
