//! What an editor says about a key that doesn't exist: which one was meant, or which ones there are
//! (ST-9).
//!
//! "Property `PreToolUse` is not allowed" is true, but doesn't help. The names of keys have a
//! schema of their own (`propertyNames`), whose messages appear at the key.

use hookloop_hook::EventName;
use serde_json::{Value, json};

use super::foreign_events::foreign_names;
use crate::fields::{GROUP_FIELDS, HOOK_FIELDS};

/// Lets the schemas of events and of groups say what a wrong key should have been.
pub(super) fn name_what_is_meant(schema: &mut Value) {
    let events = EventName::ALL.map(EventName::as_str).join(", ");
    let other = format!("isn't an event; events are: {events}");
    let foreign: Vec<&str> = foreign_names().iter().map(|it| it.name).collect();
    let mistakes = event_mistakes(&foreign);
    close(&mut schema["definitions"]["Hooks"], &mistakes, &other);
    // Of these the dialect of the hooks decides.
    let allowed = &mut schema["definitions"]["Hooks"]["propertyNames"]["else"]["enum"];
    if let Some(allowed) = allowed.as_array_mut() {
        allowed.extend(foreign.into_iter().map(Value::from));
    }
    let misplaced = HOOK_FIELDS.iter().filter(|it| !GROUP_FIELDS.contains(it));
    let sentence = "belongs to a hook: put it into an object in the group's list \"hooks\"";
    let mistakes = vec![(
        misplaced.map(|it| (*it).to_owned()).collect(),
        sentence.to_owned(),
    )];
    let other = format!(
        "isn't a field of a group; fields are: {}",
        GROUP_FIELDS.join(", ")
    );
    close(&mut schema["definitions"]["Group"], &mistakes, &other);
}

/// Keys that are mistakes of one kind, and what is said about them.
type Mistakes = Vec<(Vec<String>, String)>;

/// The mistakes of our events' names, less those that are names of other agents.
fn event_mistakes(foreign: &[&str]) -> Mistakes {
    let spelled = EventName::ALL.map(|event| {
        let sentence = format!("write \"{event}\"; names are case-sensitive");
        let mut spellings = other_spellings(event.as_str());
        spellings.retain(|it| !foreign.contains(&it.as_str()));
        (spellings, sentence)
    });
    spelled.into_iter().collect()
}

/// Misspellings of an event's name: `beforeTool`, `beforetool`, `before_tool`, `before-tool`.
fn other_spellings(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for sign in name.chars() {
        match words.last_mut() {
            Some(word) if sign.is_ascii_lowercase() => word.push(sign),
            _ => words.push(sign.to_ascii_lowercase().to_string()),
        }
    }
    let (first, rest) = name.split_at(1);
    let mut spellings = vec![
        format!("{}{rest}", first.to_ascii_lowercase()),
        words.concat(),
        words.join("_"),
        words.join("-"),
        name.to_ascii_uppercase(),
    ];
    spellings.sort();
    spellings.dedup();
    spellings
}

/// Takes the place of "no other properties": each key that isn't one has one sentence.
fn close(definition: &mut Value, mistakes: &Mistakes, other: &str) {
    let Some(object) = definition.as_object_mut() else {
        return;
    };
    let Some(Value::Object(properties)) = object.get("properties") else {
        return;
    };
    let allowed: Vec<_> = properties.keys().cloned().collect();
    let known: Vec<_> = mistakes
        .iter()
        .flat_map(|(keys, _)| keys)
        .cloned()
        .collect();
    let meant: Vec<_> = mistakes
        .iter()
        .map(|(keys, sentence)| json!({"not": {"enum": keys}, "errorMessage": sentence}))
        .collect();
    let names = json!({
        "if": {"enum": known},
        "then": {"allOf": meant},
        "else": {"enum": allowed, "errorMessage": other},
    });
    object.remove("additionalProperties");
    object.insert("propertyNames".to_owned(), names);
}
