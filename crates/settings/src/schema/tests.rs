use std::collections::BTreeSet;

use hookloop_events::EventName;

use super::*;
use crate::config_read::{FIELDS, LOCKABLE};
use crate::hook_read::{GROUP_FIELDS, HOOK_FIELDS, OLDER_KEYS};

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
    assert_eq!(keys_of("HooksConfig"), set(FIELDS.iter().copied()));
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
