//! What a tool keeps in a store of secrets: its values are secrets whatever they are called.

use serde_json::Value;

use super::{
    Secret, is_computed, is_dense, is_identifier, is_placeholder, looks_chosen_at_random, note,
    stands_for_another, tells_of_something_else,
};

/// What such a tool does, by the words of its name.
const VERBS: &[&str] = &[
    "set", "put", "create", "add", "write", "update", "store", "import", "upsert", "save",
];

/// What it keeps.
const KEPT: &[&str] = &["secret", "secrets", "credential", "credentials"];

/// Fields that tell which secret is meant, or where it is kept.
const PLACES: &[&str] = &[
    "name",
    "path",
    "arn",
    "version",
    "region",
    "zone",
    "project",
    "account",
    "namespace",
    "owner",
    "repo",
    "etag",
    "token",
    "cursor",
];

/// The shortest value that counts, and the longest one, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 16..=512;

/// Finds the values that a tool keeps as secrets.
pub(crate) fn in_store(tool: &str, input: &Value) -> Vec<Secret> {
    let tool = tool.to_lowercase();
    let says = |words: &[&str]| tool.split(['_', '-', '.']).any(|it| words.contains(&it));
    let mut found = Vec::new();
    if !says(VERBS) || !says(KEPT) {
        return found;
    }
    let mut open = vec![("", input)];
    while let Some((name, value)) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter().map(|it| (name, it))),
            Value::Object(entries) => {
                open.extend(entries.iter().map(|(name, it)| (name.as_str(), it)));
            }
            Value::String(text) if !names_place(name) && is_secret(text) => {
                note(&mut found, name, false, text);
            }
            _ => {}
        }
    }
    found
}

/// Returns whether a field tells which secret is meant.
fn names_place(name: &str) -> bool {
    let lower = name.to_lowercase();
    tells_of_something_else(name) || PLACES.iter().any(|it| lower.ends_with(it))
}

fn is_secret(value: &str) -> bool {
    LENGTHS.contains(&value.len())
        && !value.contains(char::is_whitespace)
        && !value.contains("://")
        && looks_chosen_at_random(value, 4)
        && is_dense(value)
        && !is_placeholder(value)
        && !is_computed(value)
        && !is_identifier(value)
        && !stands_for_another(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::in_store;

    /// HT-40: what a tool puts into a store of secrets is one, and what tells the store which one
    /// isn't.
    #[test]
    fn stores_are_given_secrets() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        let count = |tool, input| in_store(tool, &input).len();
        for (tool, input) in [
            (
                "mcp__edge__put_secret",
                json!({"name": "api", "text": random}),
            ),
            (
                "mcp__flow__create_credential",
                json!({"data": {"name": "x", "value": random}}),
            ),
            (
                "mcp__kube__create_secret",
                json!({"name": "a", "literals": {"x": random}}),
            ),
        ] {
            assert_eq!(count(tool, input.clone()), 1, "{tool} {input}");
        }
        for (tool, input) in [
            (
                "mcp__edge__get_secret",
                json!({"name": random, "text": random}),
            ),
            (
                "mcp__edge__put_secret",
                json!({"secretId": random, "versionToken": random}),
            ),
            (
                "mcp__edge__put_secret",
                json!({"name": "api", "text": "${API_TOKEN_V2}"}),
            ),
            (
                "mcp__edge__put_value",
                json!({"name": "api", "text": random}),
            ),
        ] {
            assert_eq!(count(tool, input.clone()), 0, "{tool} {input}");
        }
    }
}
