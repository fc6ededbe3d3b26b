//! What is known about an event without its types.
//!
//! A generic function is compiled once for each of the eleven events. What only compares words
//! takes these instead, and is compiled once.

use hookloop_events::{Event, EventName, OtherFields};

/// The words of an event, and what becomes of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vocabulary {
    pub(crate) event: EventName,
    /// The fields of `hookSpecificOutput` that the event knows (OUT-6).
    pub(crate) own_fields: &'static [&'static str],
    /// The meaning of other fields there.
    pub(crate) other_fields: OtherFields,
    /// The fields there with which a hook replaces what is judged (IO-26).
    pub(crate) changes: &'static [&'static str],
    /// Whether the user sees what hooks report (OUT-1, TS-3).
    pub(crate) shows_messages: bool,
    /// Whether a hook's question reaches the user (BT-5).
    pub(crate) asks_user: bool,
}

impl Vocabulary {
    /// Returns the words of an event.
    pub(crate) const fn of<E: Event>() -> Self {
        Self {
            event: E::NAME,
            own_fields: E::OWN_FIELDS,
            other_fields: E::OTHER_FIELDS,
            changes: E::CHANGES,
            shows_messages: E::SHOWS_MESSAGES,
            asks_user: E::ASKS_USER,
        }
    }
}
