//! The event and the subject of a question.

use hookloop_engine as engine;
use hookloop_events::EventName;
use hookloop_settings::event_meant_by;

use crate::failure::{CommandFailure, FailureCode};
use crate::near_matches::near_matches;

/// Reads an event's name (ST-3: names are case-sensitive).
pub fn event(name: &str) -> Result<EventName, CommandFailure> {
    name.parse()
        .map_err(|error: hookloop_events::UnknownEvent| {
            let meant = match event_meant_by(name) {
                Some(meant) => vec![meant.as_str().to_owned()],
                None => near_matches(name, &EventName::ALL.map(EventName::as_str)),
            };
            CommandFailure::new(FailureCode::UnknownEvent, error.to_string()).with_candidates(meant)
        })
}

/// Says what matchers are compared with, as far as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The event has none (PL-4).
    None,
    /// It was not given.
    Unknown,
    /// It was given.
    Known {
        /// The field of the payload.
        field: &'static str,
        /// Its value.
        value: &'a str,
    },
}

impl<'a> Subject<'a> {
    /// Returns the subject as the engine takes it.
    pub const fn for_engine(self) -> engine::Subject<'a> {
        match self {
            Self::None => engine::Subject::Known(""),
            Self::Unknown => engine::Subject::Unknown,
            Self::Known { value, .. } => engine::Subject::Known(value),
        }
    }
}
