use proptest::prelude::*;
use serde_json::json;

use super::*;

fn round_trip(part: &Value) -> Value {
    let read: Part = serde_json::from_value(part.clone()).unwrap();
    serde_json::to_value(&read).unwrap()
}

/// BM-2, MO-5: a part is written as it was read, including unknown fields.
#[test]
fn reading_and_writing_a_part_loses_nothing() {
    for part in [
        json!({"text": "hello"}),
        json!({"text": "", "thoughtSignature": "c2ln"}),
        json!({"text": "hm", "thought": true, "thoughtSignature": "c2ln"}),
        json!({"functionCall": {"name": "glob", "args": {"pattern": "*"}, "id": "1", "willContinue": true},
            "thoughtSignature": "c2ln"}),
        json!({"functionResponse": {"name": "glob", "response": {"output": "a"}, "id": "1", "scheduling": "IDLE"}}),
        json!({"inlineData": {"mimeType": "image/png", "data": "AAAA", "displayName": "a.png"}}),
        json!({"fileData": {"fileUri": "gs://a", "mimeType": "text/plain"}}),
        json!({"executableCode": {"language": "PYTHON", "code": "1"}}),
        json!({"text": "a", "videoMetadata": {"fps": 3}}),
        json!({"functionCall": "not an object"}),
        json!({"thoughtSignature": 7}),
        json!({"text": "a", "functionCall": {"name": "glob", "args": {}}}),
        json!({}),
    ] {
        assert_eq!(round_trip(&part), part);
    }
}

/// MO-1: a thought isn't visible text.
#[test]
fn a_thought_is_not_visible() {
    let mut part = Part::text("hm");
    assert_eq!(part.visible_text(), Some("hm"));
    part.thought = true;
    assert_eq!(part.visible_text(), None);
}

/// A field that appears twice would lose one of the two: it is an error.
#[test]
fn a_field_is_never_written_twice() {
    let mut part = Part::text("a");
    part.extra.insert("text".to_owned(), json!("b"));
    assert!(serde_json::to_value(&part).is_err());
}

proptest! {
    /// BM-2: unknown fields of any name survive.
    #[test]
    fn unknown_fields_survive(key in "[a-zA-Z]{1,12}", text in ".{0,20}") {
        let mut part = json!({"text": text});
        if let Some(fields) = part.as_object_mut() {
            fields.entry(key).or_insert(json!({"deep": [1, null]}));
        }
        prop_assert_eq!(round_trip(&part), part);
    }
}
