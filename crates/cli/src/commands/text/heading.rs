//! The line above what is said about an event.

use hookloop_events::EventName;
use hookloop_manage::SubjectView;
use hookloop_text::visible;
use serde_json::{Map, Value};

/// Names an event, and the subject if it is known.
pub(crate) fn event_heading(event: EventName, subject: Option<SubjectView<'_>>) -> String {
    match subject {
        Some(SubjectView { field, value }) => format!("{event} ({field}: {})", visible(value)),
        None => match event.subject_field() {
            Some(field) => format!("{event} ({field} not given)"),
            None => event.to_string(),
        },
    }
}

/// Names a fired event, and the subject of its payload.
pub(crate) fn fired_heading(event: EventName, input: &Map<String, Value>) -> String {
    let subject = event.subject_field().and_then(|field| {
        let value = input.get(field)?.as_str()?;
        Some(SubjectView { field, value })
    });
    event_heading(event, subject)
}
