use std::collections::BTreeSet;

use hookloop_events::EventName;

use super::*;
use crate::config_read::LOCKABLE;
use crate::fields::CONFIG_FIELDS;
use crate::fields::{GROUP_FIELDS, HOOK_FIELDS, OLDER_KEYS};

fn keys_of(definition: &str) -> BTreeSet<String> {
    let schema = json_schema();
    let properties = schema["definitions"][definition]["properties"].as_object();
    properties.unwrap().keys().cloned().collect()
}

fn set<'n>(names: impl IntoIterator<Item = &'n str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// ST-9: the schema has the keys that are read, no more and no less.
#[test]
fn the_schema_has_the_keys_that_are_read() {
    assert_eq!(keys_of("Hook"), set(HOOK_FIELDS.iter().copied()));
    assert_eq!(keys_of("Group"), set(GROUP_FIELDS.iter().copied()));
    assert_eq!(keys_of("HooksConfig"), set(CONFIG_FIELDS.iter().copied()));
    let events = EventName::ALL.map(EventName::as_str);
    assert_eq!(keys_of("Hooks"), set(events.into_iter().chain(OLDER_KEYS)));
    let schema = json_schema();
    let lockable = schema["definitions"]["Lockable"]["enum"]
        .as_array()
        .unwrap();
    assert_eq!(
        set(lockable.iter().filter_map(Value::as_str)),
        set(LOCKABLE)
    );
}

/// ST-9: an editor shows a description for every key.
#[test]
fn every_key_is_described() {
    fn look(value: &Value, place: &str) {
        if let Some(properties) = value["properties"].as_object() {
            for (key, property) in properties {
                let description = property["description"].as_str().unwrap_or_default();
                assert!(!description.is_empty(), "{place}.{key}");
                assert!(!description.contains('\n'), "{place}.{key}");
            }
        }
    }
    let schema = json_schema();
    look(&schema, "");
    for (name, definition) in schema["definitions"].as_object().unwrap() {
        look(definition, name);
    }
}

/// ST-13: every key of the schema has a decided power over hooks, so that none can be added without
/// deciding who may loosen what with it.
#[test]
fn every_key_has_a_decided_power() {
    fn look(all: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
        if let Some(pointer) = schema["$ref"].as_str() {
            let target = all.pointer(pointer.trim_start_matches('#')).unwrap();
            return look(all, target, path, found);
        }
        if schema["not"].is_object() {
            return;
        }
        let choices = ["anyOf", "allOf"].map(|key| schema[key].as_array());
        if schema["properties"].is_null() && choices.iter().any(Option::is_some) {
            for choice in choices.into_iter().flatten().flatten() {
                look(all, choice, path, found);
            }
            return;
        }
        let Some(properties) = schema["properties"].as_object() else {
            found.push(path.to_owned());
            return;
        };
        // What is inside a hook is the hook's own.
        if path.starts_with("hooks.") {
            found.push(path.to_owned());
            return;
        }
        for (key, inner) in properties {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            look(all, inner, &path, found);
        }
    }
    let schema = json_schema();
    let mut keys = Vec::new();
    look(&schema, &schema, "", &mut keys);
    assert!(keys.len() > 50, "{keys:?}");
    for key in keys {
        assert!(
            crate::loosening::power_of(&key).is_some(),
            "nobody has decided about {key}"
        );
    }
}
