//! What an editor shows when the pointer is on a key, and which words it offers (ST-9).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Turns "one of these constants" into a list of words with their descriptions, which editors offer
/// with the words and distinguish from what the key means.
pub(super) fn join_words(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some((words, descriptions)) = object.get("oneOf").and_then(words) {
                object.remove("oneOf");
                object.insert("type".to_owned(), Value::from("string"));
                object.insert("enum".to_owned(), Value::from(words));
                object.insert("enumDescriptions".to_owned(), Value::from(descriptions));
            }
            object.values_mut().for_each(join_words);
        }
        Value::Array(list) => list.iter_mut().for_each(join_words),
        _ => {}
    }
}

fn words(choices: &Value) -> Option<(Vec<Value>, Vec<Value>)> {
    let pair = |choice: &Value| {
        Some((
            choice.get("const")?.clone(),
            choice.get("description")?.clone(),
        ))
    };
    choices.as_array()?.iter().map(pair).collect()
}

/// Removes the descriptions of values from keys, since each key has its own: an editor shows the
/// innermost one, so `timeout` would say what a duration looks like, and not what it limits.
pub(super) fn leave_keys_their_descriptions(schema: &mut Map<String, Value>) {
    let mut definitions_held = BTreeSet::new();
    collect_held(&Value::Object(schema.clone()), &mut definitions_held);
    let Some(Value::Object(definitions)) = schema.get_mut("definitions") else {
        return;
    };
    for (name, definition) in definitions {
        let Value::Object(definition) = definition else {
            continue;
        };
        if !definitions_held.contains(name) {
            continue;
        }
        definition.remove("description");
        let choices = definition.get_mut("anyOf").and_then(Value::as_array_mut);
        let choices = choices.into_iter().flatten();
        for choice in choices.filter_map(Value::as_object_mut) {
            choice.remove("description");
        }
    }
}

/// Finds the definitions that stand for the values of keys.
fn collect_held(value: &Value, held: &mut BTreeSet<String>) {
    let properties = value.get("properties").and_then(Value::as_object);
    for property in properties.into_iter().flat_map(Map::values) {
        let choices = ["anyOf", "allOf"].map(|key| property.get(key).and_then(Value::as_array));
        let inner = choices.into_iter().flatten().flatten();
        for reference in inner
            .chain([property])
            .filter_map(|it| it.get("$ref")?.as_str())
        {
            let name = reference.trim_start_matches("#/definitions/");
            held.insert(name.to_owned());
        }
    }
    match value {
        Value::Object(object) => object.values().for_each(|it| collect_held(it, held)),
        Value::Array(list) => list.iter().for_each(|it| collect_held(it, held)),
        _ => {}
    }
}
