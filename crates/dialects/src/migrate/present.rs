//! Compares what is to be added with what is already there.

use serde_json::{Map, Value};

use super::report::Addition;

/// The fields that say what a hook runs, whatever its type.
const IDENTIFYING_FIELDS: [&str; 6] = ["type", "command", "url", "prompt", "server", "tool"];

/// Returns whether a hook is in a `hooks` object already: the same event, a matcher that means the
/// same, and the same command (CM-7). What a person changed since, such as its timeout, stays.
pub fn is_present(present: &Map<String, Value>, addition: &Addition) -> bool {
    let groups = present
        .get(addition.event.as_str())
        .and_then(Value::as_array);
    groups.into_iter().flatten().any(|group| {
        let matcher = group.get("matcher").and_then(Value::as_str);
        meaning(matcher) == meaning(addition.matcher.as_deref())
            && hooks_of(group).any(|hook| {
                IDENTIFYING_FIELDS
                    .iter()
                    .all(|name| hook.get(name) == addition.hook.get(*name))
                    && hook
                        .get("dialectEvent")
                        .is_none_or(|event| Some(event) == addition.hook.get("dialectEvent"))
            })
    })
}

fn hooks_of(group: &Value) -> impl Iterator<Item = &Value> {
    let hooks = group.get("hooks").and_then(Value::as_array);
    hooks.into_iter().flatten()
}

/// Returns what a matcher means: all spellings of "everything" are one (PL-2).
fn meaning(matcher: Option<&str>) -> Option<&str> {
    matcher.filter(|text| !text.is_empty() && *text != "*")
}
