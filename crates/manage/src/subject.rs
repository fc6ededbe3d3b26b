//! The event and the subject of a command.

use hookloop_engine as engine;
use hookloop_events::{EventName, SubjectKind};
use hookloop_settings::event_from_foreign_name;

use crate::failure::{CommandFailure, FailureCode};
use crate::near_matches::near_matches;

/// Reads an event's name (ST-3: names are case-sensitive).
pub fn event(name: &str) -> Result<EventName, CommandFailure> {
    name.parse()
        .map_err(|error: hookloop_events::UnknownEvent| {
            let meant = match event_from_foreign_name(name) {
                Some(meant) => vec![meant.as_str().to_owned()],
                None => near_matches(name, &EventName::ALL.map(EventName::as_str)),
            };
            let mut message = error.to_string();
            if meant.is_empty() {
                let all = EventName::ALL.map(EventName::as_str).join(", ");
                message.extend(["; the events are ", &all]);
            }
            CommandFailure::new(FailureCode::UnknownEvent, message).with_candidates(meant)
        })
}

/// The subject that matchers are compared with, if it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// The event has none (PL-4).
    None,
    /// It wasn't given.
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
    /// Determines the subject from the values of `--tool` and `--trigger`. A subject that the event
    /// doesn't have, or a value that never occurs, is an error.
    pub fn from_arguments(
        event: EventName,
        tool: Option<&'a str>,
        trigger: Option<&'a str>,
    ) -> Result<Self, CommandFailure> {
        let kind = event.subject_kind();
        if tool.is_some() && kind != SubjectKind::Tool {
            return Err(without_effect(event, "--tool"));
        }
        if trigger.is_some() && kind != SubjectKind::Word {
            return Err(without_effect(event, "--trigger"));
        }
        let Some(field) = event.subject_field() else {
            return Ok(Self::None);
        };
        let words = event.subject_words();
        match tool.or(trigger) {
            None => Ok(Self::Unknown),
            Some(value) if kind == SubjectKind::Word && !words.contains(&value) => {
                let known = words.join(", ");
                let message = format!("{event} has no {field} \"{value}\"; use one of: {known}");
                Err(CommandFailure::bad_input(message).with_candidates(near_matches(value, words)))
            }
            Some(value) => Ok(Self::Known { field, value }),
        }
    }

    /// Returns the subject in the engine's form.
    pub const fn for_engine(self) -> engine::Subject<'a> {
        match self {
            Self::None => engine::Subject::Known(""),
            Self::Unknown => engine::Subject::Unknown,
            Self::Known { value, .. } => engine::Subject::Known(value),
        }
    }
}

fn without_effect(event: EventName, option: &str) -> CommandFailure {
    let instead = match event.subject_kind() {
        SubjectKind::Tool => "; use --tool",
        SubjectKind::Word => "; use --trigger",
        SubjectKind::None => "",
    };
    CommandFailure::bad_input(format!("{option} has no effect on {event}{instead}"))
}
