//! Damaging JSON as JSON, so that inputs get past the parser and reach what is behind it.

use serde_json::{Map, Value};

use crate::random::Random;

/// Changes some places of a JSON text; nothing if the text is none.
pub(crate) fn reshape(input: &[u8], words: &[&str], random: &mut Random) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(input).ok()?;
    for _ in 0..=random.below(6) {
        change(&mut value, words, random);
    }
    serde_json::to_vec(&value).ok()
}

/// Goes down to some place and changes it.
fn change(value: &mut Value, words: &[&str], random: &mut Random) {
    let children = match value {
        Value::Object(fields) => fields.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if children > 0 && random.below(4) > 0 {
        let index = random.below(children);
        let child = match value {
            Value::Object(fields) => fields.values_mut().nth(index),
            Value::Array(items) => items.get_mut(index),
            _ => None,
        };
        if let Some(child) = child {
            return change(child, words, random);
        }
    }
    match (random.below(5), value) {
        (0 | 1, Value::Object(fields)) => {
            fields.insert(word(words, random), any(words, random));
        }
        (2, Value::Object(fields)) => {
            let key = fields.keys().nth(random.below(fields.len())).cloned();
            key.and_then(|key| fields.remove(&key));
        }
        (0 | 1, Value::Array(items)) => items.push(any(words, random)),
        (2, Value::Array(items)) => drop(items.pop()),
        (3, value) => {
            let inner = value.take();
            *value = wrap(inner, words, random);
        }
        (_, value) => *value = any(words, random),
    }
}

fn wrap(inner: Value, words: &[&str], random: &mut Random) -> Value {
    match random.below(3) {
        0 => Value::Array(vec![inner]),
        1 => Value::String(inner.to_string()),
        _ => Value::Object(Map::from_iter([(word(words, random), inner)])),
    }
}

fn any(words: &[&str], random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => Value::Bool(false),
        3 => Value::from(random.below(100_000)),
        4 => Value::from(-1.5),
        5 => Value::Array(Vec::new()),
        6 => Value::Object(Map::new()),
        _ => Value::String(word(words, random)),
    }
}

fn word(words: &[&str], random: &mut Random) -> String {
    random.pick(words).copied().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_json_stays_json_and_changes() {
        let mut random = Random::new(1);
        let input = br#"{"a": [1, {"b": null}], "c": "d"}"#;
        let changed: Vec<Vec<u8>> = (0..500)
            .filter_map(|_| reshape(input, &["word"], &mut random))
            .collect();
        assert_eq!(changed.len(), 500);
        assert!(
            changed
                .iter()
                .all(|text| serde_json::from_slice::<Value>(text).is_ok())
        );
        assert!(
            changed
                .iter()
                .any(|text| String::from_utf8_lossy(text).contains("word"))
        );
        assert_eq!(reshape(b"{", &[], &mut random), None);
    }
}
