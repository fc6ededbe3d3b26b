//! The border to a hook: what it reads there, in the words it asked for.

use hookloop_events::{Event, Payload, SubjectKind};
use hookloop_hook::HookDeclaration;
use serde_json::{Map, Value};

use crate::matcher::{Fit, Matcher, other_names};

/// Writes the payload as a hook reads it: a tool stands in it under the name that the hook's matcher
/// asked for (PL-11).
pub(crate) fn outgoing<E: Event>(
    hook: &HookDeclaration,
    input: &E::Input,
    payload: Payload,
) -> Payload {
    match asked_for::<E>(hook, input) {
        Some(name) => renamed(payload, name),
        None => payload,
    }
}

/// Returns the other name of a tool that a hook's matcher fits, where it fits no name before it.
fn asked_for<E: Event>(hook: &HookDeclaration, input: &E::Input) -> Option<String> {
    let text = hook.matcher.as_deref()?;
    if E::NAME.subject_kind() != SubjectKind::Tool {
        return None;
    }
    let subject = E::subject(input)?;
    let others = other_names(E::NAME, subject);
    match Matcher::new(E::NAME, Some(text)).fit(subject, &others) {
        Fit::Other(name) => Some(name.to_owned()),
        Fit::No | Fit::Own | Fit::Endless => None,
    }
}

fn renamed(payload: Payload, name: String) -> Payload {
    match serde_json::from_str::<Map<String, Value>>(&payload.text()) {
        Ok(mut fields) => {
            fields.insert("tool_name".to_owned(), Value::String(name));
            Value::Object(fields).to_string().into()
        }
        // A payload is an object by its type.
        Err(_) => payload,
    }
}
