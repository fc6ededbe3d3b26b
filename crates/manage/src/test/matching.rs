//! Compares a value with a possibly partial expectation.

use serde::Serialize;
use serde_json::{Map, Value};

/// The key of the expectation that a string, or a string in a list, contains a text.
const CONTAINS: &str = "contains";

/// A difference from the expectation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The path, such as `hooks.format.result`.
    pub field: String,
    /// The expected value.
    pub expected: Value,
    /// The actual value.
    pub actual: Value,
}

/// Compares a value with an expectation. For objects, only the expected keys are compared, but an
/// empty object expects an empty one; lists and other values must be equal. `{"contains": "text"}`
/// expects a string that contains the text, or a list with such a string.
pub(super) fn compare(
    field: &str,
    expected: &Value,
    actual: &Value,
    differences: &mut Vec<Difference>,
) {
    let is_met = match (expected, actual) {
        (Value::Object(expected), _) if part(expected, actual).is_some() => {
            part(expected, actual).is_some_and(|text| holds(actual, text))
        }
        (Value::Object(expected), Value::Object(actual)) if !expected.is_empty() => {
            for (key, expected) in expected {
                let actual = actual.get(key).unwrap_or(&Value::Null);
                compare(&format!("{field}.{key}"), expected, actual, differences);
            }
            return;
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                compare(&format!("{field}[{index}]"), expected, actual, differences);
            }
            return;
        }
        (Value::Number(expected), Value::Number(actual)) => {
            expected == actual || expected.as_f64() == actual.as_f64()
        }
        _ => expected == actual,
    };
    if !is_met {
        differences.push(Difference {
            field: field.to_owned(),
            expected: expected.clone(),
            actual: actual.clone(),
        });
    }
}

/// Returns the text that must be contained, if that is the expectation. If the actual object has
/// that key itself, it is compared as an object.
fn part<'a>(expected: &'a Map<String, Value>, actual: &Value) -> Option<&'a str> {
    let only = expected.len() == 1 && !actual.is_object();
    expected.get(CONTAINS)?.as_str().filter(|_| only)
}

fn holds(actual: &Value, text: &str) -> bool {
    match actual {
        Value::String(actual) => actual.contains(text),
        Value::Array(actual) => actual.iter().any(|it| holds(it, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(expected: &Value, actual: &Value) -> Vec<String> {
        let mut differences = Vec::new();
        compare("x", expected, actual, &mut differences);
        differences.into_iter().map(|it| it.field).collect()
    }

    /// CM-6: a part of an object is enough; every difference is named by its path.
    #[test]
    fn a_part_is_enough() {
        let actual = json!({ "a": 1, "b": { "c": [1, { "d": 2, "e": 3 }] } });
        assert!(fields(&json!({ "b": { "c": [1, { "d": 2 }] } }), &actual).is_empty());
        assert!(fields(&json!({ "a": 1.0 }), &actual).is_empty());
        assert_eq!(
            fields(
                &json!({ "a": 2, "b": { "c": [1, { "d": 3 }] }, "z": 1 }),
                &actual
            ),
            ["x.a", "x.b.c[1].d", "x.z"]
        );
        assert_eq!(fields(&json!({ "b": { "c": [1] } }), &actual), ["x.b.c"]);
    }

    /// CM-6: an empty value must be empty, and `null` absent: so no expectation is met by accident.
    #[test]
    fn empty_is_met_by_empty_alone() {
        assert!(fields(&json!({}), &json!({})).is_empty());
        assert_eq!(fields(&json!({}), &json!({ "a": 1 })), ["x"]);
        assert_eq!(fields(&json!([]), &json!([1])), ["x"]);
        assert_eq!(fields(&json!(null), &json!("text")), ["x"]);
        assert!(fields(&json!({ "a": null }), &json!({ "b": 1 })).is_empty());
        assert_eq!(fields(&json!({ "a": 1 }), &json!(null)), ["x"]);
    }

    /// CM-6: `contains` examines texts and lists of texts.
    #[test]
    fn parts_of_texts_can_be_expected() {
        let part = json!({ "contains": "not here" });
        assert!(fields(&part, &json!("no, not here")).is_empty());
        assert!(fields(&part, &json!(["a", "no, not here"])).is_empty());
        assert_eq!(fields(&part, &json!("nothing")), ["x"]);
        assert_eq!(fields(&part, &json!(null)), ["x"]);
        assert_eq!(fields(&part, &json!({ "contains": "it" })), ["x.contains"]);
    }
}
