//! Keys that stand more than once in a reply. JSON leaves open which of them counts; of two words
//! that decide, the stricter does: a refusal is none the less one because an allow follows it.

use std::collections::BTreeSet;
use std::fmt;

use hookloop_events::Decision;
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Deserializer, Map, Value};

/// The keys by which a reply refuses.
const REFUSING: [&str; 2] = ["decision", "continue"];

/// Puts the strictest of the values that a refusing key has in the text of an object among its
/// fields (AG-1). What the text is not an object for stays as it is.
pub(crate) fn settle(text: &str, fields: &mut Map<String, Value>) {
    let Some(keys) = Keys::of(text) else { return };
    for (key, values) in REFUSING.into_iter().zip(keys.refusing) {
        if values.len() < 2 {
            continue;
        }
        if let Some(strictest) = values.into_iter().max_by_key(strictness) {
            fields.insert(key.to_owned(), strictest);
        }
    }
}

/// Returns the keys that the text of an object repeats, in the order of their names.
pub(crate) fn repeated(text: &str) -> impl Iterator<Item = String> {
    let keys = Keys::of(text);
    keys.into_iter().flat_map(|keys| keys.repeated)
}

/// Ranks what a refusing key says. What can't be understood is no permission, but no refusal
/// either.
fn strictness(value: &Value) -> u8 {
    let decision = value.as_str().and_then(Decision::read);
    match (value, decision) {
        (Value::Bool(false), _) | (_, Some(Decision::Deny)) => 4,
        (_, Some(Decision::Ask)) => 3,
        (Value::Null, _) => 0,
        (Value::Bool(true), _) | (_, Some(Decision::Allow)) => 1,
        _ => 2,
    }
}

/// The keys of an object as they stand in its text.
#[derive(Default)]
struct Keys {
    /// The values of the refusing keys, in order.
    refusing: [Vec<Value>; REFUSING.len()],
    repeated: BTreeSet<String>,
}

impl Keys {
    fn of(text: &str) -> Option<Self> {
        Deserializer::from_str(text)
            .deserialize_map(KeysVisitor)
            .ok()
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Keys, A::Error> {
        let mut keys = Keys::default();
        let mut seen = BTreeSet::new();
        while let Some(key) = object.next_key::<String>()? {
            match REFUSING.iter().position(|refusing| *refusing == key) {
                Some(index) => keys.refusing[index].push(object.next_value()?),
                None => {
                    object.next_value::<IgnoredAny>()?;
                }
            }
            if !seen.insert(key.clone()) {
                keys.repeated.insert(key);
            }
        }
        Ok(keys)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settled(text: &str) -> Value {
        let mut fields = serde_json::from_str(text).unwrap();
        settle(text, &mut fields);
        Value::Object(fields)
    }

    /// AG-1: of a word that decides and stands twice the stricter one counts, in either order;
    /// of anything else the last one does.
    #[test]
    fn the_stricter_word_counts() {
        for (text, expected) in [
            (
                r#"{"decision":"deny","decision":"allow"}"#,
                json!({"decision": "deny"}),
            ),
            (
                r#"{"decision":"allow","decision":"Block"}"#,
                json!({"decision": "Block"}),
            ),
            (
                r#"{"decision":"ask","decision":"allow"}"#,
                json!({"decision": "ask"}),
            ),
            (
                r#"{"decision":"deny","decision":null}"#,
                json!({"decision": "deny"}),
            ),
            (
                r#"{"decision":"maybe","decision":"allow"}"#,
                json!({"decision": "maybe"}),
            ),
            (
                r#"{"continue":false,"continue":true}"#,
                json!({"continue": false}),
            ),
            (r#"{"reason":"a","reason":"b"}"#, json!({"reason": "b"})),
            (
                r#"{"a":{"decision":"deny"},"decision":"allow"}"#,
                json!({"a": {"decision": "deny"}, "decision": "allow"}),
            ),
        ] {
            assert_eq!(settled(text), expected, "{text}");
        }
    }

    /// ST-5: what stands twice is known by name.
    #[test]
    fn repeated_keys_are_known() {
        let text = r#"{"b":1,"a":{"c":1,"c":2},"b":2,"b":3,"decision":"deny","decision":"deny"}"#;
        assert_eq!(repeated(text).collect::<Vec<_>>(), ["b", "decision"]);
        assert_eq!(repeated("[1]").count(), 0);
        assert_eq!(repeated(r#"{"a":1"#).count(), 0);
    }
}
