use proptest::prelude::*;
use serde_json::{Value, json};

use super::check;
use crate::ErrorKind;

fn fault(schema: &Value, arguments: &Value) -> String {
    let arguments = arguments.as_object().expect("an object");
    match check(schema, arguments) {
        Ok(()) => String::new(),
        Err(error) => {
            assert_eq!(error.kind, ErrorKind::InvalidParams);
            error.message
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_path": { "type": "string", "minLength": 1 },
            "limit": { "type": "integer", "minimum": 1 },
            "include": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
            "mode": { "type": "string", "enum": ["a", "b"] },
            "deep": { "type": "object", "required": ["x"], "properties": { "x": { "type": "boolean" } } },
            "either": { "type": ["string", "null"] },
        },
        "required": ["file_path"],
    })
}

/// BT-3: each violation of the schema is named with its place.
#[test]
fn faults_name_place_and_rule() {
    let cases = [
        (json!({}), "params must have required property 'file_path'"),
        (
            json!({"file_path": null}),
            "params/file_path must be string",
        ),
        (
            json!({"file_path": ""}),
            "params/file_path must NOT have fewer than 1 characters",
        ),
        (
            json!({"file_path": "a", "limit": "3"}),
            "params/limit must be integer",
        ),
        (
            json!({"file_path": "a", "limit": 2.5}),
            "params/limit must be integer",
        ),
        (
            json!({"file_path": "a", "limit": 0}),
            "params/limit must be >= 1",
        ),
        (
            json!({"file_path": "a", "include": ["x", 1]}),
            "params/include/1 must be string",
        ),
        (
            json!({"file_path": "a", "include": []}),
            "params/include must NOT have fewer than 1 items",
        ),
        (
            json!({"file_path": "a", "mode": "c"}),
            "params/mode must be one of \"a\" \"b\"",
        ),
        (
            json!({"file_path": "a", "deep": {}}),
            "params/deep must have required property 'x'",
        ),
        (
            json!({"file_path": "a", "either": 1}),
            "params/either must be string or null",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(fault(&schema(), &arguments), expected, "{arguments}");
    }
}

/// BT-3: what matches passes, including undeclared properties, whole floats and `null` for optional
/// ones.
#[test]
fn what_fits_passes() {
    let arguments = json!({
        "file_path": "a", "limit": 10.0, "include": ["x"], "mode": null,
        "deep": {"x": true, "y": 1}, "either": null, "undeclared": [1],
    });
    assert_eq!(fault(&schema(), &arguments), "");
}

/// LO-3: all faults are reported at once.
#[test]
fn all_faults_are_reported() {
    let text = fault(&schema(), &json!({"limit": "x", "mode": 1}));
    assert_eq!(text.matches("must").count(), 3, "{text}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".*", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    /// BT-3: any value has exactly the types that it matches, and checking never fails.
    #[test]
    fn a_value_fits_its_own_type_only(value in any_json()) {
        let fitting = ["object", "array", "string", "boolean", "null", "number"]
            .into_iter()
            .filter(|word| {
                let schema = json!({"required": ["v"], "properties": {"v": {"type": word}}});
                fault(&schema, &json!({"v": value})).is_empty()
            })
            .count();
        prop_assert_eq!(fitting, 1);
    }
}
