//! Changes that a hook requested and that can't be applied, and refusals under a misspelt key. They
//! are reported; if failures refuse, such a reply is a failure (IO-23, IO-26).

use hookloop_events::OtherFields;
use hookloop_events::parts::{Fate, unknown_parts};
use hookloop_events::refusal::{force_of, refusal_keys, squashed};
use hookloop_settings::nearest;
use serde_json::{Map, Value};

use crate::change_words::{Place, words_for};
use crate::unknown::{SPECIFIC, UnknownField, from_part};
use crate::vocabulary::Vocabulary;

/// Returns what a reply in the current spelling would change, but says in a place where nothing
/// reads it, or in other words.
pub(crate) fn lost_change(known: Vocabulary, fields: &Map<String, Value>) -> Option<UnknownField> {
    let own = match fields.get(SPECIFIC) {
        Some(Value::Object(own)) => Some(own),
        _ => None,
    };
    let word = |place: Place, key: &String, value: &Value| {
        let is_known = place == Place::Own && known.own_fields.contains(&key.as_str());
        let words = words_for(known.event, key, place).filter(|_| !value.is_null() && !is_known)?;
        Some(UnknownField {
            field: match place {
                Place::Top => key.clone(),
                Place::Own => format!("{SPECIFIC}.{key}"),
            },
            meant: Some(words.meant.to_owned()),
        })
    };
    let in_parts = || {
        let parts = unknown_parts(known.event, own?);
        let mut unread = parts
            .iter()
            .filter(|it| it.fate == Fate::Unread && known.changes.contains(&it.field()));
        unread.find_map(from_part)
    };
    // Nothing inside a misspelt container has an effect, whatever the spelling of the field.
    let in_misspelt = || {
        let mut misspelt = fields.iter().filter(|(key, _)| is_misspelt(key));
        misspelt.find_map(|(container, value)| {
            let mut inside = value.as_object()?.iter().filter(|(_, it)| !it.is_null());
            inside.find_map(|(key, _)| {
                let is_change = known.changes.contains(&key.as_str());
                let meant = match words_for(known.event, key, Place::Own) {
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

/// Returns the field of a reply with which a hook would refuse if its key, or that of the object
/// around it, weren't misspelt (`"desicion": "deny"`): nobody reads it, and a refusal was surely
/// meant.
pub(crate) fn misspelt_refusal(known: Vocabulary, fields: &Map<String, Value>) -> Option<String> {
    if !known.event.can_refuse() {
        return None;
    }
    let on_top = fields.iter().find(|(key, value)| refuses(key, value));
    let inside = || {
        let containers = fields.iter().filter(|(key, _)| {
            // What is there after a tool is data (AT-5).
            *key != SPECIFIC || known.other_fields == OtherFields::Unknown
        });
        let mut containers = containers.filter(|(key, _)| nearest(key, [SPECIFIC]).is_some());
        containers.find_map(|(container, value)| {
            let mut inside = value.as_object()?.iter();
            let (key, _) = inside.find(|(key, value)| refuses(key, value))?;
            Some(format!("{container}.{key}"))
        })
    };
    on_top.map(|(key, _)| key.clone()).or_else(inside)
}

/// Returns whether a value refuses under the key of a refusal that this one was probably meant to
/// be; in a list or an object, one of its values.
fn refuses(key: &str, value: &Value) -> bool {
    let Some(meant) = nearest(key, refusal_keys()) else {
        return false;
    };
    match value {
        Value::Array(values) => values.iter().any(|it| force_of(meant, it).is_some()),
        Value::Object(fields) => fields.iter().any(|(key, value)| {
            let meant = nearest(key, refusal_keys());
            meant.is_some_and(|it| force_of(it, value).is_some())
        }),
        value => force_of(meant, value).is_some(),
    }
}

/// Returns whether a key is another spelling of the place of an event's own fields.
fn is_misspelt(key: &str) -> bool {
    key != SPECIFIC && squashed(key) == squashed(SPECIFIC)
}
