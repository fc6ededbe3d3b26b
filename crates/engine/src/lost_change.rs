//! Changes that a hook requested and that can't be applied. They are reported; if failures refuse,
//! such a change is a failure (IO-26).

use hookloop_events::Event;
use hookloop_events::parts::{Fate, unknown_parts};
use hookloop_events::refusal::squashed;
use serde_json::{Map, Value};

use crate::change_words::{Place, words_for};
use crate::unknown::{SPECIFIC, UnknownField, from_part};

/// Returns what a reply in the current spelling would change, but says in a place where nothing
/// reads it, or in other words.
pub(crate) fn lost_change<E: Event>(fields: &Map<String, Value>) -> Option<UnknownField> {
    let own = match fields.get(SPECIFIC) {
        Some(Value::Object(own)) => Some(own),
        _ => None,
    };
    let word = |place: Place, key: &String, value: &Value| {
        let is_known = place == Place::Own && E::OWN_FIELDS.contains(&key.as_str());
        let words = words_for(E::NAME, key, place).filter(|_| !value.is_null() && !is_known)?;
        Some(UnknownField {
            field: match place {
                Place::Top => key.clone(),
                Place::Own => format!("{SPECIFIC}.{key}"),
            },
            meant: Some(words.meant.to_owned()),
        })
    };
    let in_parts = || {
        let parts = unknown_parts(E::NAME, own?);
        let mut unread = parts
            .iter()
            .filter(|it| it.fate == Fate::Unread && E::CHANGES.contains(&it.field()));
        unread.find_map(from_part)
    };
    // Nothing inside a misspelt container has an effect, whatever the spelling of the field.
    let in_misspelt = || {
        let mut misspelt = fields.iter().filter(|(key, _)| is_misspelt(key));
        misspelt.find_map(|(container, value)| {
            let mut inside = value.as_object()?.iter().filter(|(_, it)| !it.is_null());
            inside.find_map(|(key, _)| {
                let is_change = E::CHANGES.contains(&key.as_str());
                let meant = match words_for(E::NAME, key, Place::Own) {
                    Some(words) => words.meant.to_owned(),
                    None if is_change => format!("`{SPECIFIC}.{key}`"),
                    None => return None,
                };
                Some(UnknownField {
                    field: format!("{container}.{key}"),
                    meant: Some(meant),
                })
            })
        })
    };
    let mut top = fields.iter();
    top.find_map(|(key, value)| word(Place::Top, key, value))
        .or_else(in_misspelt)
        .or_else(|| {
            own?.iter()
                .find_map(|(key, value)| word(Place::Own, key, value))
        })
        .or_else(in_parts)
}

/// Returns whether a key is another spelling of the place of an event's own fields.
fn is_misspelt(key: &str) -> bool {
    key != SPECIFIC && squashed(key) == squashed(SPECIFIC)
}
