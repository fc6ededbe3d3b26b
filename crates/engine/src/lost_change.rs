//! Changes that a hook meant to make and that can't be applied: they are told, and where failures refuse that is
//! one (IO-26).

use hookloop_events::Event;
use hookloop_events::parts::{Fate, unknown_parts};
use serde_json::{Map, Value};

use crate::change_words::{Place, words};
use crate::unknown::{SPECIFIC, UnknownField, of_part};

/// Returns what a reply in today's spelling would change and says where nobody reads it, or in other words.
pub(crate) fn lost_change<E: Event>(fields: &Map<String, Value>) -> Option<UnknownField> {
    let own = match fields.get(SPECIFIC) {
        Some(Value::Object(own)) => Some(own),
        _ => None,
    };
    let word = |place: Place, key: &String, value: &Value| {
        let is_known = place == Place::Own && E::OWN_FIELDS.contains(&key.as_str());
        let words = words(E::NAME, key, place).filter(|_| !value.is_null() && !is_known)?;
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
        unread.find_map(of_part)
    };
    let mut top = fields.iter();
    top.find_map(|(key, value)| word(Place::Top, key, value))
        .or_else(|| {
            own?.iter()
                .find_map(|(key, value)| word(Place::Own, key, value))
        })
        .or_else(in_parts)
}
