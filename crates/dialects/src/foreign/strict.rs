//! Parses a reply as an object. JSON doesn't define which of two equal keys counts. Here it is the
//! one that refuses (AG-1, FD-21), and otherwise the last one.

use std::fmt;

use hookloop_events::refusal::{Force, force_of};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::SPECIFIC;

/// An object, and what was dropped from its text.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) fields: Map<String, Value>,
    /// The keys that appeared more than once, in the order of their repetitions.
    pub(crate) repeated: Vec<String>,
}

impl Read {
    /// Returns which keys appeared more than once.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let repetitions = self.repeated.iter().map(|key| {
            format!(
                "`{key}` appears more than once in its reply; a refusal counts, otherwise the last \
                 one"
            )
        });
        repetitions.collect()
    }
}

/// Reads a text that is one JSON object; nothing if it is anything else.
pub(crate) fn object_in(text: &str) -> Option<Read> {
    let mut repeated = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict(&mut repeated).deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    match value {
        Value::Object(fields) => Some(Read { fields, repeated }),
        _ => None,
    }
}

/// Reads a value, and notes the keys that repeat.
struct Strict<'r>(&'r mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Value, D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Strict(&mut *self.0))? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let value = object.next_value_seed(Strict(&mut *self.0))?;
            match fields.remove(&key) {
                Some(known) => {
                    let counts = stricter(&key, known, value);
                    if !self.0.contains(&key) {
                        self.0.push(key.clone());
                    }
                    fields.insert(key, counts);
                }
                None => _ = fields.insert(key, value),
            }
        }
        Ok(Value::Object(fields))
    }
}

/// Returns what counts of two values of a key: objects that contain decisions are merged; of others
/// the one that refuses more counts, else the later one.
pub(crate) fn stricter(key: &str, known: Value, later: Value) -> Value {
    match (known, later) {
        (Value::Object(mut known), Value::Object(later)) if holds_decisions(key) => {
            for (key, value) in later {
                let counts = match known.remove(&key) {
                    Some(before) => stricter(&key, before, value),
                    None => value,
                };
                known.insert(key, counts);
            }
            Value::Object(known)
        }
        (known, later) if weight(key, &known) > weight(key, &later) => known,
        (_, later) => later,
    }
}

fn holds_decisions(key: &str) -> bool {
    matches!(key, SPECIFIC | "decision")
}

/// Weighs what a key says; a deferred decision is a question here.
fn weight(key: &str, value: &Value) -> Option<Force> {
    match value {
        Value::Object(fields) if holds_decisions(key) => fields
            .iter()
            .filter_map(|(key, value)| weight(key, value))
            .max(),
        Value::String(word) if word.eq_ignore_ascii_case("defer") => Some(Force::Ask),
        _ => force_of(key, value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// FD-21, AG-1: of keys that repeat that one counts which refuses, wherever it is; of others
    /// the last, and which did is reported.
    #[test]
    fn of_repeated_keys_the_refusal_counts() {
        for (text, expected) in [
            (
                r#"{"decision":"block","decision":"approve"}"#,
                json!({"decision": "block"}),
            ),
            (
                r#"{"decision":"approve","decision":"block"}"#,
                json!({"decision": "block"}),
            ),
            (
                r#"{"continue":false,"continue":true}"#,
                json!({"continue": false}),
            ),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}"#,
                json!({"hookSpecificOutput": {"permissionDecision": "deny"}}),
            ),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"a":1}}"#,
                json!({"hookSpecificOutput": {"permissionDecision": "deny", "a": 1}}),
            ),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":null}"#,
                json!({"hookSpecificOutput": {"permissionDecision": "deny"}}),
            ),
            (
                r#"{"permissionDecision":"defer","permissionDecision":"allow"}"#,
                json!({"permissionDecision": "defer"}),
            ),
            (
                r#"{"decision":{"behavior":"deny"},"decision":{"behavior":"allow"}}"#,
                json!({"decision": {"behavior": "deny"}}),
            ),
            (r#"{"reason":"a","reason":"b"}"#, json!({"reason": "b"})),
        ] {
            let read = object_in(text).unwrap();
            assert_eq!(Value::Object(read.fields), expected, "{text}");
            assert_eq!(read.repeated.len(), 1, "{text}");
        }
        let plain = object_in(r#" {"a":[1,-2,0.5,"x",null,true]} "#).unwrap();
        assert_eq!(
            Value::Object(plain.fields),
            json!({"a": [1, -2, 0.5, "x", null, true]})
        );
        assert!(plain.repeated.is_empty());
        assert!(object_in("{} x").is_none());
        assert!(object_in("[]").is_none());
    }
}
