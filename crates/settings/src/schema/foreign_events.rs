//! Other agents' events under `hooks`: they are right if they contain hooks in that agent's dialect
//! (FD-12, ST-9).

use std::collections::BTreeMap;

use hookloop_dialects::{foreign_events, supported_dialects};
use hookloop_hook::{Dialect, EventName};
use serde_json::{Map, Value, json};

/// An event of another agent.
pub(super) struct ForeignName {
    pub(super) name: &'static str,
    /// The event of ours that it is.
    event: EventName,
    /// The dialects that have it.
    dialects: Vec<Dialect>,
}

/// Returns the events of other agents that happen here, by name; those that are called as ours
/// aren't among them.
pub(super) fn foreign_names() -> Vec<ForeignName> {
    let mut found: BTreeMap<&str, ForeignName> = BTreeMap::new();
    for dialect in supported_dialects() {
        for (name, event) in foreign_events(dialect) {
            if name.parse::<EventName>().is_ok() {
                continue;
            }
            let foreign = found.entry(name).or_insert_with(|| ForeignName {
                name,
                event,
                dialects: Vec::new(),
            });
            if !foreign.dialects.contains(&dialect) {
                foreign.dialects.push(dialect);
            }
        }
    }
    found.into_values().collect()
}

/// Lets a schema accept such an event if a hook below it, its group or the file names a dialect
/// that has it, and otherwise say what is meant.
pub(super) fn take_with_their_dialect(schema: &mut Value) {
    let names = foreign_names();
    let words: Vec<&str> = names.iter().map(|it| it.name).collect();
    let groups = json!({
        "type": "array",
        "items": {"$ref": "#/definitions/Group"},
        "errorMessage": "must be a list",
    });
    let pattern = format!("^(?:{})$", words.join("|"));
    schema["definitions"]["Hooks"]["patternProperties"] = one(&pattern, groups);
    for words in names.iter().map(ForeignName::words) {
        schema["definitions"][definition(&words)] = groups_in(&words);
    }
    let mut by_dialects: BTreeMap<Vec<&str>, Vec<Value>> = BTreeMap::new();
    for name in &names {
        by_dialects
            .entry(name.words())
            .or_default()
            .push(name.needs_its_dialect());
    }
    let rules = by_dialects.into_iter().map(|(words, rules)| {
        json!({
            "if": {
                "required": ["hooksConfig"],
                "properties": {"hooksConfig": says_one_of(&words)},
            },
            "else": {"properties": {"hooks": {"allOf": rules}}},
        })
    });
    schema["allOf"] = rules.collect();
}

impl ForeignName {
    fn words(&self) -> Vec<&'static str> {
        self.dialects.iter().map(|it| it.as_str()).collect()
    }

    /// The rule that one of the hooks below it uses a dialect that has it.
    fn needs_its_dialect(&self) -> Value {
        let name = self.name;
        let words = self.words();
        let speaks = json!({"$ref": format!("#/definitions/{}", definition(&words))});
        let sentence = format!(
            "write \"{}\", which is what another agent calls \"{name}\", or say in \"dialect\" \
             whose hooks these are; `hookloop hooks migrate` translates whole files",
            self.event
        );
        json!({
            "if": {"properties": one(name, speaks)},
            "else": {"propertyNames": {"not": {"enum": [name]}, "errorMessage": sentence}},
        })
    }
}

/// The name of the schema of groups in which one of these dialects is used.
fn definition(words: &[&str]) -> String {
    format!("GroupsIn_{}", words.join("_"))
}

/// The schema of groups in which one of these dialects is used, by a group or by a hook.
fn groups_in(words: &[&str]) -> Value {
    let of_hook = json!({"contains": says_one_of(words)});
    let of_group = json!({"required": ["hooks"], "properties": {"hooks": of_hook}});
    json!({"contains": {"anyOf": [says_one_of(words), of_group]}})
}

/// The schema of an object that names one of these dialects.
fn says_one_of(words: &[&str]) -> Value {
    json!({"required": ["dialect"], "properties": {"dialect": {"enum": words}}})
}

fn one(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}
