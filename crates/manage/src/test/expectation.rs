//! The expected result of a payload: `expect.json`.

use serde_json::{Map, Value};

use super::matching::{Difference, compare};
use crate::near_matches::near_matches;

/// The keys of `expect.json`: the fields of an outcome, and the runs of hooks by their label.
const KEYS: [&str; 10] = [
    "verdict",
    "decision",
    "reason",
    "stop_reason",
    "additional_context",
    "system_messages",
    "late",
    "changes",
    "action",
    HOOKS,
];

const HOOKS: &str = "hooks";

/// An expected result, possibly partial.
#[derive(Debug)]
pub(super) struct Expectation(Map<String, Value>);

impl Expectation {
    /// Parses `expect.json`. The error is a sentence. Unknown keys are errors: otherwise, they
    /// would be expectations that are always met.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let expected: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        if expected.is_empty() {
            return Err("it expects nothing".to_owned());
        }
        if let Some(unknown) = expected.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let near = near_matches(unknown, &KEYS);
            let instead = near
                .first()
                .map_or_else(|| KEYS.join(", "), |near| format!("\"{near}\""));
            return Err(format!("it has no field \"{unknown}\"; use {instead}"));
        }
        if expected.get(HOOKS).is_some_and(|hooks| !hooks.is_object()) {
            return Err(format!(
                "\"{HOOKS}\" must be an object: a hook's label and its run"
            ));
        }
        Ok(Self(expected))
    }

    /// Compares the expectation with the outcome and the runs, both as JSON.
    pub(super) fn differences(&self, outcome: &Value, runs: &[Value]) -> Vec<Difference> {
        let mut differences = Vec::new();
        for (key, expected) in &self.0 {
            if let (HOOKS, Value::Object(hooks)) = (key.as_str(), expected) {
                for (label, expected) in hooks {
                    differences.extend(compare_hook(label, expected, runs));
                }
            } else {
                compare(key, expected, &outcome[key], &mut differences);
            }
        }
        differences
    }
}

/// Compares the run of a hook. If several hooks have the same label, the best match counts. `null`
/// expects that the hook didn't run.
fn compare_hook(label: &str, expected: &Value, runs: &[Value]) -> Vec<Difference> {
    let path = format!("{HOOKS}.{label}");
    let of_run = |run: &Value| {
        let mut differences = Vec::new();
        compare(&path, expected, run, &mut differences);
        differences
    };
    runs.iter()
        .filter(|run| run["label"] == label)
        .map(of_run)
        .min_by_key(Vec::len)
        .unwrap_or_else(|| of_run(&Value::Null))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(expected: &Value) -> Result<Expectation, String> {
        Expectation::read(&expected.to_string())
    }

    /// CM-6: an expectation that could never fail is rejected.
    #[test]
    fn expectations_without_effect_are_rejected() {
        for (expected, word) in [
            (json!({}), "nothing"),
            (json!({ "verdit": "refused" }), "\"verdict\""),
            (json!({ "hooks": ["format"] }), "object"),
            (json!([]), "sequence"),
        ] {
            let message = read(&expected).unwrap_err();
            assert!(message.contains(word), "{message}");
        }
    }

    /// CM-6: a hook's run is looked up by its label; `null` expects that it doesn't run.
    #[test]
    fn runs_are_found_by_label() {
        let runs = [
            json!({ "label": "a", "result": "proceed" }),
            json!({ "label": "a", "result": "refused" }),
        ];
        let differences = |hooks: Value| {
            let expectation = read(&json!({ "hooks": hooks })).unwrap();
            expectation.differences(&Value::Null, &runs).len()
        };
        assert_eq!(differences(json!({ "a": { "result": "refused" } })), 0);
        assert_eq!(differences(json!({ "a": { "result": "stopped" } })), 1);
        assert_eq!(differences(json!({ "b": null })), 0);
        assert_eq!(differences(json!({ "a": null })), 1);
        assert_eq!(differences(json!({ "b": { "result": "refused" } })), 1);
    }
}
